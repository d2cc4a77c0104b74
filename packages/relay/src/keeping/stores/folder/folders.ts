import { join } from 'node:path';
import { failed } from '../../../base/client_error.ts';
import { codeOf, type Disk } from './disk.ts';

/** Folders inside the store's own, made when they are needed. */
export interface Folders {
  /** The path of one that is there for good, with those above it. */
  made(inside: string): Promise<string>;
  /** What is in it by now is on the disk when it resolves. Those who ask at the same time wait for the same. */
  sync(path: string): Promise<void>;
  /** Somebody has tidied up meanwhile. */
  forget(): void;
  /** @throws ClientError where the store's own is not there: nobody makes that. */
  check(): Promise<void>;
}

/** About those of a day. */
const mostRemembered = 1_000;

export function createFolders(root: string, disk: Disk): Folders {
  const known = new Map<string, Promise<string>>();
  const made = (inside: string): Promise<string> => {
    const making = known.get(inside) ?? make(inside);
    if (known.size >= mostRemembered) known.clear();
    known.set(inside, making);
    making.catch(() => known.delete(inside));
    return making;
  };
  async function make(inside: string): Promise<string> {
    const at = inside.lastIndexOf('/');
    const above = at < 0 ? root : await made(inside.slice(0, at));
    if (at < 0) await check();
    const path = join(root, inside);
    try {
      await disk.makeFolder(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await disk.isFolder(path, false))) throw failed('folder_with_link', { path: root });
    }
    // Also where it was there: who has made it may not have come so far.
    await sync(above);
    return path;
  }
  async function check(): Promise<void> {
    if (!(await disk.isFolder(root, true))) throw failed('folder_is_none', { path: root });
  }
  const syncing = new Map<string, Promise<void>>();
  const nextSync = new Map<string, Promise<void>>();
  /** One that has begun may miss what came since. */
  function sync(path: string): Promise<void> {
    const next = nextSync.get(path);
    if (next !== undefined) return next;
    const before = syncing.get(path) ?? Promise.resolve();
    const begun = before
      .catch(() => {})
      .then(async () => {
        nextSync.delete(path);
        syncing.set(path, begun);
        await disk.syncFolder(path);
      })
      .finally(() => {
        if (syncing.get(path) === begun) syncing.delete(path);
      });
    nextSync.set(path, begun);
    return begun;
  }
  return { made, sync, forget: () => known.clear(), check };
}
