import { resolve } from 'node:path';
import type { Config } from '@form-relay/core/config';
import { isBucket } from '@form-relay/stored/archive/open';

/** The places that a config names: the inbox reads them, and nothing else. */

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
