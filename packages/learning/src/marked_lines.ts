import type { Marked } from './learn.ts';

/** A file of marked messages: a line of JSON for each. */
interface MessageFile {
  readonly name: string;
  /** Milliseconds since the epoch. Nothing came after it. */
  readonly now: number;
  /** Gets the place of each line that is no message, such as `line 7`, and why. */
  readonly tell: (place: string, why: string) => void;
}

/** Keys for each part of a message, with those of other tools; the first one found counts. */
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

/** The messages of a file that have a text and a mark. */
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

/** The message, or why there is none. */
function readLine(line: string, place: string, { name, now }: MessageFile): Marked | string {
  let message: Readonly<Record<string, unknown>>;
  try {
    message = Object(JSON.parse(line));
  } catch {
    return 'is no JSON';
  }
  const of = (part: keyof typeof keys) =>
    keys[part].map((key) => message[key]).find((value) => value !== undefined);
  const text = of('text');
  const isSpam = isSpamBy.get(String(of('label')).trim().toLowerCase().replaceAll(/[ -]/g, '_'));
  if (typeof text !== 'string') return 'has no text';
  if (isSpam === undefined) return 'has no known label';
  return { id: String(of('id') ?? `${name}, ${place}`), texts: [text], isSpam, at: timeOf(of('at'), now) };
}

/** When a message came, in milliseconds since the epoch; 0 if nobody knows, or if it is yet to come. */
function timeOf(said: unknown, now: number): number {
  const at = typeof said === 'string' ? Date.parse(said) : Number.NaN;
  return at > 0 && at <= now ? at : 0;
}
