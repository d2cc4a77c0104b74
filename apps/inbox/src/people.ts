/** JSON about people: what they may do, and what is stored of one person; api.ts has the addresses. */
import type { Entry } from './api.ts';

export type Right = 'read' | 'act' | 'erase';

/** `manage`: says who may use the inbox, and may do all the rest. */
export type PersonRight = Right | 'manage';

/** A browser that is signed in. */
export interface SessionView {
  readonly id: string;
  readonly begunAt: number;
  readonly usedAt: number;
  /** A browser, such as `Firefox on Linux`. */
  readonly browser: string;
  /** The one that asks. */
  readonly isThis: boolean;
}

/** Somebody who may use the inbox. */
export interface PersonView {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** A group of the provider, in place of `email`. */
  readonly group?: string | undefined;
  readonly may: readonly PersonRight[];
  readonly forms?: readonly string[] | undefined;
  /** The config says it, so that nobody can change it here. */
  readonly isFromConfig: boolean;
  readonly at?: number | undefined;
  readonly by?: string | undefined;
  readonly sessions: readonly SessionView[];
}

/** A key with which a program reads. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly forms?: readonly string[] | undefined;
  readonly madeAt: number;
  readonly madeBy: string;
  /** Absent: it does not expire. */
  readonly until?: number | undefined;
  readonly usedAt?: number | undefined;
}

/** The page *People*. Only those who manage get `people` and `keys`. */
export interface PeopleView {
  readonly people: readonly PersonView[];
  readonly keys: readonly KeyView[];
  /** The sessions of the person who asks. */
  readonly mine: readonly SessionView[];
  /** Where people sign in; absent if the config says none. */
  readonly url?: string | undefined;
  /** In words: why nobody can be invited, or no key made. */
  readonly why?: string | undefined;
}

/** All that is stored of one person. */
export interface Found {
  readonly entries: readonly (Entry & { readonly places: readonly string[] })[];
  /** Sealed entries that were not looked into. */
  readonly sealed: number;
}

export interface Erased {
  readonly entries: number;
  /** The places where removal failed, and why. */
  readonly left: readonly string[];
}
