/** docs/testing.md: each line of its list, run in a shell against a relay with the page's config, has the listed result. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHttpClient } from '../../packages/clients/src/http/http_client.ts';
import { listen, startRelay, suiteFolder, type TestRelay } from '../support/index.ts';
import { blocksOf, read } from './papers.ts';

const page = 'docs/testing.md';
const blocks = blocksOf(page);
const config = blocks.find(({ language }) => language === 'yaml')?.text ?? '';
const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const [start = '', words = ''] = shell;

const line = /^- ([^:`]+): `([^`]+)`: (\d+)(?:, `(\{[^`]*)`)?(?:, `(\w+)`)?$/gm;
const rows = [...read(page).matchAll(line)].map(
  ([, label = '', command = '', status = '', answer = '', outcome = '']) =>
    [label, command, status, answer || (status === '200' ? '{"message":"ok"}' : ''), outcome] as const,
);

const http = createHttpClient();
const folder = suiteFolder();
let port: number;
let relay: TestRelay;
/** `sleep` requests this to advance the relay's clock. */
const clock = createServer((request, response) => {
  relay.advance(Number(request.url?.slice(1)) * 1_000);
  response.end();
});

beforeAll(async () => {
  await Promise.all(['received', 'kept'].map((name) => mkdir(join(folder, name))));
  const env = Object.fromEntries(
    [...start.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value]) => [name, value]),
  );
  relay = await startRelay({
    config: config.replaceAll('/tmp/form-relay', folder),
    env: { ...env, CONFIG_FILE: undefined },
    effects: {
      // Cloudflare's answer to its own test secrets.
      http: async (request) =>
        request.url.href.includes('siteverify')
          ? {
              status: 200,
              headers: {},
              body: `{"success":${/secret=1x/.test(request.body)},"error-codes":["invalid-input-response"]}`,
            }
          : http(request),
    },
  });
  port = await listen(clock);
});
afterAll(async () => {
  clock.close();
  await Promise.all([relay.close(), http.close()]);
});

test('the list has a line for each status with which a submission can end', () => {
  const statuses = new Set(rows.map(([, , status]) => status));
  expect([...statuses].toSorted()).toEqual(['200', '303', '400', '403', '404', '405', '422', '429', '500']);
});

test.each(rows)('%s: %s', async (_, command, status, answer, outcome) => {
  const script = `${words}\nsleep() { curl -s "http://127.0.0.1:${port}/$1"; }\n${command}`;
  const before = relay.logged.length;
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', script.replaceAll('http://localhost:8080', relay.origin)],
    { env: { PATH: process.env.PATH, HOME: folder } },
  );
  // Keeps the last of several answers.
  const last = stdout.split(/(?=HTTP\/1)/).at(-1) ?? '';
  const [head = '', body = ''] = last.split('\r\n\r\n');
  expect(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]).toBe(status);
  if (answer !== '') expect(body).toBe(answer);
  const ending = () => relay.logged.slice(before).findLast(({ event }) => event === 'submission')?.outcome;
  await expect.poll(() => ending() ?? '').toBe(outcome);
});
