import type { Finding } from '../../base/config_finding.ts';
import type { Address } from '../../base/networks.ts';

/** What a list file may hold, one a line. */
export const listKinds = ['words', 'addresses', 'domains', 'networks'] as const;
export type ListKind = (typeof listKinds)[number];

/** A list as the config names it: a path, from where the config is. */
export interface ListFile<K extends ListKind = ListKind> {
  readonly kind: K;
  readonly path: string;
}

/** What is asked of a list of each kind. */
export interface ListOf {
  /** How many different ones of its words and phrases a text has, up to a few. */
  readonly words: { count(text: string): number };
  readonly addresses: { has(address: string): boolean };
  /** Whether it has this domain, or one that this is below. */
  readonly domains: { has(domain: string): boolean };
  readonly networks: { has(address: Address): boolean };
}

/** The lists of a config. `undefined`: it was not read, as in a quick look at a config that is being written. */
export interface Lists {
  of<K extends ListKind>(file: ListFile<K>): ListOf[K] | undefined;
}

export const noLists: Lists = { of: () => undefined };

/** A list while its lines are read. */
export interface Growing<K extends ListKind> {
  /** Takes a line, without comments and spaces around it; or says what is wrong with it. */
  add(entry: string): Misread | undefined;
  readonly list: ListOf[K];
}

/** What is wrong with an entry, or with a stretch of it. Says nothing of what stands there: it may be an address. */
export interface Misread {
  readonly finding: Finding;
  /** From where in the entry, and how far. Default: all of it. */
  readonly offset?: number;
  readonly length?: number;
}
