/** JSON about people: their rights, and everything stored about one person; api.ts lists the paths. */
import type { Entry } from './api.ts';

export type Right = 'read' | 'act' | 'erase';

/** `manage`: decides who may use the inbox, and includes all other rights. */
export type PersonRight = Right | 'manage';

export interface SessionView {
  readonly id: string;
  readonly begunAt: number;
  readonly usedAt: number;
  /** The browser, such as `Firefox on Linux`. */
  readonly browser: string;
  /** Whether this is the current session. */
  readonly isThis: boolean;
}

export interface PersonView {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** A group of the provider, instead of `email`. */
  readonly group?: string | undefined;
  readonly may: readonly PersonRight[];
  readonly forms?: readonly string[] | undefined;
  /** Whether the config defines it, so it cannot be changed in the inbox. */
  readonly isFromConfig: boolean;
  readonly at?: number | undefined;
  readonly by?: string | undefined;
  readonly sessions: readonly SessionView[];
}

/** An API key for reading. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly forms?: readonly string[] | undefined;
  readonly madeAt: number;
  readonly madeBy: string;
  /** Absent if the key does not expire. */
  readonly until?: number | undefined;
  readonly usedAt?: number | undefined;
}

/** The page *People*. `people` and `keys` are only for people who may manage. */
export interface PeopleView {
  readonly people: readonly PersonView[];
  readonly keys: readonly KeyView[];
  /** The sessions of the current person. */
  readonly mine: readonly SessionView[];
  readonly url?: string | undefined;
  /** Why nobody can be invited, or no key created. */
  readonly why?: string | undefined;
}

/** Everything stored about one person. */
export interface Found {
  readonly entries: readonly (Entry & { readonly places: readonly string[] })[];
  /** Sealed entries that could not be searched. */
  readonly sealed: number;
}

export interface Erased {
  readonly entries: number;
  /** Where removal failed, and why. */
  readonly left: readonly string[];
}
