import type { Form, JournalDelivery, JournalLine } from '@form-relay/relay/base';
import type { Delivery, Letter } from '../api.ts';
import type { IndexedEntry, KeptAt } from '../entry_index.ts';

type Told = Pick<Letter, 'deliveries' | 'story' | 'dropped' | 'doubt'>;

/** The story that journal and stores tell of a submission. Without a line in the journal, its deliveries are unknown. */
export function tell(entry: IndexedEntry, form: Form | undefined): Told {
  const lines = entry.journal.flatMap(readLine);
  const rows = new Map<string, Delivery>();
  const story: { at: number; words: string }[] = [{ at: entry.receivedAt, words: 'Received' }];
  let dropped: Told['dropped'];
  let doubt: Told['doubt'];
  const targetOf = ({ output, type }: Pick<JournalDelivery, 'output' | 'type'>) => {
    const now = form?.outputs[output];
    return now?.type === type ? now.target?.name : undefined;
  };
  const add = (at: number, one: JournalDelivery, asked?: 'now' | 'again', agedMs?: number) => {
    const isAgain = asked === 'again';
    const target = targetOf(one);
    const { output, type, attempts, reason } = one;
    const row: Delivery = {
      output,
      type,
      target,
      result: results[one.result] ?? 'unknown',
      at,
      attempts,
      ms: agedMs ?? one.ms,
      reason,
      ...(one.result === 'aside' && { waitsForOwner: true }),
      ...(isAgain && { isAgain }),
    };
    rows.set(isAgain ? `${output} again ${rows.size}` : String(output), row);
    story.push({ at, words: `${target ? `${type} to ${target}` : type}: ${wordsOf(one, asked)}` });
  };
  for (const line of lines) {
    const at = Date.parse(line.at);
    if (line.kind === 'delivery') {
      add(at, line, line.asked, line.age_ms);
    } else if (line.kind === 'submission') {
      if (line.by !== undefined && entry.state === 'dropped')
        dropped = { by: line.by, reason: line.reason ?? '' };
      doubt = line.doubt ?? doubt;
      const end = at + line.ms;
      if (line.restored) story.push({ at, words: 'Restored by a person' });
      for (const one of line.deliveries ?? []) add(at + (one.ms ?? line.ms), one);
      story.push({ at: end, words: answered(line.result, line.by, line.reason) });
    }
  }
  for (const kept of entry.kept) addKept(rows, kept, form);
  if (rows.size === 0 && lines.length === 0 && entry.state === 'unknown') {
    for (const [output, { type, target }] of form?.outputs.entries() ?? [])
      rows.set(String(output), {
        output,
        type,
        target: target?.name,
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
  const { type = now?.type ?? 'unknown', target = now?.target?.name, at = 0, reason, attempts } = known ?? {};
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
    deleted: `deleted, because its time was over${because}`,
  };
  return words[result] ?? result;
}

function answered(result: string, by: string | undefined, reason: string | undefined): string {
  const because = [by, reason].filter((one) => one !== undefined && one !== '').join(': ');
  return `Answered: ${result.replaceAll('_', ' ')}${because && ` (${because})`}`;
}

/** A planted line must not take the letter with it. */
function readLine(text: string): readonly JournalLine[] {
  try {
    const line = JSON.parse(text) as Partial<JournalLine> | null;
    const isRight =
      typeof line?.at === 'string' &&
      !Number.isNaN(Date.parse(line.at)) &&
      (line.kind === 'delivery'
        ? isDelivery(line)
        : line.kind === 'submission' &&
          typeof line.ms === 'number' &&
          typeof line.result === 'string' &&
          (line.deliveries === undefined ||
            (Array.isArray(line.deliveries) && line.deliveries.every(isDelivery))));
    return isRight ? [line as JournalLine] : [];
  } catch {
    return [];
  }
}

const isDelivery = (one: unknown): boolean =>
  typeof one === 'object' &&
  one !== null &&
  Number.isSafeInteger((one as JournalDelivery).output) &&
  typeof (one as JournalDelivery).type === 'string' &&
  typeof (one as JournalDelivery).result === 'string';
