import type { Feature } from './adapter.ts';
import type { FormName } from './forms.ts';
import type { Trial } from './trial.ts';

/** Each is started once, when a promise first needs it: as usual; with listed origins and no secret; with the default throttle. */
export type Setting = 'usual' | 'strict' | 'throttled';

export interface ProductPromise {
  /** A plain sentence about what the product does. */
  readonly says: string;
  /** The reason for the promise: a section of SPEC, a standard, an attack, or an owner's concern. */
  readonly from?: string;
  /** Features that it needs besides those of its forms. */
  readonly needs?: readonly Feature[];
  /** Forms that it uses besides `contact`. A product that cannot declare one does not offer the feature. */
  readonly forms?: readonly FormName[];
  /** Default: `usual`. */
  readonly setting?: Setting;
  /** Resolves if the promise is kept; throws a `Broken` if not. */
  readonly check: (trial: Trial) => Promise<unknown>;
}

type Check = ProductPromise['check'];
type Needs = Omit<ProductPromise, 'says' | 'from' | 'check'>;

/** `A sentence. (A source)` states a promise; optional other needs and its check follow. */
export const promise = (texts: TemplateStringsArray, ...parts: readonly string[]) => {
  const text = String.raw({ raw: texts }, ...parts).replaceAll(/\s+/g, ' ');
  const end = text.lastIndexOf('. (') + 1 || text.length;
  const about = { says: text.slice(0, end), ...(end < text.length && { from: text.slice(end + 2, -1) }) };
  return (...given: [Check] | [Needs, Check]): ProductPromise =>
    given.length === 1 ? { ...about, check: given[0] } : { ...about, ...given[0], check: given[1] };
};

/** Promises of one kind, and defaults for them. */
export interface Area extends Partial<Omit<ProductPromise, 'says' | 'check'>> {
  /** By a short name, which stays when the sentence changes. */
  readonly promises: Readonly<Record<string, ProductPromise>>;
}

/** A broken promise. */
export class Broken extends Error {
  constructor(expected: string, came: string, request = 'none') {
    super(`expected ${shown(expected)}\n    came ${shown(came)}\n request ${shown(request)}`);
  }
}

/** A short text on one line. */
const shown = (text: string) =>
  JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text).slice(
    1,
    -1,
  );
