import { readDocumentPath } from '../../transports/archive/entry.ts';
import type { Archive, Tell } from './archive.ts';
import { type Choice, days, foreign, isUnfinished } from './walk.ts';

/** A submission in an archive, as its place tells it. */
export interface Entry {
  readonly form: string;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Names the submission, as the log and the visitor's answer do. */
  readonly id: string;
  /** The folder of its day. */
  readonly folder: string;
  /** The name of its document. */
  readonly document: string;
  readonly isSealed: boolean;
}

export const documentPath = ({ folder, document }: Entry): string => `${folder}/${document}`;

/** The submissions of an archive: form after form, the oldest first. The names of one day are held, and nothing else. */
export async function* entries(archive: Archive, choice: Choice, tell: Tell): AsyncGenerator<Entry> {
  const { since = -Infinity, until = Infinity } = choice;
  for await (const { folder } of days(archive, choice, tell)) {
    for await (const thing of archive.list(folder)) {
      const { name, kind } = thing;
      if (isUnfinished(thing)) continue;
      const place = readDocumentPath(`${folder}/${name}${kind === 'folder' ? '.json' : ''}`);
      if (!place || kind === 'other') {
        tell(foreign(folder, thing));
      } else if (kind === 'file' && place.receivedAt >= since && place.receivedAt < until) {
        const { jobId, ...rest } = place;
        // The place of the output follows the id of the submission.
        yield { ...rest, id: jobId.replace(/-\d+$/, ''), folder, document: name };
      }
    }
  }
}
