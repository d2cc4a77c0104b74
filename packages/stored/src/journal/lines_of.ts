/** The lines of one submission in an order in which the last word on an output is true. */
import type { DeliveryLine, JournalLine, SubmissionLine } from '@form-relay/telemetry/journal/lines';
import { readLine } from './read_line.ts';

export type LineOfSubmission = Exclude<JournalLine, { kind: 'stats' }>;

/**
 * Each process writes files of its own, so a retry may be read before the submission that it belongs to. Text that is no
 * line says nothing.
 */
export function linesOf(texts: readonly string[]): readonly LineOfSubmission[] {
  const lines: LineOfSubmission[] = [];
  for (const text of texts) {
    const line = readLine(text);
    if (line && line.kind !== 'stats') lines.push(line);
  }
  return lines.length < 2 ? lines : lines.sort((a, b) => rank(a) - rank(b) || endOf(a) - endOf(b));
}

/** A submission is answered before anything else happens to it. Those who confirm twice may be answered twice. */
function rank(line: LineOfSubmission): number {
  if (line.kind === 'delivery' || line.restored) return 3;
  if (line.result === 'held') return 0;
  return ['delivered', 'kept', 'aside'].includes(line.result) ? 2 : 1;
}

/** When what the line tells was over. */
export const endOf = (line: LineOfSubmission): number =>
  line.kind === 'delivery' ? Date.parse(line.at) : answeredFrom(line) + line.ms;

const answeredFrom = ({ at, confirmed_at }: SubmissionLine): number => Date.parse(confirmed_at ?? at);

/** When the submission came in; of a retry, as far as it tells. */
export const receivedAt = (line: LineOfSubmission): number =>
  Date.parse(line.at) - (line.kind === 'delivery' ? (line.age_ms ?? 0) : 0);

/** A delivery under a key of its own, beside the one that the submission owed. */
export const isAgain = (line: LineOfSubmission): line is DeliveryLine =>
  line.kind === 'delivery' && line.asked === 'again';

/** Set aside, whether its outputs for that took it or it is kept for them. */
export const isSetAside = ({ result, doubt }: SubmissionLine): boolean =>
  result === 'aside' || (result === 'kept' && doubt?.action === 'aside');
