import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { structureIn } from '@form-relay/core/fields/json';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';

/** A submission as a row. */
export interface Row extends Pick<ArchiveDocument, 'received_at' | 'form' | 'id' | 'page'> {
  /** Under its name what stands in the cell of each field: of files, where they are or what they are called. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** The cells of further columns, by their names. */
  readonly more?: Readonly<Record<string, string>>;
}

/** A cell with one value or several, or a cell for each of the entries of a field. */
export type Cell = readonly string[] | { readonly each: readonly string[]; readonly of: string };

/**
 * The cells of a field: one of parts has a column for each of them, and where they repeat, a row for each entry.
 *
 * @param wordOf What stands for a value of a part in its column.
 */
export function cellsOf(
  { name, values, in_words }: ArchiveDocument['fields'][number],
  wordOf = (_column: string, value: string): string => value,
): readonly (readonly [column: string, cell: Cell])[] {
  const structure = in_words && structureIn(values[0] ?? '');
  if (!structure) return [[name, values]];
  const isList = Array.isArray(structure);
  const items: readonly Record<string, unknown>[] = (isList ? structure : [structure]).map(Object);
  return [...new Set(items.flatMap((item) => Object.keys(item)))].map((column) => {
    const path = `${name}.${column}`;
    const each = items.map((item) =>
      [item[column] ?? '']
        .flat()
        .map((value) => wordOf(path, String(value)))
        .join('; '),
    );
    return [path, isList ? { each, of: name } : each];
  });
}

/** A form's fields beyond these share a column, as JSON: with `accept_undeclared`, visitors choose names. */
const mostColumns = 100;
const sharedColumn = 'other_fields';
const always = ['received_at', 'form', 'id', 'page'];
/** Readers notice so often that nobody waits for the table any more. */
const rowsPerBeat = 500;

/** A row that waits for the columns of all others: what each table has, then texts with the place of their column. */
type Waiting = readonly [
  own: readonly string[],
  cells: readonly (readonly [place: number, text: string | readonly string[], of?: string])[],
  others: string,
];

/** A table as CSV. An empty piece only shows that work goes on. */
export async function* table(rows: AsyncIterable<Row>, more: readonly string[] = []): AsyncGenerator<string> {
  let mark = byteOrderMark;
  for await (const cells of recordsFor(rows, more)) {
    yield cells ? mark + record(cells) : '';
    if (cells) mark = '';
  }
}

/**
 * A table for spreadsheets: what each submission has, then its fields, in the order in which they first come up. The first
 * record names the columns. `undefined` only shows that work goes on.
 *
 * @param more Further columns before the fields.
 */
export async function* recordsFor(
  rows: AsyncIterable<Row>,
  more: readonly string[] = [],
): AsyncGenerator<readonly string[] | undefined> {
  const own = [...always, ...more];
  const places = new Map<string, number>();
  /** How many columns came up first in each form. */
  const added = new Map<string, number>();
  const waiting = new Spool();
  let hasOthers = false;
  try {
    let count = 0;
    for await (const row of rows) {
      const one = waitingRow(row, own, places, added);
      hasOthers ||= one[2] !== '';
      waiting.add(JSON.stringify(one));
      count += 1;
      if (count % rowsPerBeat === 0) yield undefined;
    }
    const reserved = hasOthers ? [...own, sharedColumn] : own;
    // A field may have the name of a column that every table has.
    const fields = [...places.keys()].map((name) => (reserved.includes(name) ? `${name} (field)` : name));
    yield [...own, ...fields, ...(hasOthers ? [sharedColumn] : [])];
    for (const line of waiting.lines()) yield* recordsOf(JSON.parse(line), places.size, hasOthers);
  } finally {
    waiting.close();
  }
}

function waitingRow(
  { received_at, form, id, page, more, cells }: Row,
  own: readonly string[],
  places: Map<string, number>,
  added: Map<string, number>,
): Waiting {
  const facts: Readonly<Record<string, string>> = { received_at, form, id, page: page?.url ?? '', ...more };
  const placed: [number, string | readonly string[], string?][] = [];
  const others: [string, string | readonly string[]][] = [];
  for (const [name, cell] of cells) {
    const count = added.get(form) ?? 0;
    if (!places.has(name) && count < mostColumns) {
      places.set(name, places.size);
      added.set(form, count + 1);
    }
    const place = places.get(name);
    const text = 'each' in cell ? cell.each : cell.join('; ');
    if (place === undefined) others.push([name, text]);
    else placed.push('each' in cell ? [place, text, cell.of] : [place, text]);
  }
  return [
    own.map((name) => facts[name] ?? ''),
    placed,
    others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : '',
  ];
}

/** A submission's records: entries that repeat have a row each. */
function recordsOf([own, cells, others]: Waiting, width: number, hasOthers: boolean): readonly string[][] {
  /** The first row of each field that repeats. */
  const starts = new Map<string, number>();
  let count = 0;
  for (const [, text, of] of cells) {
    if (of === undefined || starts.has(of)) continue;
    starts.set(of, count);
    count += text.length;
  }
  const rows = Array.from({ length: Math.max(count, 1) }, () => new Array<string>(width).fill(''));
  for (const [place, text, of = ''] of cells) {
    const start = starts.get(of) ?? 0;
    for (const [index, one] of [text].flat().entries()) (rows[start + index] as string[])[place] = one;
  }
  return rows.map((row) => [...own, ...row, ...(hasOthers ? [others] : [])]);
}

/** Excel takes a file without it for one in the machine's old 8-bit character set. */
export const byteOrderMark = '\ufeff';

/**
 * A record of RFC 4180, with its line end. Each cell is in quotes. No spreadsheet takes what a visitor wrote for a formula
 * (OWASP: CSV Injection), not even one that knows another separator, as Excel does in half of Europe: it would begin a cell
 * at each semicolon, tab and line break, in quotes or not.
 */
export const record = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

const cell = (text: string) => `"${withoutFormulas(text).replaceAll('"', '""')}"`;

/** As Excel and LibreOffice do when somebody types it: with an apostrophe before, it is text. */
const withoutFormulas = (text: string) => (hasSign.test(text) ? withApostrophes(text) : text);

const withApostrophes = (text: string) =>
  (/^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll(start, (all, before: string, sign: string) =>
    sign === '' ? all : `${before}'${sign}`,
  );

const hasSign = /[\t\r\n=+\-@＝＋－＠]/;

/** The beginning of a cell, and a sign that makes it a formula. Programs in East Asia accept the full-width signs. */
const start = /((?:^|[;\t\r\n])[;"\s]*)([=+\-@＝＋－＠]?)/g;

const mostInMemory = 1_048_576;

/** Lines that wait: more than a megabyte in a file without a name, which goes with its process. */
export class Spool {
  #text = '';
  #file: number | undefined;

  add(line: string): void {
    this.#text += `${line}\n`;
    if (this.#text.length < mostInMemory) return;
    this.#file ??= openNameless();
    writeAll(this.#file, Buffer.from(this.#text));
    this.#text = '';
  }

  *lines(): Generator<string> {
    let rest = '';
    for (const piece of this.#pieces()) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  *#pieces(): Generator<string> {
    const [bytes, decoder] = [Buffer.alloc(262_144), new StringDecoder('utf8')];
    for (let at = 0, read = -1; this.#file !== undefined && read !== 0; at += read) {
      read = readSync(this.#file, bytes, 0, bytes.length, at);
      yield decoder.write(bytes.subarray(0, read));
    }
    yield this.#text;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function openNameless(): number {
  const path = join(tmpdir(), `form-relay-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
