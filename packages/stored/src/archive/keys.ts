/** An archive as the keys of a bucket, which come in their order. */
import { droppedFolder, folderOf } from '@form-relay/more-outputs/archive_layout';
import { type Choice, type Entry, entryAt, entryOfFolder, isChosen, type Tell } from './archive.ts';
import { isSweepFile } from './in_folder.ts';

/** The keys of an archive that begin with `prefix` and come after `after`, in pages. Throws a `ClientError`. */
export type ListKeys = (
  prefix: string,
  after: string,
) => AsyncIterable<{ readonly keys: readonly string[]; readonly isLast: boolean }>;

/** The submissions of a choice. A page of keys is held, and nothing else. */
export async function* entriesAmongKeys(list: ListKeys, choice: Choice, tell: Tell): AsyncGenerator<Entry> {
  const { form, since } = choice;
  const prefix = form === undefined ? '' : `${formFolder(form)}/`;
  let after: string | undefined =
    form === undefined || since === undefined ? '' : folderOf({ form, receivedAt: since });
  while (after !== undefined) {
    const start: string = after;
    after = undefined;
    for await (const { keys, isLast } of list(prefix, start)) {
      let last: Entry | undefined;
      for (const key of keys) {
        // Rejected submissions form an archive of their own.
        if (key.startsWith(dropped) || isSweepFile(key)) continue;
        const document = entryAt(key);
        last = document ?? entryOfFolder(key.slice(0, key.lastIndexOf('/')));
        if (document && isChosen(document, choice)) yield document;
        else if (!last) tell({ kind: 'foreign', path: key, what: 'is no part of an archive; left alone' });
      }
      // Jumps ahead instead of listing page after page outside the choice.
      const isDropped = keys.at(-1)?.startsWith(dropped);
      if (!isLast) after = isDropped ? `${droppedFolder}0` : last && behind(last, choice);
      if (after !== undefined) break;
    }
  }
}

/** The name to continue from if an entry, and all that follow it, are outside the choice; `undefined` to read on. */
function behind(
  { form, receivedAt }: Entry,
  { since = -Infinity, until = Infinity }: Choice,
): string | undefined {
  // `0` comes after `/`.
  if (receivedAt >= until) return `${formFolder(form)}0`;
  const first = folderOf({ form, receivedAt: Math.max(since, receivedAt) });
  return first === folderOf({ form, receivedAt }) ? undefined : first;
}

export const dropped = `${droppedFolder}/`;

export const formFolder = (form: string) => folderOf({ form, receivedAt: 0 }).split('/', 1)[0];
