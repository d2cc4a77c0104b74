import { err, ok, type Result } from '@form-relay/base/result';
import type { Config } from '@form-relay/core/config';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Unseal } from '@form-relay/stored/archive/read_entry';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { DeliverAll } from '../actions/deliver.ts';
import {
  type ActionDone,
  type ActionRequest,
  type Erased,
  type Found,
  type Mark,
  type Query,
  standings,
  states,
} from '../api.ts';
import type { EntryIndex, Forms, Sources } from '../entry_index.ts';
import type { Audited, AuditedThing, Person } from '../gate.ts';
import type { Learner } from '../learning/learner.ts';
import type { Outbox } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { Accounts } from '../team/accounts.ts';
import type { Sessions } from '../team/sessions.ts';
import type { WorkStore } from '../work/work.ts';
import type { Answer, Request } from './answer.ts';

/** The parts of an inbox. */
export interface InboxOptions {
  readonly index: EntryIndex;
  readonly sources: Sources;
  /** Opens sealed submissions, with the key of their owner. */
  readonly unseal?: Unseal | undefined;
  /** The built `export_worker.ts`. */
  readonly exportProgram: URL;
  /** The latest config that loads. */
  readonly config: () => Config | undefined;
  /** Names the config for people. */
  readonly configName: string;
  /** The person who asks, or the answer for somebody who must sign in first. */
  readonly person: (request: RelayRequest) => Person | Answer | Promise<Person | Answer>;
  /** Whether a `Host` is this inbox's. */
  readonly isOwnHost: (host: string) => boolean;
  /** Absent: nothing can be done to submissions. */
  readonly actions?: Actions | undefined;
  /** Absent: a person's submissions can neither be erased nor exported together. */
  readonly people?: People | undefined;
  /** Absent: people can add nothing to submissions. */
  readonly store?: Store | undefined;
  readonly work?: WorkStore | undefined;
  /** In words: why there is no store. */
  readonly whyNoStore?: string | undefined;
  /** Sends mails through the outputs of the config. */
  readonly outbox?: Outbox | undefined;
  /** The people who may use the inbox. Needs the store. */
  readonly access?: Access | undefined;
  /** Absent: the inbox teaches no model. */
  readonly learner?: Learner | undefined;
  /** Resolves once it is recorded; nothing is shown or done if it rejects, with `AuditFailed`. Absent: nothing is recorded. */
  readonly audit?: ((person: Person, what: Audited, about: AuditedThing) => Promise<void>) | undefined;
  /** A file of the page, or `undefined`. */
  readonly asset: (name: string) => Promise<Uint8Array | undefined>;
  /** Learns of bugs and broken disks, without anything that was submitted. */
  readonly broken: (error: unknown) => void;
}

/** People, their sessions, and the keys of programs. */
export interface Access {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  /** The secret of the session that sent a request. */
  readonly secretOf?: ((request: Request) => string) | undefined;
  /** The `inbox` of the config as it is now. */
  readonly settings: () => InboxSettings | undefined;
  readonly now: () => number;
}

/** Actions on a submission. The server has checked the person's rights. Expected failures are answers in words. */
export interface Actions {
  run(id: string, request: ActionRequest): Promise<ActionDone>;
  remove(id: string): Promise<ActionDone>;
  /** Tries all kept deliveries of several. */
  deliverAll(forms: ReadonlyMap<string, string>, how: DeliverAll): Promise<void>;
  /** Gives each its mark of before. */
  unmark(before: ReadonlyMap<string, Mark | undefined>): Promise<void>;
}

/** All that is stored of one person, in the forms for which somebody asks. */
export interface People {
  find(email: string, forms: Forms): Promise<Found>;
  /** JSON Lines. */
  export(email: string, forms: Forms): AsyncIterable<string>;
  /** @param ids As `find` listed them: nothing else is removed. */
  erase(email: string, ids: readonly string[], forms: Forms): Promise<Erased>;
}

const texts = ['search', 'form', 'reason', 'label', 'assigned'] as const;
const times = ['since', 'until'] as const;
const longest = 1_000;

/** The choice of entries in an address. */
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
  const state = given.get('state') || undefined;
  const known = [...states, ...standings].find((one) => one === state);
  if (state !== undefined && !known) return err('unknown state');
  if (known) query.state = known;
  const mark = given.get('mark') || undefined;
  const knownMark = (['spam', 'ham', 'none'] as const).find((one) => one === mark);
  if (mark !== undefined && !knownMark) return err('mark must be spam, ham or none');
  if (knownMark) query.mark = knownMark;
  const work = given.get('work') || undefined;
  if (work !== undefined && work !== 'open' && work !== 'done') return err('work must be open or done');
  if (work) query.work = work;
  if (['true', '1'].includes(given.get('unread') ?? '')) query.unread = true;
  return ok(query);
}

/** A whole number in an address. `undefined` if it is none, or out of bounds. */
export function numberIn(given: URLSearchParams, name: string, otherwise: number, most: number) {
  const text = given.get(name);
  if (text === null) return otherwise;
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number <= most ? number : undefined;
}
