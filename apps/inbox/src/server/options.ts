import type { Config } from '@form-relay/core/config';
import type { ActionDone, ActionRequest, Erased, Found } from '../api.ts';
import type { Audited, AuditedThing } from '../audited.ts';
import type { EntryIndex, Forms } from '../entry_index.ts';
import type { Learner } from '../learning/learner.ts';
import type { Person } from '../person.ts';
import type { Sources } from '../sources.ts';
import type { Answer, Request } from './answer.ts';

/** The parts of an inbox. */
export interface InboxOptions {
  readonly index: EntryIndex;
  readonly sources: Sources;
  /** The built `export_worker.ts`. */
  readonly exportProgram: URL;
  /** The latest config that loads. */
  readonly config: () => Config | undefined;
  /** Names the config for people. */
  readonly configName: string;
  /** The person who asks, or the answer for somebody who must sign in first. */
  readonly person: (request: Request) => Person | Answer | Promise<Person | Answer>;
  /** Whether a `Host` is this inbox's. */
  readonly isOwnHost: (host: string) => boolean;
  /** Absent: nothing can be done to submissions. */
  readonly actions?: Actions | undefined;
  /** Absent: a person's submissions can neither be erased nor exported together. */
  readonly people?: People | undefined;
  /** Absent: the inbox teaches no model. */
  readonly learner?: Learner | undefined;
  /** Resolves once it is recorded; nothing is shown or done if it rejects, with `AuditFailed`. Absent: nothing is recorded. */
  readonly audit?: ((person: Person, what: Audited, about: AuditedThing) => Promise<void>) | undefined;
  /** A file of the page, or `undefined`. */
  readonly asset: (name: string) => Promise<Uint8Array | undefined>;
  /** Learns of bugs and broken disks, without anything that was submitted. */
  readonly broken: (error: unknown) => void;
}

/** Actions on a submission. The server has checked the person's rights. Expected failures are answers in words. */
export interface Actions {
  run(id: string, request: ActionRequest): Promise<ActionDone>;
  remove(id: string): Promise<ActionDone>;
}

/** All that is stored of one person, in the forms for which somebody asks. */
export interface People {
  find(email: string, forms: Forms): Promise<Found>;
  /** JSON Lines. */
  export(email: string, forms: Forms): AsyncIterable<string>;
  /** @param ids As `find` listed them: nothing else is removed. */
  erase(email: string, ids: readonly string[], forms: Forms): Promise<Erased>;
}
