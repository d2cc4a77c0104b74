import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../packages/relay/src/base/kept.ts';
import { systemDisk } from '../../../packages/relay/src/keeping/stores/folder/disk.ts';
import { createFolderStore } from '../../../packages/relay/src/keeping/stores/folder.ts';
import { intercepted } from './model_disk.ts';
import type { Subject } from './place.ts';

/** A process that has opened the store: what its timers do, and its end. */
interface Opened {
  readonly tick: () => Promise<void>;
  readonly kill: () => void;
}

export const folder: Subject = {
  laterMs: 60_000,
  create: async () => {
    const above = await mkdtemp(join(tmpdir(), 'kept-'));
    const path = join(above, 'store');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(path);
    let aheadMs = 0;
    let uptimeAheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const opened = new Map<Store, Opened>();
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      open: async () => {
        let isKilled = false;
        const decide = () => (isKilled ? 'dies before' : 'goes on');
        const disk = intercepted(systemDisk(), decide, () => {});
        let tick = async () => {};
        const store = createFolderStore(path, {
          now,
          uptime: () => performance.now() + uptimeAheadMs,
          disk,
          every: (_, work) => {
            tick = work;
            return () => {
              tick = async () => {};
            };
          },
        });
        opened.set(store, {
          tick: () => tick(),
          kill: () => {
            isKilled = true;
            // What it had open is closed.
            void disk.isThere(path);
          },
        });
        return store;
      },
      crash: async (store) => {
        opened.get(store)?.kill();
        opened.delete(store);
        const claimed = join(path, 'claimed');
        const before = (await readdir(claimed)).length;
        // Time passes for the others, who beat meanwhile.
        while ((await readdir(claimed)).length === before) {
          uptimeAheadMs += 10_000;
          for (const { tick } of opened.values()) await tick();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
      fail: async () => {
        await rename(path, `${path}-away`);
        return () => rename(`${path}-away`, path);
      },
      damage: async () => {
        const files = await readdir(path, { recursive: true, withFileTypes: true });
        const file = files.find((one) => one.isFile() && one.parentPath.includes('due'));
        if (!file) throw new Error('there is no file');
        const name = join(file.parentPath, file.name);
        const bytes = await readFile(name);
        bytes[bytes.length - 1] = 0xff ^ (bytes.at(-1) ?? 0);
        await writeFile(name, bytes);
      },
      remove: () => rm(above, { recursive: true }),
    };
  },
};
