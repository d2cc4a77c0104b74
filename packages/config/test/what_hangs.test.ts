/** Config sources that hang, or are not files: the relay soon says so, keeps serving, and loads again once they recover. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { httpSink, relayWith, type TestRelay, tempFolder } from '../../../test/support/index.ts';
import { serve } from '../../cli/test/served.ts';

/** A config whose only form has this name, to tell which config is in use. */
const configOf = (form: string) =>
  `forms: {${form}: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`;

const has = async ({ get }: TestRelay, form: string) => (await get(`/api/v1/form/${form}`)).status === 200;

function pathInFolder(): string {
  const folder = tempFolder();
  return join(folder, 'webform.yaml');
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const kinds: [what: string, make: (path: string) => unknown, reason: string][] = [
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'this is a pipe, not a file'],
  ['a directory', (path) => mkdirSync(path), 'this is a directory, not a file'],
  ['nothing', () => {}, 'the file does not exist'],
  [
    'a socket',
    async (path) => {
      const server = net.createServer().listen(path);
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    },
    'this is a socket, not a file',
  ],
  ['a file over 16 MB', (path) => writeFileSync(path, Buffer.alloc(2 ** 24 + 1)), 'the file is over 16 MB'],
];

test.runIf(process.platform === 'linux').each(kinds)(
  'if the config is %s, the log says so, and once it is fixed it loads',
  async (_, make, reason) => {
    const path = pathInFolder();
    await make(path);
    const relay = await relayWith({ env: { CONFIG_FILE: path } });
    expect((await relay.get('/readyz')).status).toBe(503);
    expect(relay.logged).toEqual([expect.objectContaining({ event: 'config_unavailable', reason })]);
    rmSync(path, { recursive: true, force: true });
    write(path, configOf('repaired'));
    expect(await has(relay, 'repaired')).toBe(true);
  },
);

test.runIf(process.platform === 'linux')('SIGTERM ends a relay whose config is a pipe', async () => {
  const path = pathInFolder();
  execFileSync('mkfifo', [path]);
  const { child, started } = await serve({ env: { CONFIG_FILE: path }, stderr: 'ignore' });
  expect(started).toContain('the config does not load');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test.runIf(process.platform === 'linux').each([
  ['/dev/zero', 'this is a device, not a file'],
  // The file has size 0, but almost no end.
  ['/proc/self/pagemap', 'the file is over 16 MB'],
])('%s is not read to its end', async (path, reason) => {
  const relay = await relayWith({ env: { CONFIG_FILE: path } });
  expect((await relay.get('/readyz')).status).toBe(503);
  expect(relay.logged).toEqual([expect.objectContaining({ event: 'config_unavailable', reason })]);
});

test.runIf(process.platform === 'linux')(
  'a config file that turns into a pipe while the relay runs, and into a file again',
  async () => {
    const path = pathInFolder();
    write(path, configOf('one'));
    const relay = await relayWith({ env: { CONFIG_FILE: path } });
    expect(await has(relay, 'one')).toBe(true);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    for (let refresh = 0; refresh < 5; refresh += 1) {
      relay.advance(30_000);
      expect(await has(relay, 'one')).toBe(true);
    }
    write(path, configOf('two'));
    const isRepaired = async () => {
      relay.advance(30_000);
      return has(relay, 'two');
    };
    await expect.poll(isRepaired).toBe(true);
  },
);

test('a start during a write acknowledges nothing that it does not deliver', async () => {
  const sink = await httpSink();
  const output = (path: string) => `      - {type: http_post, url: "${sink.origin}/${path}", mapping: "*"}\n`;
  const half = `forms:\n  contact:\n    fields: [{name: a}]\n    outputs:\n${output('first')}`;
  const path = pathInFolder();
  const writtenAt = Date.now();
  const write = (text: string) => {
    writeFileSync(path, text);
    utimesSync(path, writtenAt / 1_000, writtenAt / 1_000);
  };
  write(half);
  const waited: number[] = [];
  const relay = await relayWith({
    env: { CONFIG_FILE: path },
    effects: {
      now: () => writtenAt + 100,
      sleep: async (ms) => {
        waited.push(ms);
        write(half + output('second'));
      },
    },
  });
  expect((await relay.submit('contact', 'a=1')).status).toBe(200);
  expect(sink.requests.map(({ url }) => url).sort()).toEqual(['/first', '/second']);
  expect(waited).toEqual([250, 100]);
});

test('while a refresh hangs, requests use the last good config, and its result is used later', async () => {
  const hanging: ServerResponse[] = [];
  let isHanging = false;
  const s3 = createServer((_, response) => {
    if (isHanging) hanging.push(response);
    else response.end(configOf('one'));
  });
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    s3.closeAllConnections();
    s3.close();
  });
  const relay = await relayWith({
    env: {
      CONFIG_BUCKET: 'configs',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
    },
  });
  expect(await has(relay, 'one')).toBe(true);

  isHanging = true;
  relay.advance(30_000);
  const answers = Array.from({ length: 8 }, () => has(relay, 'one'));
  expect(await Promise.all(answers)).toEqual(Array(8).fill(true));
  // The source got one request, still pending, and no other request waits for it.
  expect(hanging.map(({ writableEnded, destroyed }) => writableEnded || destroyed)).toEqual([false]);
  expect(relay.relay.config.get()).toBe(relay.relay.config.current);
  expect(relay.logged.map(({ event }) => event)).toEqual(['config_loaded']);

  hanging[0]?.end(configOf('two'));
  await expect.poll(() => has(relay, 'two')).toBe(true);
});
