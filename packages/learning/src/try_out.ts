/** Evaluates a model on newer messages than it was trained on. */
import { type Model, oddsOf, type Step, strengthOf } from '@form-relay/spam/lists/model';
import type { Marked } from './learn.ts';
import { type Lesson, train } from './train.ts';

/** How many of the newer spam messages were caught without flagging more than this number of wanted ones. */
export interface Caught {
  readonly caught: number;
  readonly falseAlarms: number;
  /** The bounds of the share caught: Wilson's 95% interval (1927). */
  readonly from: number;
  readonly to: number;
}

export interface Trial {
  /** Newer messages, without near copies. */
  readonly spam: number;
  readonly people: number;
  readonly atNone: Caught;
  /** At one false positive per 200 people, rounded down, which is the most that may get points. */
  readonly atHalf: Caught;
  readonly steps: readonly Step[];
  /** How many messages get points. */
  readonly reached: { readonly spam: number; readonly people: number };
  /** Spam that gets no points and people who get some, the worst first. */
  readonly wrong: readonly { readonly id: string; readonly isSpam: boolean }[];
}

/** The parts of each kind that a model is trained on, oldest first. Each model is evaluated on the messages up to the next part. */
const shares = [0.4, 0.6, 0.8, 1];
const mostSteps = 24;
/** The largest share of people who may get points at all. */
const mostPeople = 0.005;
/**
 * Lower scores count nothing: the model itself must say spam by at least 3 to 1, even if no person has
 * reached the score so far.
 */
const leastOdds = 1;

/** A message with the log-odds that the model gives it of being spam. */
export interface Scored extends Lesson {
  readonly odds: number;
}

/**
 * Scores each newer message with a model trained only on older ones (forward chaining).
 *
 * @param lessons Oldest first. Must hold no copies: a copy would be both training and test data.
 * @param also Further lessons for each of these models; they are not scored.
 */
export function scoredByOlder(lessons: readonly Lesson[], also: readonly Lesson[] = []): readonly Scored[] {
  const kinds = [true, false].map((kind) => lessons.filter(({ isSpam }) => isSpam === kind));
  const part = (from: number, to: number) =>
    kinds.flatMap((own) => own.slice(Math.floor(own.length * from), Math.floor(own.length * to)));
  return shares.slice(1).flatMap((share, nth) => {
    const olderShare = shares[nth] as number;
    return scoredBy(train([...part(0, olderShare), ...also]), part(olderShare, share));
  });
}

export const scoredBy = (
  model: Pick<Model, 'weights' | 'scale' | 'bias'>,
  lessons: readonly Lesson[],
): readonly Scored[] => lessons.map((one) => ({ ...one, odds: oddsOf(model, one.features) }));

/** Evaluates messages that were scored by models not trained on them. */
export function judged(scored: readonly Scored[]): Trial {
  const [spam, people] = [true, false].map((kind) =>
    scored.flatMap(({ isSpam, odds }) => (isSpam === kind ? odds : [])).toSorted((a, b) => b - a),
  ) as [number[], number[]];
  const steps = stepsOf(spam, people);
  const isReached = (odds: number) => strengthOf({ steps }, odds) > 0;
  return {
    spam: spam.length,
    people: people.length,
    atNone: caughtAt(spam, people, 0),
    atHalf: caughtAt(spam, people, Math.floor(people.length * mostPeople)),
    steps,
    reached: { spam: spam.filter(isReached).length, people: people.filter(isReached).length },
    wrong: scored
      .filter(({ isSpam, odds }) => isSpam !== isReached(odds))
      .toSorted((one, other) => Math.abs(other.odds) - Math.abs(one.odds))
      .map(({ id, isSpam }) => ({ id, isSpam })),
  };
}

function caughtAt(spam: readonly number[], people: readonly number[], falseAlarms: number): Caught {
  const limit = people[falseAlarms] ?? -Infinity;
  const caught = spam.filter((odds) => odds > limit).length;
  return { caught, falseAlarms, ...wilson(caught, spam.length) };
}

/**
 * How much each score counts, by its likelihood ratio: how many times as often spam reaches it as people do. Each share
 * is the one expected of the next message (Laplace's rule of succession), not the observed one: if no person among 60
 * reached a score, the share is about one in 61. A ratio of 3 counts nothing, and a ratio of 300 counts in full.
 */
function stepsOf(spam: readonly number[], people: readonly number[]): readonly Step[] {
  const steps: Step[] = [];
  let best = 0;
  const every = Math.max(1, Math.floor(spam.length / mostSteps));
  for (let nth = spam.length; nth > 0; nth -= every) {
    const from = Math.max(leastOdds, spam[nth - 1] as number);
    const [caught, reached] = [spam, people].map((some) => some.filter((odds) => odds >= from).length) as [
      number,
      number,
    ];
    if (caught === 0 || reached > mostReached(people.length)) continue;
    const ratio = expected(caught, spam.length) / expected(reached + 1, people.length);
    const strength = Math.min(1, Math.max(0, (Math.log10(ratio) - 0.5) / 2));
    if (strength < best + 0.01) continue;
    best = strength;
    steps.push({ from, strength });
  }
  return steps;
}

/** A single message may be marked by mistake. Among fewer than 50, one is too large a share. */
const mostReached = (people: number): number =>
  people < 50 ? 0 : Math.max(1, Math.floor(people * mostPeople));

const expected = (count: number, of: number): number => count / (of + 1);

/**
 * The upper bound of a share of other messages, with 95% confidence. If none of n was observed, the bound is
 * 3/n (rule of three; Hanley and Lippman-Hand, 1983).
 */
export const mostOfOthers = (count: number, of: number): number =>
  count === 0 ? Math.min(1, 3 / Math.max(1, of)) : wilson(count, of).to;

/** The bounds of a share, with 95% confidence. */
export function wilson(count: number, of: number): { readonly from: number; readonly to: number } {
  if (of === 0) return { from: 0, to: 1 };
  const z = 1.96;
  const share = count / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const reach = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return { from: Math.max(0, middle - reach), to: Math.min(1, middle + reach) };
}

/** Formats a share as `92.4%`. */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10}%`;

/** A file of marked messages, with one JSON object per line. */
interface MessageFile {
  readonly name: string;
  /** The time of reading, in milliseconds since the epoch. No message is newer. */
  readonly now: number;
  /** Receives the place of each invalid line, such as `line 7`, and the reason. */
  readonly tell: (place: string, why: string) => void;
}

/** Names of keys for each part of a message, including those of other tools. The first one found counts. */
const keys = {
  text: ['text', 'message', 'body', 'content', 'comment'],
  label: ['label', 'spam', 'is_spam', 'class', 'category', 'verdict'],
  at: ['at', 'date', 'time', 'timestamp', 'received', 'received_at', 'created_at'],
  id: ['id'],
};

const isSpamBy: ReadonlyMap<string, boolean> = new Map([
  ...['spam', 'yes', 'true', '1'].map((mark) => [mark, true] as const),
  ...['ham', 'human', 'not_spam', 'no', 'false', '0'].map((mark) => [mark, false] as const),
]);

/** The messages of a file that have both a text and a mark. */
export function* markedLines(text: string, file: MessageFile): Generator<Marked> {
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    const read = readLine(line, place, file);
    if (typeof read === 'string') file.tell(place, read);
    else yield read;
  }
}

/** The message, or why the line has none. */
function readLine(line: string, place: string, { name, now }: MessageFile): Marked | string {
  let message: Readonly<Record<string, unknown>>;
  try {
    message = Object(JSON.parse(line));
  } catch {
    return 'is not JSON';
  }
  const of = (part: keyof typeof keys) =>
    keys[part].map((key) => message[key]).find((value) => value !== undefined);
  const text = of('text');
  const isSpam = isSpamBy.get(String(of('label')).trim().toLowerCase().replaceAll(/[ -]/g, '_'));
  if (typeof text !== 'string') return 'has no text';
  if (isSpam === undefined) return 'has no known label';
  return { id: String(of('id') ?? `${name}, ${place}`), texts: [text], isSpam, at: timeOf(of('at'), now) };
}

/** When a message was received, in milliseconds since the epoch; 0 if that is unknown or in the future. */
function timeOf(said: unknown, now: number): number {
  const at = typeof said === 'string' ? Date.parse(said) : Number.NaN;
  return at > 0 && at <= now ? at : 0;
}
