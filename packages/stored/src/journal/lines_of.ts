/** The lines of one submission in an order in which the last word on an output is true. */
import type { DeliveryLine, JournalLine, SubmissionLine } from '@form-relay/telemetry/journal/lines';

/** Processes write files of their own, so a retry may be read before its submission. Text that is no line says nothing. */
export function linesOf(texts: readonly string[]): readonly JournalLine[] {
  const lines = texts.map(readLine).filter((line) => line !== undefined);
  return lines.sort((a, b) => rank(a) - rank(b) || endOf(a) - endOf(b));
}

/** A submission is answered before anything else happens to it. Those who confirm twice may be answered twice. */
function rank(line: JournalLine): number {
  if (line.kind === 'delivery' || line.restored) return 3;
  if (line.result === 'held') return 0;
  return ['delivered', 'kept', 'aside'].includes(line.result) ? 2 : 1;
}

/** When what the line tells was over. */
export const endOf = (line: JournalLine): number =>
  line.kind === 'delivery' ? Date.parse(line.at) : answeredFrom(line) + line.ms;

const answeredFrom = ({ at, confirmed_at }: SubmissionLine): number => Date.parse(confirmed_at ?? at);

/** When the submission came in; of a retry, as far as it tells. */
export const receivedAt = (line: JournalLine): number =>
  Date.parse(line.at) - (line.kind === 'delivery' ? (line.age_ms ?? 0) : 0);

/** A delivery under a key of its own, beside the one that the submission owed. */
export const isAgain = (line: JournalLine): line is DeliveryLine =>
  line.kind === 'delivery' && line.asked === 'again';

/** Set aside, whether its outputs for that took it or it is kept for them. */
export const isSetAside = ({ result, doubt }: SubmissionLine): boolean =>
  result === 'aside' || (result === 'kept' && doubt?.action === 'aside');

/** A line holds no values, so that it is never long. */
const mostCharacters = 100_000;

/** `undefined`: it is no line of a journal. */
export function readLine(text: string): JournalLine | undefined {
  if (text.length > mostCharacters) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

type Raw = Readonly<Record<string, unknown>>;

function isLine(line: unknown): line is JournalLine {
  if (!isMap(line) || !isTime(line.at) || typeof line.form !== 'string') return false;
  switch (line.kind) {
    case 'submission':
      return (
        typeof line.id === 'string' &&
        typeof line.result === 'string' &&
        isAmount(line.ms) &&
        isOr(line.by, isText) &&
        isOr(line.reason, isText) &&
        isOr(line.doubt, isDoubt) &&
        isOr(line.restored, (restored) => restored === true) &&
        isOr(line.confirmed_at, isTime) &&
        isOr(line.deliveries, (list) => Array.isArray(list) && list.every(isDelivery))
      );
    case 'delivery':
      return (
        typeof line.id === 'string' &&
        isDelivery(line) &&
        isOr(line.age_ms, isAmount) &&
        isOr(line.asked, (asked) => asked === 'now' || asked === 'again')
      );
    default:
      return false;
  }
}

const isDelivery = (one: unknown): boolean =>
  isMap(one) &&
  Number.isSafeInteger(one.output) &&
  typeof one.type === 'string' &&
  typeof one.result === 'string' &&
  isOr(one.attempts, isAmount) &&
  isOr(one.ms, isAmount) &&
  isOr(one.reason, isText);

const isDoubt = (doubt: unknown): boolean =>
  isMap(doubt) &&
  typeof doubt.score === 'number' &&
  isOr(doubt.action, isText) &&
  isMap(doubt.signals) &&
  Object.values(doubt.signals).every((points) => typeof points === 'number') &&
  isOr(doubt.similar, isSimilar);

const isSimilar = (similar: unknown): boolean =>
  isMap(similar) &&
  isAmount(similar.count) &&
  isTime(similar.since) &&
  Array.isArray(similar.ids) &&
  similar.ids.every(isText);

const isMap = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOr = (value: unknown, isRight: (value: unknown) => boolean): boolean =>
  value === undefined || isRight(value);

const isText = (value: unknown): boolean => typeof value === 'string';

/** A time plus so many milliseconds is still a time. */
const mostAmount = 1e15;

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= mostAmount;

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && time.test(value) && !Number.isNaN(Date.parse(value));
