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
  /** Says who may use the inbox. */
  readonly mayManage?: boolean;
  /** Reads with a key. */
  readonly isProgram?: true;
  /** Whether the session and its rights still hold, which streams ask before each event. Default: asks for the person again. */
  isStill?(): boolean;
}

export const maySee = (person: Person, form: string): boolean =>
  (person.forms === undefined || person.forms.has(form)) && person.may('read', form);

/** The owner of this machine, who has the key that the terminal printed. */
export const owner: Person = { name: 'you', forms: undefined, may: () => true, mayManage: true };

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
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** The same for everybody until its ETag changes, so that it is compressed once. */
  readonly isFixed?: true;
}

export const isAnswer = (one: Person | Answer): one is Answer => 'status' in one;

/** Lets so many in at a time; others wait, and beyond that are turned away. */
export interface Gate {
  /** `false`: too many wait. */
  enter(): Promise<boolean>;
  leave(): void;
}

export function createGate(most: number, mostWaiting: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    async enter() {
      if (inside < most) {
        inside += 1;
        return true;
      }
      if (waiting.length >= mostWaiting) return false;
      // The place of the one that leaves is handed on.
      await new Promise<void>((resolve) => waiting.push(resolve));
      return true;
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}

/** The most names remembered; a flood of new ones makes older ones start over. */
const mostNames = 10_000;
const quietMs = 60_000;

/** Says of each event whether it begins something, such as a limit that refuses: nothing of its name came for a minute. */
export function createOnset(now: () => number): (name: string) => boolean {
  const latest = new Map<string, number>();
  return (name) => {
    const last = latest.get(name) ?? -Infinity;
    if (latest.size >= mostNames) latest.clear();
    latest.set(name, now());
    return Math.abs(now() - last) > quietMs;
  };
}

/** Everything that people do and an audit log records. */
export type Audited =
  | 'opened'
  | 'downloaded'
  | 'delivered'
  | 'delivered_again'
  | 'restored'
  | 'marked'
  | 'labelled'
  | 'assigned'
  | 'done'
  | 'reopened'
  | 'noted'
  | 'note_removed'
  | 'replied'
  | 'view_saved'
  | 'marked_read'
  | 'marked_unread'
  | 'learned'
  | 'deleted'
  | 'exported'
  | 'summed_up'
  | 'person_listed'
  | 'person_exported'
  | 'person_erased'
  | 'invited'
  | 'person_changed'
  | 'person_removed'
  | 'sessions_ended'
  | 'key_made'
  | 'key_revoked'
  /** A program listed submissions with its key. */
  | 'listed'
  /** A limit began to refuse somebody's requests; it stands for all that follow at once. */
  | 'limited';

/** The submission that an action is about, or how many. */
export interface AuditedThing {
  readonly form?: string | undefined;
  readonly id?: string | undefined;
  readonly count?: number | undefined;
  /** The address or key that a change of rights is about. */
  readonly whom?: string | undefined;
  /** The limit that was reached. */
  readonly limit?: string | undefined;
  /** The act in the line before was not done, or not for all. */
  readonly failed?: true | undefined;
}

/** A line of the audit log could not be written, and what it would have recorded is not done. */
export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
  constructor() {
    super("The audit log cannot be written, so the request was rejected. The reason is in the inbox's log.");
  }
}
