/** Exports over HTTP: what their thread reads, and when it ends. */

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Written } from '../../../packages/stored/test/entries.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { stage } from './stage.ts';

const entries = [1, 2, 3].map(
  (nth): Written => ({
    id: `e${nth}`,
    at: `2026-11-2${nth}T10:00:00.000Z`,
    values: { [`field${nth}`]: ['text'] },
  }),
);

describe.each(['csv', 'jsonl'])('an export as %s', (format) => {
  /** The program of its thread, which notes each document that it opens, and is connected for as long as it runs. */
  async function watched() {
    const folder = tempFolder();
    const server = net.createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const opened = join(folder, 'opened');
    const built = fileURLToPath(new URL('../../../dist/cli/export_worker.cjs', import.meta.url));
    const program = `const fs = require('node:fs');
      const { openSync } = fs;
      fs.openSync = (path, ...more) => {
        if (path.endsWith('.json')) fs.appendFileSync(${JSON.stringify(opened)}, path + '\\n');
        return openSync(path, ...more);
      };
      require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1').unref();
      require(${JSON.stringify(built)});`;
    await writeFile(join(folder, 'watched.cjs'), program);
    const connected = once(server, 'connection') as Promise<[net.Socket]>;
    return { exportProgram: pathToFileURL(join(folder, 'watched.cjs')), opened, connected };
  }

  test('reads each document once, and ends its thread', async () => {
    const { exportProgram, opened, connected } = await watched();
    const { ask } = await stage(entries, { exportProgram });
    const [thread] = await Promise.all([connected, ask(`/api/export?format=${format}`)]);
    const paths = (await readFile(opened, 'utf8')).trimEnd().split('\n');
    expect(paths).toHaveLength(3);
    expect(new Set(paths).size).toBe(3);
    if (!thread[0].closed) await once(thread[0].resume(), 'close');
  });
});
