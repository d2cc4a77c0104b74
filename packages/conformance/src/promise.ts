import type { Feature } from './adapter.ts';
import type { FormName } from './forms.ts';
import type { Trial } from './trial.ts';

/**
 * How much of a product a promise needs: `anyone` sees it without knowing a form, `form` fetches one, `sends` posts to one
 * what must be refused, `declared` needs forms whose outputs lead to the suite.
 */
export type Reach = 'anyone' | 'form' | 'sends' | 'declared';

/** Started once each, when the first promise needs it: as usual; with listed origins and no secret; with the default throttle. */
export type Setting = 'usual' | 'strict' | 'throttled';

export interface ProductPromise {
  /** A plain sentence about what the product does. */
  readonly says: string;
  /** The section of SPEC that makes the promise, or the standard, or who needs it. */
  readonly from: string;
  /** Default: `declared`. */
  readonly reach?: Reach;
  /** What it needs of the product beside what its forms need. */
  readonly needs?: readonly Feature[];
  /** The forms that it uses: a product in which one of them cannot be declared does not offer it. */
  readonly forms?: readonly FormName[];
  /** Default: `usual`. */
  readonly setting?: Setting;
  /** It waits for many seconds, and is begun before others. */
  readonly isSlow?: boolean;
  /** Ends when the promise is kept; throws a `Broken` when it is not. */
  readonly check: (trial: Trial) => Promise<void>;
}

/** Promises of one kind. */
export interface Area {
  /** One word, which stays. */
  readonly id: string;
  /** Its title in the report. */
  readonly name: string;
  /** By a short name, which stays when the sentence changes. */
  readonly promises: Readonly<Record<string, ProductPromise>>;
}
