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
  /** The reason for the promise: a section of SPEC, a standard, an attack, or a fear of owners. */
  readonly from: string;
  /** Default: `declared`. */
  readonly reach?: Reach;
  /** Features that it needs in addition to those of its forms. */
  readonly needs?: readonly Feature[];
  /** The forms that it uses beside `contact`. A product in which one of them cannot be declared does not offer it. */
  readonly forms?: readonly FormName[];
  /** Default: `usual`. */
  readonly setting?: Setting;
  /** Whether the check waits for many seconds; it then starts before others. */
  readonly isSlow?: boolean;
  /** Ends when the promise is kept; throws a `Broken` when it is not. */
  readonly check: (trial: Trial) => Promise<unknown>;
}

/** Promises of one kind. Its promises say their reason themselves, or share that of the area. */
export type Area = AreaNames & (Each<ProductPromise> | (Pick<ProductPromise, 'from'> & Each<PromiseOfArea>));

interface AreaNames {
  /** A word that never changes. */
  readonly id: string;
  /** Its title in the report. */
  readonly name: string;
}

interface Each<P> {
  /** By a short name, which stays when the sentence changes. */
  readonly promises: Readonly<Record<string, P>>;
}

type PromiseOfArea = Omit<ProductPromise, 'from'> & Partial<Pick<ProductPromise, 'from'>>;
