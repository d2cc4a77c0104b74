import { join, resolve } from 'node:path';
import type { Config } from '@form-relay/core/config/parse';
import type { ArchiveSource, Place, Sources } from '../sources.ts';

/** The places that a config names. Outputs that write to the same place are one archive. */
export function sourcesOf(config: Config): Sources {
  const places = new Map<string, { place: Place; name: string }>();
  for (const form of config.forms.values()) {
    for (const { target } of form.outputs) {
      const found = target && archiveAt(target.via, target.name);
      if (found && !places.has(keyOf(found))) places.set(keyOf(found), { place: found, name: target.name });
    }
  }
  const archives = [...places.values()];
  const name = config.journal?.in.name;
  return {
    archives: [
      ...archives.map(({ place, name }): ArchiveSource => ({ place, name, isDropped: false })),
      ...archives.map(
        ({ place, name }): ArchiveSource => ({
          place: droppedIn(place),
          name: `${name.replace(/\/$/, '')}/.dropped`,
          isDropped: true,
        }),
      ),
    ],
    stores: config.keep ? [{ name: config.keep.in.name }] : [],
    journal: name === undefined ? undefined : { place: placeOf(name), name },
  };
}

const archiveAt = (via: string, name: string): Place | undefined =>
  via === 'folder' ? { kind: 'folder', path: resolve(name) } : via === 's3' ? placeOf(name) : undefined;

const placeOf = (name: string): Place =>
  name.startsWith('s3://')
    ? { kind: 's3', url: name.replace(/\/$/, '') }
    : { kind: 'folder', path: resolve(name) };

const keyOf = (place: Place) => (place.kind === 'folder' ? place.path : place.url);

/** Submissions that were turned away, in the same layout. */
const droppedIn = (place: Place): Place =>
  place.kind === 'folder'
    ? { kind: 'folder', path: join(place.path, '.dropped') }
    : { kind: 's3', url: `${place.url}/.dropped` };
