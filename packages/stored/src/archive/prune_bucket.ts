import { inClear } from '@form-relay/more-outputs/archive_layout';
import type { Tell } from './archive.ts';
import { entryAt, entryOfFolder } from './archive.ts';
import { dropped, formFolder, type ListKeys } from './keys.ts';
import { isFileName, nothingPruned, type Pruned, type PruneRule } from './prune.ts';
import { daySpan, isSweepFile } from './tree.ts';

/** Removes up to 1,000 keys. */
export type RemoveKeys = (keys: readonly string[]) => Promise<void>;

const mostAtOnce = 1_000;

/** Like `prune`. Lists the keys to remove, and one page more of each form; memory holds a page, and the last document. */
export async function pruneKeys(
  list: ListKeys,
  remove: RemoveKeys,
  { before }: PruneRule,
  tell: Tell,
): Promise<Pruned> {
  const pruned = nothingPruned();
  const young = new Set<string>();
  const days = new Set<string>();
  let whole = '';
  let going: string[] = [];
  for await (const { key, form, day, isDocument } of placedKeys(list, (form) => young.has(form), tell)) {
    const limit = before(form);
    if (limit === undefined || day.to > limit) {
      // Times ascend, so all that follows of this form is younger.
      young.add(form);
      if (limit !== undefined) pruned.kept += 1;
      continue;
    }
    if (isDocument) {
      pruned.submissions += 1;
      whole = key.replace(/\.json(\.age)?$/, '/');
    } else pruned[whole !== '' && key.startsWith(whole) ? 'files' : 'orphans'] += 1;
    days.add(`${form}\0${day.from}`);
    pruned.overdueMs = Math.max(pruned.overdueMs, limit - day.to);
    going.push(key);
    if (going.length < mostAtOnce) continue;
    await remove(going);
    going = [];
  }
  if (going.length > 0) await remove(going);
  return { ...pruned, cleared: days.size };
}

/** Keys that belong to an archive, form after form, until the form `isDone`. */
async function* placedKeys(list: ListKeys, isDone: (form: string) => boolean, tell: Tell) {
  let after: string | undefined = '';
  while (after !== undefined) {
    const start: string = after;
    after = undefined;
    for await (const { keys, isLast } of list('', start)) {
      for (const key of keys) {
        if (key.startsWith(dropped) || isSweepFile(key)) continue;
        const placed = placeOf(key);
        if (!placed) tell({ kind: 'foreign', path: key, what: 'is no part of an archive; left alone' });
        else if (!isDone(placed.form)) yield placed;
      }
      const next = isLast ? undefined : following(keys.at(-1) ?? '', isDone);
      if (next === undefined) continue;
      after = next;
      break;
    }
  }
}

/** Where to go on, to skip keys outside the choice; `undefined` to read on. `0` comes after `/`. */
function following(last: string, isDone: (form: string) => boolean): string | undefined {
  if (last.startsWith(dropped)) return dropped.replace('/', '0');
  const form = inClear(last.split('/', 1)[0] ?? '');
  return form !== undefined && isDone(form) ? `${formFolder(form)}0` : undefined;
}

function placeOf(key: string) {
  const slash = key.lastIndexOf('/');
  const document = entryAt(key);
  const entry =
    document ?? (isFileName(key.slice(slash + 1)) ? entryOfFolder(key.slice(0, slash)) : undefined);
  const [year = '', month = '', day = ''] = entry?.folder.split('/').slice(1) ?? [];
  const span = daySpan(year, month, day);
  return entry && span && { key, form: entry.form, day: span, isDocument: document !== undefined };
}
