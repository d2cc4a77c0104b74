import type { Right } from './api.ts';

/** The person who asks: the owner with the key in the address, or one who signed in. */
export interface Person {
  /** For the page and the audit log. */
  readonly name: string;
  /** Names the account in the audit log: a hash of the provider and its id of the person. Absent for the owner with the key. */
  readonly subject?: string;
  /** The forms of which the person may `read`; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  readonly canSignOut?: true;
  /** Whether the session and its rights still hold, which streams ask before each event. Default: asks for the person again. */
  isStill?(): boolean;
}

/** The owner of this machine, who has the key that the terminal printed. */
export const owner: Person = { name: 'you', forms: undefined, may: () => true };

/** Somebody who signed in. */
export interface Member extends Person {
  readonly subject: string;
  readonly canSignOut: true;
  /** Whether the session and its rights still hold: ask before each event of a stream. */
  isStill(): boolean;
}

/** An answer in HTTP; in place of a person it asks to sign in, or refuses in words. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

export const isAnswer = (one: Person | Answer): one is Answer => 'status' in one;
