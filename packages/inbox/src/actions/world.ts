import { join } from 'node:path';
import type { Config } from '@form-relay/core/config/parse';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { Store } from '@form-relay/queue/index';
import type { Archive } from '@form-relay/stored/archive/archive';
import { archiveInBucket } from '@form-relay/stored/archive/in_bucket';
import { archiveInFolder } from '@form-relay/stored/archive/in_folder';
import { type RemoveEntry, removeInBucket, removeInFolder } from '@form-relay/stored/archive/remove_entry';
import type { JournalLine } from '@form-relay/telemetry/journal/lines';
import { openJournal } from '@form-relay/telemetry/journal/open_journal';
import type { ArchiveSource } from '../sources.ts';

/** The means of acting on submissions. */
export interface ActionWorld {
  /** The latest config that loads. */
  readonly config: () => Config | undefined | Promise<Config | undefined>;
  readonly settings: Settings;
  /** Those of a relay that retries nothing itself. */
  readonly services: Services;
  /** In the order of `Sources.archives`. */
  readonly archives: readonly ActionArchive[];
  /** In the order of `Sources.stores`. */
  readonly stores: readonly Store[];
  /** The file with the verdicts on submissions in buckets, which have none beside them. */
  readonly verdicts?: string | undefined;
  /** Adds a line to the journal, if there is one. */
  readonly write: (line: JournalLine) => void;
}

/** An archive that can be read and changed. Its place is the root of its entries: that of a dropped one ends with `.dropped`. */
export interface ActionArchive extends ArchiveSource {
  readonly archive: Archive;
  readonly remove: RemoveEntry;
}

/** The journal of the config, for the lines that actions write. Close it before the process ends. */
export function journalForActions({ shared }: Config, services: Services): ActionJournal {
  const journal = shared.get('journal');
  return journal ? openJournal(journal.in, services) : { write: () => {}, close: async () => {} };
}

interface ActionJournal {
  readonly write: ActionWorld['write'];
  close(): Promise<void>;
}

export function openForActions(source: ArchiveSource): ActionArchive {
  const { place } = source;
  return place.kind === 'folder'
    ? { ...source, archive: archiveInFolder(place.path), remove: removeInFolder(place.path) }
    : { ...source, archive: archiveInBucket(place.url), remove: removeInBucket(place.url) };
}

/** A file in the folder of an archive. `undefined` in a bucket. */
export const fileIn = ({ place }: ActionArchive, path: string): string | undefined =>
  place.kind === 'folder' ? join(place.path, path) : undefined;
