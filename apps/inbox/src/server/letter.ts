import type { Form } from '@form-relay/core/form';
import { doubtNames } from '@form-relay/spam/score/marks';
import { noticedIn } from '@form-relay/spam/score/noticed';
import { endOf, isAgain, linesOf } from '@form-relay/stored/journal/lines_of';
import type { JournalDelivery, JournalLine } from '@form-relay/telemetry/journal/lines';
import type { Delivery, Letter } from '../api.ts';
import type { IndexedEntry, KeptAt } from '../entry_index.ts';
import type { Documents, StoredDocument } from './documents.ts';
import { previewOf } from './documents.ts';
import type { InboxOptions } from './options.ts';

/** A submission with all that is known of it. */
export async function letterOf(
  entry: IndexedEntry,
  documents: Documents,
  form: Form | undefined,
  words: InboxOptions['words'],
): Promise<Letter> {
  const { stored: _stored, kept: _kept, journal: _journal, ...line } = entry;
  const found = await documents.read(entry);
  const document = found.ok ? found.value.document : undefined;
  const told = tell(entry, form);
  const language = form?.locale(undefined).language ?? 'en';
  return {
    ...line,
    ...told,
    language,
    fields:
      document?.fields.map(({ name, label, values, in_words }) => ({
        name,
        label,
        values: in_words ?? inWords(name, values, language),
        type: name === doubtNames.tag ? 'mark' : form?.fields.find((field) => field.name === name)?.type,
      })) ?? [],
    attached:
      document?.files.map(({ field, name, type, size }, index) => ({
        nth: index + 1,
        field,
        name,
        type,
        size,
        ...(previewOf(type) && { preview: previewOf(type) }),
      })) ?? [],
    page: document?.page && { url: document.page.url, title: document.page.title },
    dropped: droppedOf(document?.dropped) ?? told.dropped,
    words: form && document && wasLearned(told, document) ? words?.(form, document) : undefined,
    isFormKnown: form !== undefined,
    outputs:
      form?.outputs.map(({ type, transport }, index) => ({
        index,
        type,
        target: transport?.target ?? type,
      })) ?? [],
    places: [
      ...documents.copies(entry).map(({ in: { name }, path }) => `${name}: ${path}`),
      ...(found.ok || line.isSealed || entry.stored.length === 0 ? [] : [`not readable: ${found.error}`]),
    ],
  };
}

/** Puts the mark of a doubted submission into the words that mails use. */
const inWords = (name: string, values: readonly string[], language: string): readonly string[] =>
  name === doubtNames.tag ? values.map((mark) => noticedIn(language)(mark)) : values;

/** Whether `learned` gave it points: the journal says so, or its mark. */
const wasLearned = ({ doubt }: Pick<Letter, 'doubt'>, { fields }: StoredDocument): boolean =>
  doubt?.signals.learned !== undefined ||
  fields.some(({ name, values: [mark = ''] }) => name === doubtNames.tag && /\blearned\b/.test(mark));

/** `readDocument` does not check this key. */
function droppedOf(said: unknown): Letter['dropped'] {
  if (typeof said !== 'object' || said === null) return undefined;
  const { by, reason } = said as { readonly by?: unknown; readonly reason?: unknown };
  return typeof by === 'string' && typeof reason === 'string' ? { by, reason } : undefined;
}

type Told = Pick<Letter, 'deliveries' | 'story' | 'dropped' | 'doubt'>;

/** The story that journal and stores tell of a submission. Without a line in the journal, its deliveries are unknown. */
export function tell(entry: IndexedEntry, form: Form | undefined): Told {
  const lines = linesOf(entry.journal).filter(({ id }) => id === entry.id);
  const rows = new Map<string, Delivery>();
  const story: { at: number; words: string }[] = [{ at: entry.receivedAt, words: 'Received' }];
  let dropped: Told['dropped'];
  let doubt: Told['doubt'];
  const targetOf = ({ output, type }: Pick<JournalDelivery, 'output' | 'type'>) => {
    const now = form?.outputs[output];
    return now?.type === type ? now.transport?.target : undefined;
  };
  const add = (at: number, one: JournalDelivery, line: JournalLine) => {
    const asked = line.kind === 'delivery' ? line.asked : undefined;
    const target = targetOf(one);
    const { output, type, attempts, ms, reason } = one;
    const row: Delivery = {
      output,
      type,
      target,
      result: results[one.result] ?? 'unknown',
      at,
      attempts,
      ms: line.kind === 'delivery' ? (line.age_ms ?? ms) : ms,
      reason,
      ...(one.result === 'aside' && { waitsForOwner: true }),
      ...(isAgain(line) && { isAgain: true }),
    };
    if (isAgain(line)) rows.set(`${output} again ${rows.size}`, row);
    // Whatever is tried after it was delivered leaves it delivered.
    else if (rows.get(String(output))?.result !== 'delivered') rows.set(String(output), row);
    story.push({ at, words: `${target ? `${type} to ${target}` : type}: ${wordsOf(one, asked)}` });
  };
  for (const line of lines) {
    const end = endOf(line);
    if (line.kind === 'delivery') {
      add(end, line, line);
      continue;
    }
    if (line.by !== undefined && entry.state === 'dropped')
      dropped = { by: line.by, reason: line.reason ?? '' };
    doubt = line.doubt ?? doubt;
    const begin = line.restored ? end : Date.parse(line.confirmed_at ?? line.at);
    if (line.restored) story.push({ at: begin, words: 'Restored by a person' });
    if (line.confirmed_at !== undefined) story.push({ at: begin, words: 'Confirmed by its address' });
    for (const one of line.deliveries ?? []) add(Math.min(end, begin + (one.ms ?? line.ms)), one, line);
    if (!line.restored) story.push({ at: end, words: answered(line.result, line.by, line.reason) });
  }
  // No store has it any more, and no line says why.
  if (entry.state === 'unknown')
    for (const [key, row] of rows) if (row.result === 'kept') rows.set(key, { ...row, result: 'unknown' });

  for (const kept of entry.kept) addKept(rows, kept, form);
  if (rows.size === 0 && lines.length === 0 && entry.state === 'unknown') {
    for (const [output, { type, transport }] of form?.outputs.entries() ?? [])
      rows.set(String(output), {
        output,
        type,
        target: transport?.target,
        result: 'unknown',
        at: entry.receivedAt,
      });
  }
  return {
    deliveries: [...rows.values()].sort((a, b) => a.output - b.output || a.at - b.at),
    story: story.sort((a, b) => a.at - b.at),
    dropped,
    doubt,
  };
}

/** Adds a delivery that a store still has, of which the journal says nothing, or something older. */
function addKept(
  rows: Map<string, Delivery>,
  { id, nextAt, waitsForOwner }: KeptAt,
  form: Form | undefined,
): void {
  const output = Number(/-(\d+)$/.exec(id)?.[1]);
  if (!Number.isSafeInteger(output)) return;
  const known = rows.get(String(output));
  const now = form?.outputs[output];
  const {
    type = now?.type ?? 'unknown',
    target = now?.transport?.target,
    at = 0,
    reason,
    attempts,
  } = known ?? {};
  const row = known?.result === 'kept' ? known : { output, type, target, at, reason, attempts };
  const fresh = {
    ...(nextAt !== undefined && { nextAt }),
    ...(waitsForOwner !== undefined && { waitsForOwner }),
  };
  rows.set(String(output), { ...row, ...fresh, result: 'kept' });
}

const results: Readonly<Record<string, Delivery['result']>> = {
  delivered: 'delivered',
  failed: 'failed',
  kept: 'kept',
  skipped: 'skipped',
  waiting: 'kept',
  aside: 'kept',
  deleted: 'failed',
};

function wordsOf(
  { result, attempts, ms, reason }: JournalDelivery,
  asked: 'now' | 'again' | undefined,
): string {
  const because = reason ? `: ${reason}` : '';
  const by =
    asked === undefined
      ? ''
      : asked === 'again'
        ? ' again, because a person asked for it'
        : ', because a person asked for it';
  const took = [
    ...(attempts !== undefined && attempts > 1 ? [`${attempts} attempts`] : []),
    ...(ms === undefined ? [] : [`${ms} ms`]),
  ].join(', ');
  const words: Readonly<Record<string, string>> = {
    delivered: `delivered${by}${took && ` (${took})`}`,
    failed: `failed${by}${because}`,
    kept: `kept for a later try${because}`,
    skipped: `skipped${because}`,
    waiting: `failed again and waits for its next try${because}`,
    aside: `waits for its owner${because}`,
    deleted: `deleted${by || ', because its time was over'}${because}`,
  };
  return words[result] ?? result;
}

function answered(result: string, by: string | undefined, reason: string | undefined): string {
  if (result === 'held') return 'Answered: mailed a link that confirms its address';
  const because = [by, reason].filter((one) => one !== undefined && one !== '').join(': ');
  return `Answered: ${result.replaceAll('_', ' ')}${because && ` (${because})`}`;
}
