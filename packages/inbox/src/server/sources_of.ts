import { join, resolve } from 'node:path';
import type { Config } from '@form-relay/core/config/parse';
import type { ArchiveSource, Place, Sources } from '../sources.ts';

/** The places that a config names. Outputs that write to the same place are one archive. */
export function sourcesOf(config: Config): Sources {
  const places = new Map<string, { place: Place; name: string }>();
  for (const form of config.forms.values()) {
    for (const { isArchive, transport } of form.outputs) {
      const name = transport?.target;
      if (!isArchive || name === undefined) continue;
      const place = placeOf(name);
      if (!places.has(keyOf(place))) places.set(keyOf(place), { place, name });
    }
  }
  const archives = [...places.values()];
  const keep = config.shared.get('keep');
  const journal = config.shared.get('journal')?.in.name;
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
    stores: keep ? [{ name: keep.in.name }] : [],
    journal: journal === undefined ? undefined : { place: placeOf(journal), name: journal },
  };
}

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
