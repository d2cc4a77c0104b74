/** The places that a config names: the inbox reads them, and nothing else. */

import { resolve } from 'node:path';
import type { Config } from '@form-relay/core/config';
import { isBucket } from '@form-relay/stored/archive/open';
import type { Change, Counts, Entry, Progress, Query, WorkDetail } from './api.ts';
import type { Service } from './index/service.ts';

export interface ArchiveSource {
  /** A folder's absolute path, or `s3://bucket/prefix`. */
  readonly place: string;
  /** As the config names it. */
  readonly name: string;
  /** Holds rejected submissions: `.dropped` in the archive. */
  readonly isDropped: boolean;
}

export interface Sources {
  readonly archives: readonly ArchiveSource[];
  /** The config's `keep.in`, if it keeps. The first is 0 in `IndexedEntry.kept`. */
  readonly stores: readonly { readonly name: string }[];
}

/** The places that a config names. Outputs that write to the same place are one archive. */
export function sourcesOf(config: Config): Sources {
  /** Their names. */
  const places = new Map<string, string>();
  for (const form of config.forms.values()) {
    for (const { isArchive, transport } of form.outputs) {
      const name = transport?.target;
      if (!isArchive || name === undefined) continue;
      const place = placeOf(name);
      if (!places.has(place)) places.set(place, name);
    }
  }
  const keep = config.shared.get('keep');
  return {
    archives: [
      ...[...places].map(([place, name]) => ({ place, name, isDropped: false })),
      // Submissions that were turned away, in the same layout.
      ...[...places].map(([place, name]) => ({
        place: `${place}/.dropped`,
        name: `${name.replace(/\/$/, '')}/.dropped`,
        isDropped: true,
      })),
    ],
    stores: keep ? [{ name: keep.in.name }] : [],
  };
}

const placeOf = (name: string): string => (isBucket(name) ? name.replace(/\/$/, '') : resolve(name));

/** A place in an archive. */
export interface StoredAt {
  /** The index in `Sources.archives`. */
  readonly archive: number;
  /** The document's path inside it. */
  readonly path: string;
}

/** A delivery in a store, as the store last reported it. */
export interface KeptAt {
  /** The index in `Sources.stores`. */
  readonly store: number;
  /** The delivery's. */
  readonly id: string;
  /** When the relay tries it next; absent if it waits for its owner, or the store cannot tell. */
  readonly nextAt?: number | undefined;
  readonly waitsForOwner?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly keptAt?: number | undefined;
  /** Why its last try failed: the kind of failure, and in words. */
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** A submission as the index knows it. */
export interface IndexedEntry extends Entry {
  /** The documents of the entry, delivered ones before dropped ones. */
  readonly stored: readonly StoredAt[];
  /** The deliveries of the entry in stores. */
  readonly kept: readonly KeptAt[];
  /** Changes and withdrawal, the oldest first. */
  readonly changes: readonly IndexedEntry[];
}

/** A submission to export. */
export type ExportRow = Pick<IndexedEntry, 'id' | 'form' | 'receivedAt' | 'state' | 'stored'> & {
  /** The latest change. */
  readonly latest?: Pick<IndexedEntry, 'id' | 'form' | 'stored'>;
  readonly work?: WorkDetail | undefined;
};

/** Limits a choice to some forms: those of the person who asks. `undefined`: all. */
export type Forms = ReadonlySet<string> | undefined;

export interface CountedForm {
  readonly id: string;
  readonly total: number;
  readonly unread: number;
  /** How many of each nobody marked; of those with deliveries that wait, all. */
  readonly attention: Counts;
  /** Changes with any state, mark or read flag of its entries. */
  readonly print: number;
}

export interface MarkCounts {
  readonly spam: number;
  readonly ham: number;
  /** Neither: only their owner's key opens them. */
  readonly sealed: number;
  /** Marked after a moment. */
  readonly newer: number;
}

/** Where a marked submission is stored. */
export interface MarkedAt extends StoredAt {
  readonly isSpam: boolean;
  /** Milliseconds since the epoch; 0 if its mark does not say. */
  readonly markedAt: number;
}

/** Methods whose calls go to the thread of the index unchanged. */
export const directMethods = [
  ...(['window', 'get', 'ofAddress', 'countSealed', 'setRead', 'setMark', 'countMarks', 'marked'] as const),
  ...(['forget', 'forms', 'troubles', 'page', 'reasons', 'numbers', 'annotate', 'unknownWork'] as const),
];

type Async<Method> = Method extends (...values: infer V) => infer R
  ? (...values: V) => Promise<Awaited<R>>
  : never;

type DirectMethods = { readonly [name in (typeof directMethods)[number]]: Async<Service[name]> };

/** The full-text index. The index lives in a worker thread; all methods reject once it is closed. */
export interface EntryIndex extends DirectMethods {
  /** All of a choice, newest first, in pieces. @param ids In place of a choice. */
  rows(query: Query, forms: Forms, ids?: readonly string[]): AsyncIterable<readonly ExportRow[]>;
  /** Looks at a submission's places at once, after an action changed them. */
  refresh(...ids: readonly string[]): Promise<void>;
  /** Calls back after changes, at most five times a second. Returns how to stop. */
  onChange(then: (change: Change) => void): () => void;
  onProgress(then: (progress: Progress | undefined) => void): () => void;
  close(): Promise<void>;
}

/** Entries that need a look for the same reason. */
export interface KeptReason {
  readonly form: string;
  readonly reason: string;
  readonly count: number;
  /** For kept deliveries: the output's place, the kind of failure, and when the oldest was kept. */
  readonly output?: number;
  readonly code?: string | undefined;
  readonly waitsForOwner?: boolean;
  readonly since?: number;
}
