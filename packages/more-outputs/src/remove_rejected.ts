import { lstat, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { ClientError } from '@form-relay/core/kit';
import { droppedFolder, readDocumentPath, segmentOf } from './archive_layout.ts';

/** The name of the file that says that old ones of a form were removed on a day. Readers of archives skip it. */
const sweptName = (segment: string, day: string) => `.${segment}.${day}.swept`;

/** Removes what was rejected before, once a day among the processes that share the folder. */
export async function removeRejected(
  folder: string,
  form: string,
  before: number,
  now: number,
): Promise<void> {
  const root = join(folder, droppedFolder);
  const segment = segmentOf(form);
  try {
    if (!(await isFolder(root)) || !(await isFolder(join(root, segment)))) return;
    const [today = ''] = new Date(now).toISOString().split('T');
    if (await isFirst(root, segment, today)) await removeDays(root, segment, before);
  } catch (error) {
    throw folderFailure(error, root);
  }
}

const dayMs = 86_400_000;

/** A relay may be off for a weekend. */
const mostDays = 3;

/** Claims the day for this process, and removes what earlier claims left. Throws if the clock may have jumped since. */
async function isFirst(root: string, segment: string, today: string): Promise<boolean> {
  const own = sweptName(segment, today);
  try {
    await (await open(join(root, own), 'wx', 0o600)).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  const start = `.${segment}.`;
  let last = today;
  for (const name of await readdir(root)) {
    const [, day = ''] = /^(\d{4}-\d\d-\d\d)\.swept$/.exec(name.slice(start.length)) ?? [];
    if (!name.startsWith(start) || day === '' || name >= own) continue;
    last = last === today || day > last ? day : last;
    await gone(unlink(join(root, name)));
  }
  const days = (Date.parse(today) - Date.parse(last)) / dayMs;
  if (days > mostDays)
    throw new ClientError(
      `the clock jumped, or the relay was off for ${days} days; old ones stay for another day`,
    );
  return true;
}

/** Removes documents first, and nothing that the relay did not write. No link is followed. */
async function removeDays(root: string, segment: string, before: number): Promise<void> {
  for (const year of await folders(root, segment, /^\d{4}$/)) {
    for (const month of await folders(root, year, /^\d\d$/)) {
      for (const day of await folders(root, month, /^\d\d$/)) {
        const [, date = ''] = /^[^/]+\/(.*)$/.exec(day) ?? [];
        const from = Date.parse(`${date.replaceAll('/', '-')}T00:00:00Z`);
        if (!(from + dayMs <= before)) continue;
        await removeDay(root, day);
      }
      await gone(rmdir(join(root, month)));
    }
    await gone(rmdir(join(root, year)));
  }
}

async function removeDay(root: string, day: string): Promise<void> {
  const entries = await readdir(join(root, day), { withFileTypes: true });
  for (const { name } of entries.filter((one) => one.isFile())) {
    const isDocument = readDocumentPath(`${day}/${name}`) !== undefined;
    if (isDocument || isUnfinished(name)) await gone(unlink(join(root, day, name)));
  }
  for (const { name } of entries.filter((one) => one.isDirectory())) {
    if (!readDocumentPath(`${day}/${name}.json`)) continue;
    const path = join(root, day, name);
    for (const file of await readdir(path, { withFileTypes: true })) {
      const isOwn = file.isFile() && (isUnfinished(file.name) || /^[1-9]\d*(-.|\.age$)/.test(file.name));
      if (isOwn) await gone(unlink(join(path, file.name)));
    }
    await gone(rmdir(path));
  }
  await gone(rmdir(join(root, day)));
}

const isUnfinished = (name: string) => /^\..+\.tmp$/.test(name);

/** Paths from the root. */
async function folders(root: string, inside: string, name: RegExp): Promise<readonly string[]> {
  const things = await readdir(join(root, inside), { withFileTypes: true });
  return things
    .filter((one) => one.isDirectory() && name.test(one.name))
    .map((one) => `${inside}/${one.name}`);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A file that is gone counts as removed, and a folder that is not empty stays. */
const gone = (removal: Promise<void>) =>
  removal.catch((error) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error;
  });

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
