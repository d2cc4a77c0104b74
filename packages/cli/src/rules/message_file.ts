/** A file of messages, as a reader of such files gets it. */
export interface MessageFile {
  readonly name: string;
  /** Whether all of its messages are spam; `undefined` if each of them says so itself. */
  readonly areSpam: boolean | undefined;
  /** Milliseconds since the epoch. Nothing came after it. */
  readonly now: number;
  /** Gets the place of each part that is no message, such as `row 7`, and why. */
  readonly tell: (place: string, why: string) => void;
}

/** Lists the names of columns and JSON keys for each part of a message; the first one found counts. */
export const namesOf = {
  text: ['text', 'message', 'body', 'content', 'comment'],
  label: ['label', 'spam', 'is_spam', 'class', 'category', 'verdict'],
  at: ['at', 'date', 'time', 'timestamp', 'received', 'received_at', 'created_at'],
  id: ['id'],
} as const;

/** The marks that files have, from this and from other tools. */
const marks: Readonly<Record<string, boolean>> = {
  ...{ spam: true, yes: true, true: true, 1: true },
  ...{ ham: false, human: false, not_spam: false, no: false, false: false, 0: false },
};

/** Whether a mark says spam; `undefined` if it is none. */
export const isSpamBy = (mark: unknown): boolean | undefined => {
  const word = String(mark).trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return Object.hasOwn(marks, word) ? marks[word] : undefined;
};

/** When a message came, in milliseconds since the epoch; 0 if nobody knows, or if it is yet to come. */
export function timeOf(said: unknown, now: number): number {
  const at = typeof said === 'string' ? Date.parse(said) : Number.NaN;
  return at > 0 && at <= now ? at : 0;
}
