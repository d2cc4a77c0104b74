import { err, ok, type Result } from '@form-relay/base/result';
import type { Config } from '@form-relay/core/config';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Unseal } from '@form-relay/stored/archive/read_entry';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { DeliverAll } from '../actions/deliver.ts';
import type { People } from '../actions/people.ts';
import { type ActionDone, type ActionRequest, type Mark, type Query, standings, states } from '../api.ts';
import type { EntryIndex, Sources } from '../entry_index.ts';
import type { Audited, AuditedThing, Person } from '../gate.ts';
import type { Learner } from '../learning/learner.ts';
import type { Outbox } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { Accounts } from '../team/accounts.ts';
import type { Sessions } from '../team/sessions.ts';
import type { WorkStore } from '../work/work.ts';
import type { Answer, Request } from './answer.ts';

/** Everything that an inbox consists of. */
export interface InboxOptions {
  readonly index: EntryIndex;
  readonly sources: Sources;
  readonly unseal?: Unseal | undefined;
  readonly exportProgram: URL;
  /** The latest valid config. */
  readonly config: () => Config | undefined;
  readonly configName: string;
  /** The requester, or the answer that asks for signing in. */
  readonly person: (request: RelayRequest) => Person | Answer | Promise<Person | Answer>;
  /** Whether a `Host` header names this inbox. */
  readonly isOwnHost: (host: string) => boolean;
  /** Absent if submissions are read-only. */
  readonly actions?: Actions | undefined;
  /** Absent if everything about a person can neither be exported nor erased. */
  readonly people?: People | undefined;
  /** Absent if people cannot add anything to submissions. */
  readonly store?: Store | undefined;
  readonly work?: WorkStore | undefined;
  /** Why there is no store, in words. */
  readonly whyNoStore?: string | undefined;
  readonly outbox?: Outbox | undefined;
  /** People who may use the inbox. Requires the store. */
  readonly access?: Access | undefined;
  /** Absent if the inbox trains no model. */
  readonly learner?: Learner | undefined;
  /**
   * Resolves when the line is written. If it rejects with `AuditFailed`, nothing is shown or done. Absent if
   * nothing is recorded.
   */
  readonly audit?: ((person: Person, what: Audited, about: AuditedThing) => Promise<void>) | undefined;
  /** A file of the page, or `undefined`. */
  readonly asset: (name: string) => Promise<Uint8Array | undefined>;
  /** Reports bugs and disk errors, without submitted data. */
  readonly broken: (error: unknown) => void;
}

/** People, their sessions, and API keys. */
export interface Access {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  /** The secret of the session behind a request. */
  readonly secretOf?: ((request: Request) => string) | undefined;
  /** The current `inbox` settings in the config. */
  readonly settings: () => InboxSettings | undefined;
  readonly now: () => number;
}

/** Actions on a submission. The server has already checked the person's rights. Expected failures are returned as text. */
export interface Actions {
  run(id: string, request: ActionRequest): Promise<ActionDone>;
  remove(id: string): Promise<ActionDone>;
  /** Retries all queued deliveries of several submissions. */
  deliverAll(forms: ReadonlyMap<string, string>, how: DeliverAll): Promise<void>;
  /** Restores the earlier mark of each submission. */
  unmark(before: ReadonlyMap<string, Mark | undefined>): Promise<void>;
}

const texts = ['search', 'form', 'reason', 'label', 'assigned'] as const;
const times = ['since', 'until'] as const;
const words: Readonly<Record<string, readonly [known: readonly string[], why: string]>> = {
  state: [[...states, ...standings], 'unknown state'],
  mark: [['spam', 'ham', 'none'], 'mark must be spam, ham or none'],
  work: [['open', 'done'], 'work must be open or done'],
};
const longest = 1_000;

/** Reads the filters from a URL. */
export function readQuery(given: URLSearchParams): Result<Query, string> {
  const query: { -readonly [key in keyof Query]: Query[key] } = {};
  for (const name of texts) {
    const text = given.get(name);
    if (text === null || text === '') continue;
    if (text.length > longest) return err(`${name} is longer than ${longest} characters`);
    query[name] = text;
  }
  for (const name of times) {
    const text = given.get(name);
    if (text === null || text === '') continue;
    const time = Number(text);
    if (!Number.isSafeInteger(time)) return err(`${name} must be a time in milliseconds`);
    query[name] = time;
  }
  for (const [name, [known, why]] of Object.entries(words)) {
    const word = given.get(name);
    if (word && !known.includes(word)) return err(why);
    if (word) Object.assign(query, { [name]: word });
  }
  if (['true', '1'].includes(given.get('unread') ?? '')) query.unread = true;
  return ok(query);
}

/** A whole number in a URL; `undefined` if it is malformed or out of range. */
export function numberIn(given: URLSearchParams, name: string, otherwise: number, most: number) {
  const text = given.get(name);
  if (text === null) return otherwise;
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number <= most ? number : undefined;
}
