/** Kept deliveries, and the stores that hold them. */
import type { Result } from '@form-relay/core/index';
import type { StoreType } from './open_store.ts';

/** The config's `keep` block. */
export interface QueueConfig {
  readonly in: StorePlace;
  /** How long to retry a delivery, in milliseconds from when it was kept. */
  readonly forMs: number;
  /** The bucket for what is too large for a queue's messages. */
  readonly filesIn: { readonly bucket: string; readonly prefix: string } | undefined;
}

/** `name`: the place for people, without credentials. */
export type StorePlace =
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  | { readonly kind: 'sqs'; readonly name: string; readonly url: URL }
  /** Queues of Cloudflare by their bindings: for retries, and for what waits for the owner. */
  | { readonly kind: 'queue'; readonly name: string; readonly binding: string; readonly aside: string }
  | {
      readonly kind: 'nats';
      readonly name: string;
      /** `host` or `host:port`: any that answers reveals the rest of its cluster. */
      readonly servers: readonly string[];
      readonly stream: string;
      /** Whether TLS is required. */
      readonly isTls: boolean;
    }
  | PluginPlace;

/** A place of a plug-in's store, known by the scheme of its address. */
export interface PluginPlace {
  readonly kind: 'plugin';
  /** The address, without credentials: these stand in the environment. */
  readonly name: string;
  /** Known once all plug-ins are. */
  readonly type?: StoreType;
}

/** No queue can count, look something up, or hold files. */
export const isQueue = (
  place: StorePlace,
): place is Extract<StorePlace, { readonly kind: 'sqs' | 'queue' }> =>
  place.kind === 'sqs' || place.kind === 'queue';

export interface FormQueue {
  /** Whether a form keeps failed deliveries only, or all of them before the first try. */
  readonly what: 'failed' | 'always';
  readonly where: QueueConfig;
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
  /** Proves that the owner reassigned it to `output`. */
  readonly assigned?: string;
  /** The submission, as `stores/content.ts` packs it. */
  readonly content: Uint8Array;
}

/** Identifies the output although its config may change before the delivery. */
export interface QueuedOutput {
  /** The output's index among the `of` outputs of its form. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** A hash of the output's config without credentials (`output_match.ts`). */
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
  /** Damaged, altered, sealed by 0.1.0, or encrypted with another KEEP_SECRET. */
  | 'unreadable';

/**
 * A place where deliveries wait. Several processes may share it; a lease excludes all others. All methods reject with a
 * `ClientError` on failure or timeout.
 */
export interface Store {
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
   * Processes messages that the store delivered itself, as queues do on Lambda, one after the other while `mayBegin`.
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
  /** Creates what the store needs, if the relay may. Returns what it did, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Checks for `relay doctor` and at the start whether the store works. Returns findings in words. */
  look(timeoutMs: number): Promise<readonly StoreFinding[]>;
  close(): Promise<void>;
}

export interface HandedMessage {
  readonly id: string;
  /** Identifies the message until it is settled. */
  readonly receipt: string;
  readonly body: string;
}

/** A good finding, or a risk for kept deliveries with its remedy. */
export type StoreFinding = string | { readonly says: string; readonly remedy: string };

export interface KeepOptions {
  readonly isMine: boolean;
  readonly dueAt: number;
  readonly timeoutMs: number;
}

/**
 * An entry that only this process has. Exactly one of the three methods ends it; each resolves when that is durable.
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
  setAside(aside: DeadLetterReason, kept: Queued): Promise<void>;
}

/** An entry as `list` shows it. */
export interface Listed {
  readonly kept: Queued;
  /** `undefined`: it is retried automatically. */
  readonly aside: DeadLetterReason | undefined;
  /** The next try, if the store knows. */
  readonly dueAt?: number | undefined;
  /** Reads the content if it is stored elsewhere; `kept.content` is empty then. */
  readonly content?: () => Promise<Uint8Array>;
}

export interface QueueCounts {
  /** By form, or all under the empty name if the store cannot tell forms apart. */
  readonly forms: ReadonlyMap<string, FormCounts>;
}

export interface FormCounts {
  readonly due: number;
  readonly aside: number;
  /** When the oldest was kept, if the store knows. */
  readonly oldestKeptAt: number | undefined;
}

/** Opens a store. Connects and reads nothing before its first use. */
export type OpenStore = (keep: QueueConfig) => Promise<Store>;

/** Why an entry's content cannot be used. */
export type ContentProblem =
  | 'damaged'
  | 'other_secret'
  | 'no_secret'
  /** Unencrypted although KEEP_SECRET is set: it may be forged. */
  | 'unencrypted'
  /** The entry and its content disagree. */
  | 'altered'
  /** Only version 0.1.0 opens it. */
  | 'sealed';
export type Opened<T> = Result<T, ContentProblem>;
