/** Counts of what may run out, and the stores that hold them. */

/** A text under a key, and the version that was read. */
export interface Versioned {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
  /** Opaque: only the store that gave it reads it. */
  readonly version: string;
}

/**
 * Texts under keys. A writer names the version that it read, so that no change gets lost. Keys are made of `a-z`, digits, `_`, `-`
 * and `=`, with slashes between them. Rejects with a `ClientError`.
 */
export interface CounterStore {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /**
   * Replaces what was read. Resolves with `true` once the text is stored. `false`: another version is there, or the outcome is
   * unknown; reading again tells.
   */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process uses. */
  remove(key: string, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** A limit that a submission counts towards, such as the places of a form or of one option. */
export interface Claim {
  readonly key: string;
  readonly limit: number;
}

export interface Reservation {
  /** The submission's id. Reserving twice under one id counts once. */
  readonly id: string;
  /** Either all of them are reserved, or none is. */
  readonly claims: readonly Claim[];
  /** Whether the id is remembered once it is settled, for submissions that may come again. */
  readonly isRemembered: boolean;
  /** Ignores settled reservations that are older, in milliseconds. Default: never. */
  readonly forMs?: number | undefined;
  /** Replaces stale reservations. Default: they count. */
  readonly replacesStale?: boolean | undefined;
  /** How long to wait for other reservations of the claims to be settled or released, in milliseconds. Default: 0. */
  readonly waitMs?: number | undefined;
}

export interface Reserving {
  /** The keys that are full. Empty: everything is reserved, durably. */
  readonly full: readonly string[];
  readonly tally: Tally;
}

/** Counts exactly, together with other processes that use the same store. Its methods reject with a `ClientError`. */
export interface Counter {
  reserve(key: string, wanted: Reservation): Promise<Reserving>;
  /** Counts the reservation under the id for good. */
  settle(key: string, id: string): Promise<void>;
  /** Frees the reservation under the id, unless it is settled. Resolves with whether there was one. */
  release(key: string, id: string): Promise<boolean>;
  /** @param isRecent Whether an answer of the last second will do. */
  read(key: string, isRecent?: boolean): Promise<Tally>;
  /** Sets the count without reservations. Resolves with the result. */
  correct(key: string, of: string, taken: number): Promise<Tally>;
  /**
   * Changes a text that is not a tally. `make` may be called again, with what others have written meanwhile; it returns the text
   * that it got if nothing changes.
   */
  change(key: string, make: (text: string | undefined) => string | undefined): Promise<void>;
}

/** The counts under one key of a store. */
export interface Tally {
  readonly taken: ReadonlyMap<string, Taken>;
  /** Reservations by id, whose outcome is unknown. */
  readonly open: ReadonlyMap<string, Open>;
}

export interface Taken {
  readonly count: number;
  /** When it was last settled, in seconds since the epoch. */
  readonly at: number;
  /** Short forms of the ids that are remembered, joined. */
  readonly ids: string;
}

export interface Open {
  /** In seconds since the epoch. */
  readonly at: number;
  readonly isRemembered: boolean;
  readonly keys: readonly string[];
}
