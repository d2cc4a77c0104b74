/** The places that a config names. The inbox reads no others. */

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
  /** Whether it holds rejected submissions: `.dropped` in the archive. */
  readonly isDropped: boolean;
}

export interface Sources {
  readonly archives: readonly ArchiveSource[];
  /** The config's `keep.in`, if it has one. `IndexedEntry.kept` counts stores from 0. */
  readonly stores: readonly { readonly name: string }[];
}

/** The places that a config names. Outputs that write to the same place share one archive. */
export function sourcesOf(config: Config): Sources {
  /** Maps each place to its name. */
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
      // Rejected submissions, in the same layout.
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
  /** The document's path inside the archive. */
  readonly path: string;
}

/** A queued delivery, as its store last reported it. */
export interface KeptAt {
  /** The index in `Sources.stores`. */
  readonly store: number;
  /** The delivery's id. */
  readonly id: string;
  /** When the relay will retry; absent if the delivery waits for its owner, or the store cannot tell. */
  readonly nextAt?: number | undefined;
  readonly waitsForOwner?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly keptAt?: number | undefined;
  /** Why the last attempt failed: the kind of failure, and its description. */
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

export interface IndexedEntry extends Entry {
  /** Documents of the entry, delivered ones before dropped ones. */
  readonly stored: readonly StoredAt[];
  readonly kept: readonly KeptAt[];
  /** Changes and withdrawals, oldest first. */
  readonly changes: readonly IndexedEntry[];
}

export type ExportRow = Pick<IndexedEntry, 'id' | 'form' | 'receivedAt' | 'state' | 'stored'> & {
  readonly latest?: Pick<IndexedEntry, 'id' | 'form' | 'stored'>;
  readonly work?: WorkDetail | undefined;
};

/** The forms that the caller may read. `undefined`: all. */
export type Forms = ReadonlySet<string> | undefined;

export interface CountedForm {
  readonly id: string;
  readonly total: number;
  readonly unread: number;
  /** Counts by state: unmarked entries, and all entries with queued deliveries. */
  readonly attention: Counts;
  /** Fingerprint that changes with any state, mark or read flag of the form's entries. */
  readonly print: number;
}

export interface MarkCounts {
  readonly spam: number;
  readonly ham: number;
  /** Marked, but unusable for learning: only the owner's key opens sealed entries. */
  readonly sealed: number;
  /** Marked since a given time. */
  readonly newer: number;
}

export interface MarkedAt extends StoredAt {
  readonly isSpam: boolean;
  /** Milliseconds since the epoch; 0 if the mark has no time. */
  readonly markedAt: number;
}

/** Methods that are forwarded unchanged to the index's thread. */
export const directMethods = [
  ...(['window', 'get', 'ofAddress', 'countSealed', 'setRead', 'setMark', 'countMarks', 'marked'] as const),
  ...(['forget', 'forms', 'troubles', 'page', 'reasons', 'numbers', 'annotate', 'unknownWork'] as const),
];

type Async<Method> = Method extends (...values: infer V) => infer R
  ? (...values: V) => Promise<Awaited<R>>
  : never;

type DirectMethods = { readonly [name in (typeof directMethods)[number]]: Async<Service[name]> };

/** The full-text index, which lives in a worker thread. All methods reject once it is closed. */
export interface EntryIndex extends DirectMethods {
  /** All matching entries, newest first, in batches. @param ids Selects these instead of the query. */
  rows(query: Query, forms: Forms, ids?: readonly string[]): AsyncIterable<readonly ExportRow[]>;
  /** Reads a submission's places again immediately after an action. */
  refresh(...ids: readonly string[]): Promise<void>;
  /** Calls back after changes, at most five times a second. Returns a function that unsubscribes. */
  onChange(then: (change: Change) => void): () => void;
  onProgress(then: (progress: Progress | undefined) => void): () => void;
  close(): Promise<void>;
}

/** Entries that need attention for the same reason. */
export interface KeptReason {
  readonly form: string;
  readonly reason: string;
  readonly count: number;
  /** For queued deliveries: the output's index, the kind of failure, and when the oldest was queued. */
  readonly output?: number;
  readonly code?: string | undefined;
  readonly waitsForOwner?: boolean;
  readonly since?: number;
}
