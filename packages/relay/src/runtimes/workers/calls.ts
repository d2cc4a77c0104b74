/** What workers and their primary ask each other. Both are of one build: a worker never outlives its primary for long. */
import type { Log } from '../../base/effects.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Asked, Limit, Reached } from '../../features/visitor_mails/mail_limits.ts';
import type { Heard } from '../../keeping/watch.ts';
import type { RateLimit } from '../../memory/rates.ts';
import type { NewText } from '../../memory/texts.ts';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import type { Grant } from './leases.ts';

/** What the primary answers each of its workers. */
export type ToPrimary = {
  /** It listens. `line`: what to say of that to people. */
  readonly listens: (line: string) => void;
  /** It cannot start, for this reason. */
  readonly fails: (words: string) => void;
  /** What every process tells of itself, and is to be said once. */
  readonly tells: (...event: Parameters<Log>) => void;
  /** Whether another worker serves, with a config that loaded. */
  readonly isServed: () => Promise<boolean>;
  /** The last that is measured in it. */
  readonly measured: (snapshot: MetricsSnapshot) => void;
  readonly requests: (unused: number, waiting: number) => Grant | Promise<Grant>;
  readonly take: (key: string, limit: RateLimit) => { readonly at: number } | { readonly waitMs: number };
  readonly giveBack: (key: string, at: number) => void;
  readonly useProof: (key: string) => boolean;
  readonly giveProofBack: (key: string) => void;
  readonly noteText: (text: NewText) => { readonly number: number; readonly similar: number } | undefined;
  readonly forgetText: (number: number) => void;
  readonly takeMail: (mail: Asked) => {
    readonly limit?: Limit | undefined;
    readonly reached?: Reached | undefined;
  };
  readonly giveMailBack: (mail: Asked) => void;
  /** Whether this worker is to deliver it; how it ended; or neither, while another one delivers it. */
  readonly beginConfirmed: (key: string) => { readonly isFirst?: true; readonly outcome?: Outcome };
  readonly endConfirmed: (key: string, outcome: Outcome | undefined) => void;
  readonly counted: (counts: readonly Counted[]) => void;
  /** For whoever watches over what is kept. */
  readonly heard: (form: string, heard: Heard) => void;
  /** What `/readyz` says of what waits. */
  readonly waits: (words: string | undefined) => void;
};

/** What a worker does for its primary. */
export type ToWorker = {
  readonly begin: (beginning: Beginning) => void;
  /** Another one has its place: it ends, and takes its time with connections that rest. */
  readonly leave: () => void;
  /** From now on it does what only one may do. */
  readonly lead: () => void;
  /** Whether it serves with a config that loaded. */
  readonly hasConfig: () => boolean;
  /** Gives back what it has of the throttle: how many requests. */
  readonly recall: () => number;
  /** What the others counted. */
  readonly pressed: (counts: readonly Counted[]) => void;
  readonly measure: () => MetricsSnapshot | undefined;
  readonly hears: (form: string, heard: Heard) => void;
  readonly waiting: (words: string | undefined) => void;
};

export interface Beginning {
  /** Which one it is, from 1. */
  readonly worker: number;
  /** How many they are. */
  readonly processes: number;
  /** Names clients in the log where FORM_TOKEN_SECRET is not set: for all of them in the same way. */
  readonly secret: string;
  /** The config's path, as the command named it. */
  readonly configFile: string | undefined;
  /** The socket that somebody opened, by its number in the primary. */
  readonly fd: number | undefined;
}

/** What `proof_of_work: auto` goes by: a form, who sent it, when, and whether that is taken back. */
export type Counted = readonly [form: string, client: string | null, at: number, isBack?: true];
