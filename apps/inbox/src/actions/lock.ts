import { randomUUID } from 'node:crypto';
import { readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { isBucket } from '@form-relay/stored/archive/open';
import type { ActionDone } from '../api.ts';
import type { Located } from './context.ts';
import { refused } from './context.ts';

/** A lock older than this belongs to a process that was killed: deliveries take half a minute at most. */
const staleMs = 10 * 60_000;

/** The ids that this process is working on. */
const underWay = new Set<string>();

const busy = refused('somebody is restoring it right now');

/** Does the work unless another inbox is at it, as shown by a lock file next to the document. Buckets have no such lock. */
export async function withLock(
  places: readonly Located[],
  work: () => Promise<ActionDone>,
): Promise<ActionDone> {
  const names = places.map(({ in: { name }, path }) => `${name}\0${path}`);
  if (names.some((name) => underWay.has(name))) return busy;
  for (const name of names) underWay.add(name);
  const token = randomUUID();
  const locks: string[] = [];
  try {
    for (const { in: place, path } of places) {
      if (isBucket(place.place)) continue;
      const document = join(place.place, path);
      const stem = basename(document).replace(/\.json(\.age)?$/, '');
      const lock = join(dirname(document), `.${stem}.restoring.tmp`);
      if (!(await isTaken(lock, token))) return busy;
      locks.push(lock);
    }
    return await work();
  } finally {
    for (const name of names) underWay.delete(name);
    for (const lock of locks) await unlink(lock).catch(() => {});
  }
}

async function isTaken(lock: string, token: string): Promise<boolean> {
  try {
    await writeFile(lock, token, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ClientError('it is gone from its archive');
    if (code !== 'EEXIST') throw new ClientError(`${dirname(lock)} cannot be written (${code})`);
    const age = Date.now() - ((await stat(lock).catch(() => undefined))?.mtimeMs ?? Infinity);
    if (!(age > staleMs)) return false;
    await unlink(lock).catch(() => {});
    await writeFile(lock, token, { flag: 'wx', mode: 0o600 }).catch(() => {});
  }
  // Another process may have taken over the same stale lock.
  return (await readFile(lock, 'utf8').catch(() => '')) === token;
}
