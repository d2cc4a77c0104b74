import type { Right } from './api.ts';

/** The requester: the owner with the key in the URL, or a person who signed in. */
export interface Person {
  /** Shown on the page and in the audit log. */
  readonly name: string;
  /** Identifies the account in the audit log: a hash of the provider and its user id. Absent for the owner with the key. */
  readonly subject?: string;
  /** The forms that the person may read; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  readonly canSignOut?: true;
  /** Whether the person may decide who uses the inbox. */
  readonly mayManage?: boolean;
  /** A program that reads with an API key. */
  readonly isProgram?: true;
  /**
   * Whether the session and its rights are still valid; streams ask before each event. Default: authenticates
   * the request again.
   */
  isStill?(): boolean;
}

export const maySee = (person: Person, form: string): boolean =>
  (person.forms === undefined || person.forms.has(form)) && person.may('read', form);

/** The owner of this machine, who has the key printed in the terminal. */
export const owner: Person = { name: 'you', forms: undefined, may: () => true, mayManage: true };

/** An HTTP response. In place of a person, it asks to sign in or says why access is refused. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** The body is the same for everybody until its ETag changes, so it is compressed once. */
  readonly isFixed?: true;
}

export const isAnswer = (one: Person | Answer): one is Answer => 'status' in one;

export type Gate = ReturnType<typeof createGate>;

/** Limits concurrency to `most`. Up to `mostWaiting` others wait; the rest are rejected. */
export function createGate(most: number, mostWaiting: number) {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    /** Returns `false` if too many are waiting. */
    async enter(): Promise<boolean> {
      if (inside < most) {
        inside += 1;
        return true;
      }
      if (waiting.length >= mostWaiting) return false;
      // The place is handed to the next waiter.
      await new Promise<void>((resolve) => waiting.push(resolve));
      return true;
    },
    leave(): void {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}

/** The most names remembered; in a flood of new names, the oldest are forgotten. */
const mostNames = 10_000;
const quietMs = 60_000;

/** Whether an event is the first of its name in a minute, such as a limit's first refusal. */
export function createOnset(now: () => number): (name: string) => boolean {
  const latest = new Map<string, number>();
  return (name) => {
    const last = latest.get(name) ?? -Infinity;
    if (latest.size >= mostNames) latest.clear();
    latest.set(name, now());
    return Math.abs(now() - last) > quietMs;
  };
}

/** All actions that the audit log records. */
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
  /** A limit began to refuse a person's requests; one line stands for all refusals that follow. */
  | 'limited';

/** The subject of an action: a submission, or a number of them. */
export interface AuditedThing {
  readonly form?: string | undefined;
  readonly id?: string | undefined;
  readonly count?: number | undefined;
  /** The address or key whose rights change. */
  readonly whom?: string | undefined;
  /** The limit that was reached. */
  readonly limit?: string | undefined;
  /** The action in the line before failed, at least for some. */
  readonly failed?: true | undefined;
}

/** A line of the audit log could not be written, so the action was not carried out. */
export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
  constructor() {
    super("The audit log cannot be written, so the request was rejected. The reason is in the inbox's log.");
  }
}
