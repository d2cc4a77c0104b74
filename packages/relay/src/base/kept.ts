/** What outputs still owe, and where it waits (D69, D70). */
import type { Result } from './result.ts';

/** Where deliveries are kept, as the config says it. */
export interface Keep {
  readonly in: KeepPlace;
  /** How long a delivery is tried again, in milliseconds from when it was kept. */
  readonly forMs: number;
  /** What becomes of it after that. */
  readonly then: 'aside' | 'delete';
  /** For whom it is sealed: public keys as text (`age1…`). Empty: it is not. */
  readonly sealTo: readonly string[];
  /** Where a queue's messages leave what is too large for them. */
  readonly filesIn: { readonly bucket: string; readonly prefix: string } | undefined;
}

/** `name`: the place as people know it, without credentials. */
export type KeepPlace =
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  | { readonly kind: 'sqs'; readonly name: string; readonly url: URL }
  | {
      readonly kind: 'nats';
      readonly name: string;
      /** `host` or `host:port`: one that answers is enough to find the others of its cluster. */
      readonly servers: readonly string[];
      readonly stream: string;
      /** Whether nothing is said without TLS. */
      readonly isTls: boolean;
    };

/** How a form keeps: what could not be delivered, or all of it before anything is delivered. */
export interface FormKeep {
  readonly what: 'failed' | 'always';
  readonly where: Keep;
}

/** One delivery that an output owes. All but `content` is in clear, and holds nothing that a visitor wrote. */
export interface Kept {
  /** The delivery's, the same at each try (`Job.id`). */
  readonly id: string;
  readonly form: string;
  readonly output: KeptOutput;
  /** Milliseconds since the epoch, like all times here. */
  readonly receivedAt: number;
  /** When it is tried again follows from this. */
  readonly keptAt: number;
  /** How many tries have failed. */
  readonly tries: number;
  /** Why it is owed: `undefined` until it was tried. */
  readonly why: KeptReason | undefined;
  /** Proves that its owner has given it to `output`, which is not the one that it was kept for. */
  readonly assigned?: string;
  /** The submission, as `keeping/stores/entry.ts` packs it. */
  readonly content: Uint8Array;
}

/** Which output owes it: its config may change until it is delivered. */
export interface KeptOutput {
  /** Its place in the form's `outputs`, from 0, of how many. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** Of all that its config says, but for credentials (`keeping/output_match.ts`). */
  readonly fingerprint: string;
}

export interface KeptReason {
  /** A `ClientErrorCode`, or one of the relay's own. */
  readonly code: string;
  /** For the owner: as in the log, without values and secrets. */
  readonly words: string;
}

/** Why nobody tries it again before its owner says so. */
export type Aside =
  /** Time does not cure what keeps it from being delivered. */
  | 'refused'
  /** Its time is over. */
  | 'expired'
  /** It cannot be read, or is not as it was kept: damaged, altered, or encrypted with another KEEP_SECRET. */
  | 'unreadable';

/**
 * A place where deliveries wait. Several processes may share it; what one has claimed, no other gets. All methods reject
 * with a `ClientError` when the store does not do it, or not in time.
 */
export interface Store {
  /** What `list`, `take` and `count` do not show here, each a sentence for its owner, such as what a queue hides. */
  readonly notes?: readonly string[];
  /**
   * All of them are on the disk, or the queue has acknowledged them, when it resolves. `isMine`: this process delivers
   * them now, and nobody else gets them meanwhile; gives a claim for each, in the same order. A store that can give no such
   * claims gives none, and has them due at once.
   *
   * @param dueAt When they are to be tried: none of `isMine`.
   */
  keep(entries: readonly Kept[], options: KeepOptions): Promise<readonly Claim[]>;
  /**
   * Claims some that are due, at most so many. Waits for up to so long where there are none, or until `stop`: the longer
   * it may wait, the less often a queue is asked.
   *
   * @param mostBytes What their contents may be together, since they lie in memory; the first one may be larger.
   */
  claim(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Claim[]>;
  /**
   * Has messages their turn that the store itself handed over, as queues do on Lambda, one after the other while
   * `mayBegin`. Gives the ids of those that are still in the store; absent where only who asks gets something.
   */
  handed?(
    messages: readonly HandedMessage[],
    turn: (claim: Claim) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]>;
  /** What waits, as far as the store can tell without reading all of it. */
  count(): Promise<Waiting>;
  /** Reads all that waits without claiming it, in no order; what queues do not show is left out. */
  list(): AsyncIterable<Listed>;
  /**
   * Claims what is wanted, whatever its time, for an owner who asks for it. What is read and not wanted stays as it is.
   * What nobody has begun to settle when the next is asked for may go back as it is.
   */
  take(wanted: (one: Listed) => boolean): AsyncIterable<Claim & { readonly listed: Listed }>;
  /** `true` for the first who asks with this key, of all that share the store; absent where the store cannot tell. */
  isFirst?(key: string): Promise<boolean>;
  /** Makes what must be there, where that is the relay's to make. What it did, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Looks, for `relay doctor` and when the relay starts, whether it can be used. What was found, in words. */
  look(timeoutMs: number): Promise<readonly Looked[]>;
  /** Gives back what is claimed, and closes connections. */
  close(): Promise<void>;
}

export interface HandedMessage {
  readonly id: string;
  /** Stands for it until it is settled. */
  readonly receipt: string;
  readonly body: string;
}

/** What is fine; or what may cost its owner something that is kept, and what to do about it. */
export type Looked = string | { readonly says: string; readonly remedy: string };

export interface KeepOptions {
  readonly isMine: boolean;
  readonly dueAt: number;
  readonly timeoutMs: number;
}

/**
 * One that this process alone has. Exactly one of the three ends it; each resolves when that is durable. Rejects with
 * `claim_lost` where somebody else has it by now; after any other failure the claim stands, and is asked again.
 */
export interface Claim {
  /** `unreadable` where the store cannot make out what it is: the entry then has what could be read of it. */
  readonly kept: Kept;
  readonly isDamaged?: true;
  /** It was delivered, or is to be forgotten. */
  done(): Promise<void>;
  /** To be tried at that time, with what is known of it by now. */
  putOff(dueAt: number, kept: Kept): Promise<void>;
  setAside(aside: Aside, kept: Kept): Promise<void>;
}

/** One that waits. */
export interface Listed {
  readonly kept: Kept;
  /** `undefined`: it is tried again by itself. */
  readonly aside: Aside | undefined;
  /** When it is tried next, where the store knows. */
  readonly dueAt?: number | undefined;
  /** Nobody but its owner delivers it. */
  readonly isSealed: boolean;
  /** Reads its content, where that lies elsewhere: `kept.content` is empty then. */
  readonly content?: () => Promise<Uint8Array>;
}

export interface Waiting {
  /** By form. Where the store cannot tell forms apart, all under the empty name. */
  readonly forms: ReadonlyMap<string, WaitingOfForm>;
}

export interface WaitingOfForm {
  /** Tried again by itself. */
  readonly due: number;
  readonly aside: number;
  /** When the oldest was kept, where the store knows. */
  readonly oldestKeptAt: number | undefined;
}

/** Opens a store. Nothing is connected or read before it is used. */
export type OpenStore = (keep: Keep) => Promise<Store>;

/** What reading an entry's content may end with. */
export type ContentProblem =
  | 'damaged'
  | 'other_secret'
  | 'no_secret'
  /** It lies there in clear, though KEEP_SECRET is set: anybody may have made it up. */
  | 'unencrypted'
  /** The entry says something else than its content. */
  | 'altered'
  | 'sealed';
export type Opened<T> = Result<T, ContentProblem>;
