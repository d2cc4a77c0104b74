/** Counts of what may run out, and the stores that hold them. */
import type { KeepPlace } from './kept.ts';

/** Where counts are. `name`: the place for people, without credentials. */
export type CountPlace =
  | Exclude<KeepPlace, { readonly kind: 'sqs' | 'queue' }>
  | { readonly kind: 'durable-object'; readonly name: string; readonly binding: string }
  | { readonly kind: 'dynamodb'; readonly name: string; readonly table: string };

/** A text under a key, and which version of it was read. */
export interface Versioned {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
  /** Opaque: only the store that gave it reads it. */
  readonly version: string;
}

/** Texts under keys. Those who write name the version that they have read, so that no change gets lost. Rejects with a `ClientError`. */
export interface CountStore {
  /** @param key Parts of `a-z`, digits, `_`, `-` and `=`, with slashes between them. */
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /**
   * Replaces what was read. Resolves with `true` once the text is there for good. `false`: another version is there, or
   * it is unknown whether the text got there; who reads again will know.
   */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Forgets a text that nobody else uses. */
  remove(key: string, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Something of which there may be only so many, such as the places of a form or of one option. */
export interface Claim {
  readonly key: string;
  readonly limit: number;
}

export interface Reservation {
  /** The submission's. Reserving twice under one id takes once. */
  readonly id: string;
  /** All of them are taken, or none is. */
  readonly claims: readonly Claim[];
  /** Whether the id is remembered once it is settled, for submissions that may come again. */
  readonly isRemembered: boolean;
  /** What was settled longer ago no longer counts, in milliseconds. Default: it always counts. */
  readonly forMs?: number | undefined;
  /** Takes the place of reservations whose outcome a crash hid. Default: they count. */
  readonly replacesHidden?: boolean | undefined;
  /** How long to wait until others that have reserved the claims are delivered or not, in milliseconds. Default: not at all. */
  readonly waitMs?: number | undefined;
}

export interface Reserving {
  /** The keys of which none is left; empty: all is reserved, durably. */
  readonly full: readonly string[];
  readonly tally: Tally;
}

/** Counts exactly, with others who count in the same store. All methods reject with a `ClientError` if the store fails. */
export interface Counter {
  reserve(key: string, wanted: Reservation): Promise<Reserving>;
  /** What was reserved under the id is taken for good. */
  settle(key: string, id: string): Promise<void>;
  /** What was reserved under the id, and not settled, is free again. Resolves with whether there was any. */
  release(key: string, id: string): Promise<boolean>;
  /** @param isRecent Whether an answer of the last second will do. */
  read(key: string, isRecent?: boolean): Promise<Tally>;
  /** Sets how many are taken, without those that are reserved. Resolves with the result. */
  correct(key: string, of: string, taken: number): Promise<Tally>;
  /**
   * Changes a text that is no tally. `make` may be called again, with what others have written meanwhile; the text that it
   * got says that nothing changes.
   */
  change(key: string, make: (text: string | undefined) => string | undefined): Promise<void>;
}

/** What is counted under one key of a store. */
export interface Tally {
  readonly taken: ReadonlyMap<string, Taken>;
  /** By id: reserved, with an outcome that is not known yet. */
  readonly open: ReadonlyMap<string, Open>;
}

export interface Taken {
  readonly count: number;
  /** When it was last settled, in seconds since the epoch. */
  readonly at: number;
  /** Short forms of the ids that are remembered, one after the other. */
  readonly ids: string;
}

export interface Open {
  /** In seconds since the epoch. */
  readonly at: number;
  readonly isRemembered: boolean;
  readonly keys: readonly string[];
}

export type OpenTexts = (place: CountPlace) => Promise<CountStore>;

export type OpenCounter = (place: CountPlace) => Promise<Counter>;
