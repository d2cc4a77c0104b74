import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { structureIn } from '@form-relay/base/json';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { type Choice, documentPath, type Entry, type Tell } from './archive.ts';
import { type Reading, readEntry, writeDocument } from './read_entry.ts';

/** Processes up to `most` items concurrently, before the consumer asks for them. Yields the results in order. */
export async function* ahead<T, U>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const result = work(item);
    // The loop awaits the result later and handles a rejection then. Until then, a rejection must not end the process.
    result.catch(() => {});
    underWay.push(result);
    if (underWay.length >= most) yield (await underWay.shift()) as U;
  }
  for (const result of underWay) yield await result;
}

/** How many documents are read at once. A bucket is slow for each; a disk is busy with a few. */
export const readAtOnce = 16;

export interface Read {
  readonly entry: Entry;
  readonly document: ArchiveDocument;
}

/** All selected submissions that can be read. */
export async function* readAll(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<Read> {
  const all = ahead(reading.archive.entries(choice, tell), readAtOnce, async (entry) => ({
    entry,
    document: await readEntry(reading, entry),
  }));
  for await (const { entry, document } of all) {
    if (document.ok) yield { entry, document: document.value };
    else tell({ kind: 'unread', path: documentPath(entry), what: document.error });
  }
}

/** Each document as a line of JSON, with its path as `archive_path`. */
export async function* asJsonLines(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> {
  for await (const { entry, document } of readAll(reading, choice, tell)) {
    const path = documentPath(entry);
    const line = writeDocument({ ...document, archive_path: path });
    if (line.ok) yield `${line.value}\n`;
    else tell({ kind: 'unread', path, what: line.error });
  }
}

/** A table for spreadsheets, with the paths of files in the archive. */
export const asCsv = (reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> =>
  table(rows(reading, choice, tell));

async function* rows(reading: Reading, choice: Choice, tell: Tell) {
  for await (const { entry, document } of readAll(reading, choice, tell))
    yield { ...document, cells: cellsIn(entry, document) };
}

function cellsIn({ folder }: Entry, { fields, files }: ArchiveDocument): ReadonlyMap<string, Cell> {
  const paths = new Map<string, string[]>();
  for (const { field, path } of files) {
    const own = paths.get(field);
    if (own) own.push(`${folder}/${path}`);
    else paths.set(field, [`${folder}/${path}`]);
  }
  return new Map<string, Cell>([...fields.flatMap((field) => cellsOf(field)), ...paths]);
}

/** A submission as a row. */
export interface Row extends Pick<ArchiveDocument, 'received_at' | 'form' | 'id' | 'page'> {
  /** The cells of fields by column; for files, their paths or names. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** The cells of additional columns, by name. */
  readonly more?: Readonly<Record<string, string>>;
}

/** A cell with one or more values, or with one value for each entry of a repeated field. */
export type Cell = readonly string[] | { readonly each: readonly string[]; readonly of: string };

/**
 * The cells of a field. A field with parts gets a column for each part; if its entries repeat, each gets a row.
 *
 * @param wordOf The text for a value in the column of a part.
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

/** Further fields of a form share a column, as JSON, because with `accept_undeclared` visitors choose the names. */
const mostColumns = 100;
const sharedColumn = 'other_fields';
const always = ['received_at', 'form', 'id', 'page'];
/** How often a beat is sent, so that a closed connection is noticed soon. */
const rowsPerBeat = 500;

/** A row that waits until all columns are known: the common cells, and then the texts with the index of their column. */
type Waiting = readonly [
  own: readonly string[],
  cells: readonly (readonly [place: number, text: string | readonly string[], of?: string])[],
  others: string,
];

/** A table as CSV. An empty piece is only a sign of progress. */
export async function* table(rows: AsyncIterable<Row>, more: readonly string[] = []): AsyncGenerator<string> {
  let mark = byteOrderMark;
  for await (const cells of recordsFor(rows, more)) {
    yield cells ? mark + record(cells) : '';
    if (cells) mark = '';
  }
}

/**
 * A table for spreadsheets: the common columns, and then the fields in order of first appearance. The first
 * record has the names of the columns. `undefined` is only a sign of progress.
 *
 * @param more Additional columns before the fields.
 */
export async function* recordsFor(
  rows: AsyncIterable<Row>,
  more: readonly string[] = [],
): AsyncGenerator<readonly string[] | undefined> {
  const own = [...always, ...more];
  const places = new Map<string, number>();
  /** How many columns each form has added. */
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
    // A field may have the name of a common column.
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

/** The records of a submission. Each entry of a repeated field gets its own row. */
function recordsOf([own, cells, others]: Waiting, width: number, hasOthers: boolean): readonly string[][] {
  /** The first row of each repeated field. */
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

/** Without a byte order mark, Excel assumes the machine's old 8-bit character set. */
export const byteOrderMark = '\ufeff';

/**
 * A record of RFC 4180, with its line end. Each cell is in quotes. No spreadsheet may treat a visitor's text
 * as a formula (OWASP: CSV Injection), not even with another separator, as Excel uses in half of Europe: it
 * would start a cell at each semicolon, tab and line break, even in quotes.
 */
export const record = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

const cell = (text: string) => `"${withoutFormulas(text).replaceAll('"', '""')}"`;

/** Puts an apostrophe before a formula, as people do in Excel and LibreOffice to enter it as text. */
const withoutFormulas = (text: string) => (hasSign.test(text) ? withApostrophes(text) : text);

const withApostrophes = (text: string) =>
  (/^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll(start, (all, before: string, sign: string) =>
    sign === '' ? all : `${before}'${sign}`,
  );

const hasSign = /[\t\r\n=+\-@＝＋－＠]/;

/** The start of a cell with a sign that makes it a formula. Programs in East Asia also accept full-width signs. */
const start = /((?:^|[;\t\r\n])[;"\s]*)([=+\-@＝＋－＠]?)/g;

const mostInMemory = 1_048_576;

/** A buffer of lines. Above a megabyte, it uses an unlinked file, which disappears with the process. */
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
