import { name } from '@form-relay/schema/scalars';
import { jsonSchemaOf, type Schema, schema } from '@form-relay/schema/schema';
import type { Model } from './model.ts';

/** The kinds of list files, which have an entry per line. */
export const listKinds = ['words', 'addresses', 'domains', 'model'] as const;
export type ListKind = (typeof listKinds)[number];

/** A list file named in a config, relative to it. */
export interface ListFile<K extends ListKind = ListKind> {
  readonly kind: K;
  readonly path: string;
}

/** The query of each kind. */
export interface ListOf {
  /** Counts the distinct words and phrases of the list in a text, up to a few. */
  readonly words: { count(text: string): number };
  readonly addresses: { has(address: string): boolean };
  /** Whether the list has this domain or a parent of it. */
  readonly domains: { has(domain: string): boolean };
  /** Not a list of entries, but read, watched and replaced like one. */
  readonly model: { readonly model: Model | undefined };
}

/** The lists of a config. `undefined`: not loaded, as in a quick check while the config is edited. */
export interface Lists {
  of<K extends ListKind>(file: ListFile<K>): ListOf[K] | undefined;
}

export const noLists: Lists = { of: () => undefined };

/** A list under construction. */
export interface ListBuilder<K extends ListKind> {
  /** Adds a line without comments and surrounding spaces, or returns its mistake. */
  add(entry: string): Misread | undefined;
  /** Called once after all of it. Returns what is wrong with the whole. */
  end?(): Misread | undefined;
  readonly list: ListOf[K];
}

/** A mistake in an entry. Never quotes the entry, which may be an address. */
export interface Misread {
  /** Names the mistake for programs. */
  readonly code: string;
  readonly message: string;
}

/** The path of a list file, which is read once the config's keys are right. */
export const listFile = <K extends ListKind>(kind: K): Schema<ListFile<K>> =>
  schema(
    () => ({ ...jsonSchemaOf(name()), title: 'path of a list' }),
    (value, at) => {
      const path = name()(value, at);
      return path === undefined ? undefined : { kind, path };
    },
  );
