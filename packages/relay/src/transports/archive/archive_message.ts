import type { UploadedFile } from '../../base/files.ts';
import type { ArchivedField, EntryPlace } from './entry.ts';

/** A submission for an archive. */
export interface Entry extends EntryPlace {
  /** Names the submission, as in the log. */
  readonly id: string;
  readonly page: { readonly url: string; readonly title: string } | undefined;
  readonly fields: readonly ArchivedField[];
  readonly files: readonly { readonly field: string; readonly file: UploadedFile }[];
}

/** For whom an entry is sealed: keys such as `age1…`, which were checked, or a file that holds some, one a line. */
export type SealFor = { readonly recipients: readonly string[] } | { readonly file: string };

/** What every message for an archive has. */
export interface Archived {
  readonly entry: Entry;
  /** `undefined`: whoever can read the archive can read the entry. */
  readonly sealFor: SealFor | undefined;
}
