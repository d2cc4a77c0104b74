/** Reads documents and writes them as a table or as JSON Lines. A program of its own, `dist/cli/export_worker.cjs`. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { writeDocument } from '@form-relay/stored/archive/document';
import { ahead, readAtOnce } from '@form-relay/stored/archive/export';
import { type Cell, cellsOf, recordsFor, table } from '@form-relay/stored/archive/sheet';
import { type SheetCell, workbook } from '@form-relay/stored/archive/xlsx';
import type { ExportRow, Sources } from '../entry_index.ts';
import { createDocuments } from '../server/documents.ts';
import type { Format } from './export.ts';
import { asTable } from './figures.ts';
import { createSummary, type SummedField } from './summary.ts';

export interface ExportTask extends Pick<Sources, 'archives'> {
  readonly format: Format | 'summary' | 'summary.csv';
  /** Fields whose values are no texts. */
  readonly types: readonly (readonly [form: string, field: string, type: string])[];
  /** The labels of options in columns of parts, such as those of a grid. */
  readonly labels: readonly (readonly [form: string, column: string, value: string, label: string])[];
  /** For a summary: the fields of its form, and how many submissions there are. */
  readonly summary?: {
    readonly of: number;
    readonly fields: readonly SummedField[];
    readonly language: string;
  };
  /** Whether people added something to any submission. */
  readonly hasWork: boolean;
}

/** Each is answered: one without a text by the next rows, of which there are none at the end. */
export interface ToExport {
  readonly text?: string | Uint8Array;
  readonly isDone?: true;
}

const pieceLength = 262_144;
const { archives, format, types, labels, summary, hasWork }: ExportTask = workerData;
/** Between two states of a summary. */
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

/** Each submission with its document, or in words why that cannot be read. */
const all = () =>
  ahead(rows(), readAtOnce, async (row) => ({ row, found: await documents.read(row.latest ?? row) }));

const factsOf = ({ id, form, receivedAt, state }: ExportRow) => ({
  id,
  form,
  received_at: new Date(receivedAt).toISOString(),
  state,
});

/** The work on a submission, as cells. */
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

/** A line for each: its document, its state and its place; of one that cannot be read, why. */
async function* jsonLines() {
  for await (const { row, found } of all()) {
    const facts = { ...factsOf(row), ...(row.work && { work: row.work }) };
    const line = found.ok
      ? writeDocument({ ...found.value.document, ...facts, archive_path: found.value.copy.path })
      : writeDocument({ ...facts, unreadable: found.error });
    yield `${line.ok ? line.value : JSON.stringify({ ...facts, unreadable: line.error })}\n`;
  }
}

/** Gives documents that cannot be read a row without values. */
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

/** Values as their fields mean them; others stay texts. */
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

/** The state of a summary now and then, and its end. */
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
    // The beat ends the thread if no reader waits any more.
    if (text !== '' && piece.length < pieceLength) continue;
    await ask({ text: piece });
    piece = '';
  }
  parentPort?.postMessage({ text: piece, isDone: true });
}

void (format === 'xlsx' ? writeWorkbook() : write());
