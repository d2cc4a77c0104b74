/** The interface of stores, in which deliveries wait and counts are kept. The bundled stores use only this interface. */
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { Finding } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { Platform } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import type { Submission } from '@form-relay/core/submission';

declare module '@form-relay/core/plugin' {
  interface Plugin {
    /** Kinds of stores for `keep` and `counted_in`. */
    readonly stores?: readonly StoreType[];
  }
  interface Provided {
    /**
     * For features that declare `reads: ['shared_state']`. Not provided if the config has no store for counts
     * (`counted_in`, or that of `keep`).
     */
    readonly shared_state: SharedState;
    /**
     * For features that declare `reads: ['held']`. Not provided if the config has no `keep` at the top, or
     * `keep` names a queue, which hides waiting deliveries.
     */
    readonly held: HeldSubmissions;
  }
}

/**
 * Submissions that wait in the store of `keep` until a feature releases them. Their entries are listed like failed
 * deliveries, and encrypted if KEEP_SECRET is set. Methods reject if the store fails.
 */
export interface HeldSubmissions {
  /**
   * Call this instead of `next`: stores the deliveries of a submission. Resolves with their number once they
   * are durable; 0 if no output accepts the submission. After `until`, they become dead letters.
   */
  hold(submission: Submission, how: Hold): Promise<number>;
  /**
   * Starts delivering held submissions, as with `keep: always`. Resolves with the number of deliveries; 0 if
   * nothing is held under this key any more.
   */
  release(key: string): Promise<number>;
  /**
   * Removes held submissions. Features undo what they did for a submission (`withdraw` of what they provide).
   *
   * @param takesBack Called after the removal: whether features undo what they did. Default: yes.
   */
  drop(key: string, takesBack?: () => MaybePromise<boolean>): Promise<number>;
  /** @internal The deliveries that a form holds under the keys returned by `keyOf`, without files. */
  list(form: Form, keyOf: (held: Omit<HeldDelivery, 'output'>) => string): AsyncIterable<HeldDelivery>;
}

/** @internal */
export interface HeldDelivery {
  readonly submission: Submission;
  /** The output's index when the submission was held. */
  readonly place: number;
  /** The output's index now; `undefined` if the form no longer has the output. */
  readonly output: number | undefined;
}

export interface Hold {
  /** A key that starts with the name of the feature. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** The reason, for the owner: `the submission waits for a payment`. */
  readonly why: string;
  /** @internal The indexes of the outputs to hold it for. Default: all that accept it. */
  readonly outputs?: readonly number[];
}

/**
 * Entries of a form by key, in the store for counts. All relays that share the store change an entry one after another.
 * A key starts with the name of the feature. Methods reject if the store fails; a dry run uses memory instead.
 */
export interface SharedState {
  /** @param by The submission, the call of a route, the view of a form, or the life of the plug-in. */
  read(by: { readonly services: Services }, key: string): Promise<StateEntry | undefined>;
  /**
   * Replaces an entry by the result of `make`; `undefined` removes it. `make` gets the current entry, and is called
   * again if another process has changed the entry in the meantime. Resolves with the new entry once that is durable.
   */
  change(
    by: { readonly services: Services },
    key: string,
    make: (entry: StateEntry | undefined) => StateEntry | undefined,
  ): Promise<StateEntry | undefined>;
}

export interface StateEntry {
  /** A few KB at most, because all entries of a form share 256 texts of 300 KB. */
  readonly text: string;
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
}

/** A kind of store (docs/plugins/stores.md). */
export interface StoreType {
  /** The schemes of its addresses, in lower case: `redis` for `keep: {in: redis://host}`. Empty if an address is a path. */
  readonly schemes: readonly string[];
  /** An example address, for messages about mistakes. Default: derived from the first scheme. */
  readonly example?: string;
  /** The kinds of entries that it can store. Default: only deliveries. */
  readonly holds?: readonly Held[];
  /** @internal Whether `leaseMatching` cannot see entries that are not due. */
  readonly hidesWaiting?: true;
  /** @internal The platforms on which it works. Default: all. */
  readonly platforms?: readonly Platform[];
  /** @internal Whether an address is a folder on this machine, so that `/readyz` reports whether it can be used. */
  readonly isFolder?: boolean;
  /** @internal The size of the largest submission, in bytes, unless `files_in` names a bucket. Default: no limit. */
  readonly mostBytes?: number;
  /** The mistake in an address, in words for its owner; `undefined` if the address is valid. */
  problem?(address: string): string | undefined;
  /** Opens the store at an address. Must not connect or read before the store is used. */
  open(address: string, context: StoreContext): Store | Promise<Store>;
  /**
   * @internal Handles an event of a platform that hands out messages itself, such as Lambda; `undefined` if
   * the event is for others.
   *
   * @param current The address of the config's store, if it is of this type.
   */
  takeEvent?(
    event: unknown,
    current: string | undefined,
    deliver: DeliverHanded,
  ): Promise<unknown> | undefined;
}

export type Held = 'deliveries' | 'counts';

/** Delivers messages of the store at an address. Resolves with the ids of those still in the store. */
export type DeliverHanded = (
  messages: readonly HandedMessage[],
  address: string | undefined,
) => Promise<readonly string[]>;

export interface HandedMessage {
  readonly id: string;
  /** Identifies the message until it is settled. */
  readonly receipt: string;
  readonly body: string;
}

/** The parts of the outside world that stores need. */
/** @internal */
export interface StoreContext extends Pick<Services, 'aws' | 'binding'> {}
export interface StoreContext extends Pick<Services, 'env' | 'now'> {
  /** @internal The largest queued submission, in bytes. Default: 64 MB. */
  readonly mostKept?: number;
  /** @internal The bucket for content too large for a queue's messages. */
  readonly filesIn?: Bucket | undefined;
  /** @internal How long to retry a delivery, in milliseconds. */
  readonly forMs?: number;
  /** Encodes an entry as bytes, to be stored unchanged. */
  encode(entry: Queued): Uint8Array;
  /** Decodes an entry; if the bytes are damaged, returns what is left, with `isDamaged`. */
  decode(bytes: Uint8Array, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Pick<Lease, 'kept' | 'isDamaged'>;
  /** Creates a lease book for the store, which renews leases, settles each one once, and returns them on close. */
  leaseBook<T extends object>(rules: LeaseRules<T>): LeaseBook<T>;
}

/** The rules of a store for its leases, which may be rows of a table. */
export interface LeaseRules<T> {
  /** A lease that is not renewed for this long expires, in milliseconds. */
  readonly leaseMs: number;
  /** Renews leases. Resolves with a list of the renewed ones; anything else means all of them. */
  renew(leases: readonly T[]): Promise<unknown>;
  /** Returns a lease, so that the entry is available after this many milliseconds. */
  giveBack(lease: T, afterMs: number): Promise<void>;
}

export interface LeaseBook<T> {
  /** Renews a lease from now on. */
  hold(lease: T): void;
  /** Stops renewing a lease, which expires unless it is settled. */
  drop(lease: T): void;
  /**
   * An entry with the methods that end its lease, which is then held. The first method that succeeds counts;
   * after a failure, another can follow.
   */
  lease<E extends Pick<Lease, 'kept' | 'isDamaged'>>(
    lease: T,
    entry: E,
    ends: Pick<Lease, 'done' | 'reschedule' | 'deadLetter'>,
  ): E & Lease;
  /** Returns a lease, unless it is or is being settled. */
  giveBack(lease: T, afterMs?: number): Promise<void>;
  /** For `leaseMatching`: yields a lease, and returns it when the next one is requested. */
  offer<E extends Lease & { readonly listed: Listed }>(lease: T, given: E): AsyncGenerator<E>;
  /** Returns all leases. */
  close(): Promise<void>;
}

export interface Bucket {
  readonly bucket: string;
  readonly prefix: string;
}

/** A store as named in a config. */
export interface StorePlace {
  /** The address, without credentials, which come from the environment. */
  readonly name: string;
  readonly type: StoreType;
}

export interface Store {
  readonly leases?: Leases;
  readonly counts?: Counts;
  /** Checks whether the store works, for `relay doctor` and at startup. */
  probe(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Remedies for failures, by `code`; `other` is for all other failures. */
  readonly remedies?: Remedies;
  /** Sets up what the store needs, if the relay may. Returns what was done, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Returns its leases. */
  close(): Promise<void>;
}

export type Remedies = Readonly<Record<string, string>>;

/**
 * Waiting deliveries. Several processes may share them; a leased entry belongs to one process only. All
 * methods reject with a `ClientError` on failure or timeout.
 */
export interface Leases {
  /** A lease that is not renewed for this long expires, in milliseconds, because its process has probably died. */
  readonly leaseMs: number;
  /**
   * Sentences for the owner about entries that `list`, `leaseMatching` and `count` cannot see, such as
   * messages hidden by a queue.
   */
  readonly notes?: readonly string[];
  /**
   * Resolves when all entries are durable. `isMine`: this process delivers them now, whatever `dueAt` says; returns a
   * lease for each, in the same order. A store without such leases returns none, and makes the entries due at once.
   */
  keep(entries: readonly Queued[], options: KeepOptions): Promise<readonly Lease[]>;
  /**
   * Leases up to `most` due entries. If there are none, waits up to `waitMs` or until `stop`. `mostBytes`
   * limits their total content, which is in memory; the first entry may be larger.
   */
  lease(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Lease[]>;
  /**
   * @internal Processes messages that the store has pushed, as queues do on Lambda, one after another as long as
   * `mayBegin` allows. Returns the ids of those still in the store. Not set for stores that only respond to requests.
   */
  handed?(
    messages: readonly HandedMessage[],
    turn: (lease: Lease) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]>;
  /** Counts the entries, as far as the store can without reading all of them. */
  count(): Promise<QueueCounts>;
  /** Reads all entries without leasing them, in no particular order. Omits those that a queue hides. */
  list(): AsyncIterable<Listed>;
  /**
   * Leases the wanted entries for an owner, whether due or not, and leaves the others unchanged. An entry
   * that is not settled before the next one is requested may be returned unchanged.
   */
  leaseMatching(wanted: (one: Listed) => boolean): AsyncIterable<Lease & { readonly listed: Listed }>;
  /**
   * Resolves with `true` for the first caller with this key among all processes that share the store. Not set
   * if the store cannot tell.
   */
  isFirst?(key: string): Promise<boolean>;
}

export interface KeepOptions {
  readonly isMine: boolean;
  readonly dueAt: number;
  readonly timeoutMs: number;
}

/**
 * An entry that only this process has. Ended by exactly one of its methods, each of which resolves when that
 * is durable. Rejects with `claim_lost` if another process has the entry by now; after any other failure, the
 * lease remains and can be settled again.
 */
export interface Lease {
  /** Set if the store cannot read the entry; `kept` then holds what could be recovered. */
  readonly kept: Queued;
  readonly isDamaged?: true;
  /** Ends a delivered entry, or one to be dropped. */
  done(): Promise<void>;
  /** Reschedules the entry, with its updated state. */
  reschedule(dueAt: number, kept: Queued): Promise<void>;
  deadLetter(reason: DeadLetterReason, kept: Queued): Promise<void>;
  /** Returns the entry unchanged, for use after this many milliseconds. If not called, the lease expires. */
  giveBack?(afterMs: number): Promise<void>;
}

/** A queued delivery. Everything except `content` is unencrypted, and holds no submitted values. */
export interface Queued {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
  /** Milliseconds since the epoch, like all times here. */
  readonly receivedAt: number;
  /** The base of the retry schedule. */
  readonly keptAt: number;
  readonly tries: number;
  readonly why: FailureReason | undefined;
  /** @internal Proves that the owner has reassigned it to `output`. */
  readonly assigned?: string;
  /** The submission, as the queue packs it. */
  readonly content: Uint8Array;
}

/** Identifies the output, even if its config changes before the delivery. */
export interface QueuedOutput {
  /** The output's index among the `of` outputs of its form. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** A hash of the output's config without credentials. */
  readonly fingerprint: string;
}

export interface FailureReason {
  /** The code of a `ClientError`, or one of the relay's own. */
  readonly code: string;
  /** The reason for the owner, as in the log, without values and secrets. */
  readonly words: string;
}

/** Why it is not retried until the owner requests it. */
export type DeadLetterReason =
  /** Retrying would not help. */
  | 'refused'
  /** The retry period is over. */
  | 'expired'
  /** Damaged, altered, or encrypted with another KEEP_SECRET. */
  | 'unreadable';

/** An entry as returned by `list`. */
export interface Listed {
  readonly kept: Queued;
  /** Why it is a dead letter; `undefined` if it is retried automatically. */
  readonly deadLetter: DeadLetterReason | undefined;
  /** The next try, if the store knows. */
  readonly dueAt?: number | undefined;
  /** @internal Reads the content if that is stored elsewhere; `kept.content` is then empty. */
  readonly content?: () => Promise<Uint8Array>;
}

export interface QueueCounts {
  /** Counts by form; all under an empty name if the store cannot tell forms apart. */
  readonly forms: ReadonlyMap<string, FormCounts>;
}

export interface FormCounts {
  readonly due: number;
  /** Held entries, which are never late, because their `keptAt` is the last possible time. Default: they count as due. */
  readonly held?: number;
  readonly deadLetters: number;
  /** When the oldest entry was queued, if the store knows. */
  readonly oldestKeptAt: number | undefined;
}

/**
 * Texts by key, for places, `once` and idempotency keys. A writer names the version that it read, so that no change
 * is lost. Keys consist of `a-z`, digits, `_`, `-` and `=`, with slashes between them. Rejects with a `ClientError`.
 */
export interface Counts {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /** The latest version known to this process, without a request; good enough for trying a write. */
  recall?(key: string): Versioned | undefined;
  /**
   * Replaces what was read. Resolves with `true` once the text is stored; with `false` if there is another
   * version or the outcome is unknown, so that the caller must read again.
   */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process is using. */
  remove(key: string, timeoutMs: number): Promise<void>;
}

/** A text under a key, and the version that was read. */
export interface Versioned {
  /** The text; `undefined` if there is none yet. */
  readonly text: string | undefined;
  /** An opaque value, which only its store understands. */
  readonly version: string;
}
