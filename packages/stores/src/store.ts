/** The interface of stores: places where deliveries wait, and where is counted. The relay's own stores use nothing else. */
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { Finding } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { Platform } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import type { Submission } from '@form-relay/core/submission';

declare module '@form-relay/core/plugin' {
  interface Plugin {
    /** Places where `keep` and `counted_in` can store. */
    readonly stores?: readonly StoreType[];
  }
  interface Provided {
    /** For features with `reads: ['shared_state']`. Absent if the config has no store that counts (`counted_in`, or that of `keep`). */
    readonly shared_state: SharedState;
    /** For features with `reads: ['held']`. Absent if the config has no `keep` at the top, or a queue, which hides what waits. */
    readonly held: HeldSubmissions;
  }
}

/**
 * Submissions that wait in the store of `keep` until a feature releases them. The entries are encrypted and listed there as failed deliveries are.
 * Methods reject if the store fails.
 */
export interface HeldSubmissions {
  /**
   * Stores the deliveries of a submission in place of `next`. Resolves with their number once they are durable; 0: no output accepts it.
   * After `until`, they wait for their owner.
   */
  hold(submission: Submission, how: Hold): Promise<number>;
  /** Has them delivered, as with `keep: always`. Resolves with their number; 0: nothing is held under this key any more. */
  release(key: string): Promise<number>;
  /**
   * Removes them. Features take back what the submission took (`withdraw` of what they provide).
   *
   * @param takesBack Whether they do, asked once the submissions are removed. Default: yes.
   */
  drop(key: string, takesBack?: () => MaybePromise<boolean>): Promise<number>;
  /** @internal What a form holds under keys that `keyOf` names, without files. */
  list(form: Form, keyOf: (held: Omit<HeldDelivery, 'output'>) => string): AsyncIterable<HeldDelivery>;
}

/** @internal */
export interface HeldDelivery {
  readonly submission: Submission;
  /** The output's place when it was held. */
  readonly place: number;
  /** The output's place now. `undefined`: the form has it no more. */
  readonly output: number | undefined;
}

export interface Hold {
  /** Begins with the name of the feature. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** For the owner: `the submission waits for a payment`. */
  readonly why: string;
  /** @internal The places of the outputs to hold it for. Default: all that accept it. */
  readonly outputs?: readonly number[];
}

/**
 * Entries of a form under keys, in the store that counts. All relays that share it change an entry one after the other. A key begins with
 * the name of the feature. Methods reject if the store fails; in a dry run, they use the memory.
 */
export interface SharedState {
  /** @param by The submission, the call of a route, the view of a form, or the life of the plug-in. */
  read(by: { readonly services: Services }, key: string): Promise<StateEntry | undefined>;
  /**
   * Replaces an entry by what `make` returns: `undefined` removes it. `make` gets the present entry, and is called again if another
   * process changed it meanwhile. Resolves with the new entry once that is durable.
   */
  change(
    by: { readonly services: Services },
    key: string,
    make: (entry: StateEntry | undefined) => StateEntry | undefined,
  ): Promise<StateEntry | undefined>;
}

export interface StateEntry {
  /** Up to some KB, as all entries of a form share 256 texts of 300 KB. */
  readonly text: string;
  /** When it lapses, in milliseconds since the epoch. */
  readonly until: number;
}

/** A kind of store (docs/plugins/stores.md). */
export interface StoreType {
  /** The schemes of its addresses, in lower case: `redis` for `keep: {in: redis://host}`. Empty: a path. */
  readonly schemes: readonly string[];
  /** An address, for messages about mistakes. Default: by the first scheme. */
  readonly example?: string;
  /** Default: deliveries alone. */
  readonly holds?: readonly Held[];
  /** @internal `leaseMatching` does not see what is not due. */
  readonly hidesWaiting?: true;
  /** @internal Where it works, if not everywhere. */
  readonly platforms?: readonly Platform[];
  /** @internal Whether an address is a folder of this machine: `/readyz` says whether it can be used. */
  readonly isFolder?: boolean;
  /** @internal The size of the largest submission, in bytes, unless `files_in` names a bucket. Default: no limit. */
  readonly mostBytes?: number;
  /** The mistake in an address, in words for its owner. `undefined` if there is none. */
  problem?(address: string): string | undefined;
  /** Opens the store at an address. A store connects to nothing and reads nothing before it is used. */
  open(address: string, context: StoreContext): Store | Promise<Store>;
  /**
   * @internal Reads an event of a platform that hands out messages itself, such as Lambda. `undefined`: the event is for others.
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

/** Delivers messages of the store at an address. Resolves with the ids of those that are still in the store. */
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
  /** @internal The largest submission that is kept, in bytes. Default: 64 MB. */
  readonly mostKept?: number;
  /** @internal The bucket for what is too large for a queue's messages. */
  readonly filesIn?: Bucket | undefined;
  /** @internal How long a delivery is retried, in milliseconds. */
  readonly forMs?: number;
  /** An entry as bytes, to store as they are. */
  encode(entry: Queued): Uint8Array;
  /** The entry of these bytes; or what is left of it, with `isDamaged`. */
  decode(bytes: Uint8Array, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Pick<Lease, 'kept' | 'isDamaged'>;
  /** Makes the book of a store's leases, so that they are renewed, settled once, and given back at its end. */
  leaseBook<T extends object>(rules: LeaseRules<T>): LeaseBook<T>;
}

/** The operations of a store on its leases, such as rows of a table. */
export interface LeaseRules<T> {
  /** A lease that is not renewed for this long lapses, in milliseconds. */
  readonly leaseMs: number;
  /** Renews these. Resolves with a list of those that it has renewed; with anything else: all. */
  renew(leases: readonly T[]): Promise<unknown>;
  /** Lets others have it, after so many milliseconds. */
  giveBack(lease: T, afterMs: number): Promise<void>;
}

export interface LeaseBook<T> {
  /** Renews a lease from now on. */
  hold(lease: T): void;
  /** Ends renewal: others have it when it lapses, unless it is settled. */
  drop(lease: T): void;
  /** The entry with the ends of its lease, which is held: the first end that succeeds counts, and others can follow a failure. */
  lease<E extends Pick<Lease, 'kept' | 'isDamaged'>>(
    lease: T,
    entry: E,
    ends: Pick<Lease, 'done' | 'reschedule' | 'deadLetter'>,
  ): E & Lease;
  /** Gives it back, unless it is settled, or is being settled. */
  giveBack(lease: T, afterMs?: number): Promise<void>;
  /** For `leaseMatching`: yields a lease that goes back when the next one is asked for. */
  offer<E extends Lease & { readonly listed: Listed }>(lease: T, given: E): AsyncGenerator<E>;
  /** Gives all of them back. */
  close(): Promise<void>;
}

export interface Bucket {
  readonly bucket: string;
  readonly prefix: string;
}

/** A place as a config names it. */
export interface StorePlace {
  /** The address, without credentials: these are in the environment. */
  readonly name: string;
  readonly type: StoreType;
}

export interface Store {
  readonly leases?: Leases;
  readonly counts?: Counts;
  /** Checks for `relay doctor` and at the start whether the store works. */
  probe(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Remedies of failures, by `code`; `other` is that of all the rest. */
  readonly remedies?: Remedies;
  /** Creates what the store needs, if the relay may. Returns what it did, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Gives back what it has leased. */
  close(): Promise<void>;
}

export type Remedies = Readonly<Record<string, string>>;

/**
 * Deliveries that wait. Several processes may share them; a lease excludes all others. All methods reject with a
 * `ClientError` on failure or timeout.
 */
export interface Leases {
  /** A lease that is not renewed for this long lapses, in milliseconds: its process has died. */
  readonly leaseMs: number;
  /** The limits of `list`, `leaseMatching` and `count`, such as what a queue hides, each as a sentence for the owner. */
  readonly notes?: readonly string[];
  /**
   * Resolves when all entries are durable. `isMine`: this process delivers them now, whatever `dueAt` says; returns a lease
   * for each, in the same order. A store without such leases returns none, and has the entries due at once.
   */
  keep(entries: readonly Queued[], options: KeepOptions): Promise<readonly Lease[]>;
  /**
   * Leases up to `most` due entries. Waits up to `waitMs` if there are none, or until `stop`. `mostBytes` is the limit for
   * their contents together, since they are in memory; the first may be larger.
   */
  lease(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Lease[]>;
  /**
   * @internal Processes messages that the store delivered itself, as queues do on Lambda, one after the other while `mayBegin`.
   * Returns the ids of those still in the store. Absent in stores that only answer requests.
   */
  handed?(
    messages: readonly HandedMessage[],
    turn: (lease: Lease) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]>;
  /** Counts the entries, as far as the store can without reading all of them. */
  count(): Promise<QueueCounts>;
  /** Reads all entries without leasing them, in no order; omits what queues hide. */
  list(): AsyncIterable<Listed>;
  /**
   * Leases the wanted entries, due or not, for an owner who asks for them. The others stay as they are. An entry not
   * settled before the next is requested may go back as it is.
   */
  leaseMatching(wanted: (one: Listed) => boolean): AsyncIterable<Lease & { readonly listed: Listed }>;
  /** `true` for the first caller with this key among all processes that share the store; absent if it cannot tell. */
  isFirst?(key: string): Promise<boolean>;
}

export interface KeepOptions {
  readonly isMine: boolean;
  readonly dueAt: number;
  readonly timeoutMs: number;
}

/**
 * An entry that only this process has. Exactly one of its methods ends it; each resolves when that is durable.
 * Rejects with `claim_lost` if another process has it by now; after any other failure the lease stands and can be
 * settled again.
 */
export interface Lease {
  /** The store cannot read the entry, which then holds what could be recovered. */
  readonly kept: Queued;
  readonly isDamaged?: true;
  /** Ends a delivered entry, or one that is to be dropped. */
  done(): Promise<void>;
  /** Reschedules it, with its updated state. */
  reschedule(dueAt: number, kept: Queued): Promise<void>;
  deadLetter(reason: DeadLetterReason, kept: Queued): Promise<void>;
  /** Leaves it as it is for others, after so many milliseconds. Without it, the lease lapses. */
  giveBack?(afterMs: number): Promise<void>;
}

/** A kept delivery. All but `content` is unencrypted, and holds nothing that a visitor wrote. */
export interface Queued {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
  /** Milliseconds since the epoch, like all times here. */
  readonly receivedAt: number;
  /** The retry schedule follows from this. */
  readonly keptAt: number;
  readonly tries: number;
  readonly why: FailureReason | undefined;
  /** @internal Proves that the owner reassigned it to `output`. */
  readonly assigned?: string;
  /** The submission, as the queue packs it. */
  readonly content: Uint8Array;
}

/** Identifies the output although its config may change before the delivery. */
export interface QueuedOutput {
  /** The output's index among the `of` outputs of its form. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** A hash of the output's config without credentials. */
  readonly fingerprint: string;
}

export interface FailureReason {
  /** A `ClientErrorCode`, or one of the relay's own. */
  readonly code: string;
  /** For the owner: as in the log, without values and secrets. */
  readonly words: string;
}

/** Why it is not retried until its owner asks for it. */
export type DeadLetterReason =
  /** Retrying would not help. */
  | 'refused'
  /** The retry period is over. */
  | 'expired'
  /** Damaged, altered, or encrypted with another KEEP_SECRET. */
  | 'unreadable';

/** An entry as `list` shows it. */
export interface Listed {
  readonly kept: Queued;
  /** `undefined`: it is retried automatically. */
  readonly deadLetter: DeadLetterReason | undefined;
  /** The next try, if the store knows. */
  readonly dueAt?: number | undefined;
  /** @internal Reads the content if it is stored elsewhere; `kept.content` is empty then. */
  readonly content?: () => Promise<Uint8Array>;
}

export interface QueueCounts {
  /** By form, or all under the empty name if the store cannot tell forms apart. */
  readonly forms: ReadonlyMap<string, FormCounts>;
}

export interface FormCounts {
  readonly due: number;
  /** Entries that a feature holds, and that are not late: kept at the last moment of all. Default: they count as due. */
  readonly held?: number;
  readonly deadLetters: number;
  /** When the oldest was kept, if the store knows. */
  readonly oldestKeptAt: number | undefined;
}

/**
 * Texts under keys, for places, `once` and idempotency keys. A writer names the version that it read, so that no change gets
 * lost. Keys are made of `a-z`, digits, `_`, `-` and `=`, with slashes between them. Rejects with a `ClientError`.
 */
export interface Counts {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /** The version that this process saw last, at no cost: good enough to try a write over it. */
  recall?(key: string): Versioned | undefined;
  /**
   * Replaces what was read. Resolves with `true` once the text is stored. `false`: another version is there, or the outcome is
   * unknown; reading again tells.
   */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process uses. */
  remove(key: string, timeoutMs: number): Promise<void>;
}

/** A text under a key, and the version that was read. */
export interface Versioned {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
  /** Opaque: only the store that gave it reads it. */
  readonly version: string;
}
