/** Reads documents and writes them as a table or as JSON Lines. Built as a program of its own, `dist/cli/export_worker.cjs`. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { ahead, type Cell, cellsOf, readAtOnce, recordsFor, table } from '@form-relay/stored/archive/export';
import { writeDocument } from '@form-relay/stored/archive/read_entry';
import { type SheetCell, workbook } from '@form-relay/stored/archive/xlsx';
import type { ExportRow, Sources } from '../entry_index.ts';
import { createDocuments } from '../server/documents.ts';
import type { Format } from './export.ts';
import { asTable } from './figures.ts';
import { createSummary, type SummedField } from './summary.ts';

export interface ExportTask extends Pick<Sources, 'archives'> {
  readonly format: Format | 'summary' | 'summary.csv';
  /** Types of fields whose values are not text. */
  readonly types: readonly (readonly [form: string, field: string, type: string])[];
  /** The labels of options in columns of parts, such as those of a grid. */
  readonly labels: readonly (readonly [form: string, column: string, value: string, label: string])[];
  /** For a summary: the form's fields, and the number of submissions. */
  readonly summary?: {
    readonly of: number;
    readonly fields: readonly SummedField[];
    readonly language: string;
  };
  /** Whether any submission has work added by people. */
  readonly hasWork: boolean;
}

/**
 * A message to the main thread. Each gets a reply; a message without text asks for the next rows, and the
 * reply is empty at the end.
 */
export interface ToExport {
  readonly text?: string | Uint8Array;
  readonly isDone?: true;
}

const pieceLength = 262_144;
const { archives, format, types, labels, summary, hasWork }: ExportTask = workerData;
/** Time between two intermediate summaries. */
const summaryEveryMs = 500;
const documents = createDocuments({ archives });
const columns = ['state', ...(hasWork ? ['labels', 'done', 'assigned', 'notes', 'replies'] : [])];

async function ask(message: ToExport): Promise<readonly ExportRow[]> {
  parentPort?.postMessage(message);
  const [answer] = parentPort ? await once(parentPort, 'message') : [];
  return answer;
}

async function* rows() {
  for (let some = await ask({}); some.length > 0; some = await ask({})) yield* some;
}

/** Yields each submission with its document, or the reason why it cannot be read. */
const all = () =>
  ahead(rows(), readAtOnce, async (row) => ({ row, found: await documents.read(row.latest ?? row) }));

const factsOf = ({ id, form, receivedAt, state }: ExportRow) => ({
  id,
  form,
  received_at: new Date(receivedAt).toISOString(),
  state,
});

function added({ work }: ExportRow): Readonly<Record<string, string>> {
  if (!work) return {};
  const texts = (kind: 'note' | 'reply') =>
    work.thread.flatMap((one) =>
      one.kind === kind ? [`${new Date(one.at).toISOString()} ${one.who}: ${one.text}`] : [],
    );
  return {
    labels: work.labels.join('; '),
    done: work.isDone ? 'yes' : 'no',
    assigned: work.assigned,
    notes: texts('note').join('\n'),
    replies: texts('reply').join('\n'),
  };
}

/** A line for each submission: document, state and place; or why it cannot be read. */
async function* jsonLines() {
  for await (const { row, found } of all()) {
    const facts = { ...factsOf(row), ...(row.work && { work: row.work }) };
    const line = found.ok
      ? writeDocument({ ...found.value.document, ...facts, archive_path: found.value.copy.path })
      : writeDocument({ ...facts, unreadable: found.error });
    yield `${line.ok ? line.value : JSON.stringify({ ...facts, unreadable: line.error })}\n`;
  }
}

/** A document that cannot be read becomes a row without values. */
async function* tableRows() {
  const words = new Map(
    labels.map(([form, column, value, label]) => [[form, column, value].join('\0'), label]),
  );
  for await (const { row, found } of all()) {
    const wordOf = (column: string, value: string) =>
      words.get([row.form, column, value].join('\0')) ?? value;
    const cells = new Map<string, Cell>();
    const named = new Map<string, readonly string[]>();
    const { fields = [], files = [], page } = found.ok ? found.value.document : {};
    for (const { field, name } of files) named.set(field, [...(named.get(field) ?? []), name]);
    for (const [column, cell] of [...fields.flatMap((field) => cellsOf(field, wordOf)), ...named])
      cells.set(column, cell);
    yield { ...factsOf(row), cells, ...(page && { page }), more: { state: row.state, ...added(row) } };
  }
}

/** Typed cells where the field has a type; everything else is text. */
async function* sheetRows(): AsyncGenerator<readonly SheetCell[] | undefined> {
  const typeOf = new Map(types.map(([form, field, type]) => [`${form}\0${field}`, type]));
  let names: readonly string[] | undefined;
  for await (const row of recordsFor(tableRows(), columns)) {
    if (!row || !names) {
      names = row;
      yield row?.map((name, index) => (index === 0 ? `${name} (UTC)` : name));
      continue;
    }
    const [time = '', form = '', ...rest] = row;
    yield [
      { time: Date.parse(time) },
      form,
      ...rest.map((text, index) => typed(text, typeOf.get(`${form}\0${names?.[index + 2]}`))),
    ];
  }
}

function typed(text: string, type: string | undefined): SheetCell {
  if (type === 'number' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text)) return Number(text);
  return type === 'date' && /^\d{4}-\d\d-\d\d$/.test(text) && Date.parse(text) > 0
    ? { date: Date.parse(text) }
    : text;
}

async function writeWorkbook(): Promise<void> {
  for await (const bytes of workbook(sheetRows())) await ask({ text: bytes });
  parentPort?.postMessage({ text: '', isDone: true });
}

/** Intermediate summaries at intervals, then the final one. */
async function* summaries() {
  const sum = createSummary(summary ?? { of: 0, fields: [], language: 'en' });
  let shownAt = Date.now();
  for await (const { row, found } of all()) {
    sum.add(row, found.ok ? found.value.document : undefined);
    if (Date.now() - shownAt < summaryEveryMs) continue;
    if (format === 'summary') yield `${JSON.stringify(sum.now(false))}\n`;
    yield '';
    shownAt = Date.now();
  }
  yield format === 'summary' ? `${JSON.stringify(sum.now(true))}\n` : asTable(sum.now(true));
}

const texts = () =>
  format === 'csv' ? table(tableRows(), columns) : format === 'jsonl' ? jsonLines() : summaries();

async function write(): Promise<void> {
  let piece = '';
  for await (const text of texts()) {
    piece += text;
    // Asking with an empty piece now and then ends the thread if there is no reader any more.
    if (text !== '' && piece.length < pieceLength) continue;
    await ask({ text: piece });
    piece = '';
  }
  parentPort?.postMessage({ text: piece, isDone: true });
}

void (format === 'xlsx' ? writeWorkbook() : write());
