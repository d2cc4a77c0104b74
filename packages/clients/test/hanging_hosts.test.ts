/** A host that hangs, in the DNS or later, does not delay other hosts. */

import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { startBusyServer } from '../../../test/support/busy_server.ts';
import { startHttpSink, startRelay, startSmtpScript, tempFolder } from '../../../test/support/index.ts';
import { serve } from '../../cli/test/served.ts';
import { createHttpClient } from '../src/http/http_client.ts';
import { createTryConnect } from '../src/probes/http.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  vi.restoreAllMocks();
});

const v4 = (address: string) => ({ address, family: 4 });
type Addresses = readonly { readonly address: string; readonly family: number }[];

/** Replaces the DNS for `.test`. Names without addresses get no response until the test has ended. */
function stageDns(hosts: Readonly<Record<string, Addresses>>) {
  const lookups: string[] = [];
  const real = dns.lookup as unknown as LookupFunction;
  const lookup: LookupFunction = (host, options, callback) => {
    // Servers look up the addresses on which they listen.
    if (!host.endsWith('.test')) return real(host, options, callback);
    lookups.push(host);
    const addresses = hosts[host];
    if (addresses) return callback(null, [...addresses]);
    const failure = Object.assign(new Error(), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' });
    cleanups.push(() => callback(failure, []));
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  return lookups;
}

async function started<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const one = await starting;
  cleanups.push(one.close);
  return one;
}

test('posts to a host whose DNS hangs share one lookup, and do not delay other hosts', async () => {
  const lookups = stageDns({ 'good.test': [v4('127.0.0.1')], 'mail.test': [v4('127.0.0.1')] });
  const sink = await started(startHttpSink());
  const script = await started(startSmtpScript());
  const form = (output: string) => `{fields: [{name: email}], outputs: [{mapping: "*", ${output}}]}`;
  const relay = await started(
    startRelay({
      config: `
forms:
  hanging: ${form('type: http_post, url: "http://hanging.test/", timeout: 300ms')}
  good: ${form(`type: http_post, url: "http://good.test:${sink.port}/"`)}
  mail: ${form(`type: smtp, host: mail.test, port: ${script.port}, to: a@b.example`)}
`,
    }),
  );
  const submit = async (name: string) => (await relay.submit(name, [['email', 'a@b.example']])).status;
  const hanging = Array.from({ length: 12 }, () => submit('hanging'));
  expect(await Promise.all(['good', 'mail'].map(submit))).toEqual([200, 200]);
  expect(await Promise.all(hanging)).toEqual(Array(12).fill(500));
  expect(lookups.toSorted()).toEqual(['good.test', 'hanging.test', 'mail.test']);
});

test.each([
  ['http_post', (port: number) => `type: http_post, url: "http://both.test:${port}/"`],
  ['smtp', (port: number) => `type: smtp, host: both.test, port: ${port}, to: a@b.example`],
])('%s: a host that refuses connections at all its addresses is retried', async (_, output) => {
  stageDns({ 'both.test': [v4('127.0.0.1'), v4('127.0.0.2')] });
  const { port, close } = await startHttpSink();
  await close();
  const relay = await started(
    startRelay({
      config: `forms: {f: {fields: [{name: email}], outputs: [{mapping: "*", ${output(port)}}]}}`,
      effects: { random: () => 0.5 },
    }),
  );
  expect((await relay.submit('f', [['email', 'a@b.example']])).status).toBe(500);
  expect(relay.waited).toEqual([750]);
  expect(relay.logged.find(({ event }) => event === 'retrying')?.reason).toBe('connect ECONNREFUSED');
});

const http = createHttpClient();
const post = { headers: {}, body: '', timeoutMs: 10_000 };
const url = (port: number) => new URL(`http://slow.test:${port}`);

test.runIf(process.platform === 'linux').each<[string, (port: number) => Promise<unknown>]>([
  ['http_client', (port) => http({ url: url(port), ...post })],
  ['a connection', (port) => createTryConnect()({ host: 'slow.test', port, tls: false, timeoutMs: 10_000 })],
  // On a busy machine, the second packet may be lost, too.
])(
  'an address may lose a packet even if other addresses of the host refuse (%s)',
  { retry: 2 },
  async (_, connect) => {
    const busy = await started(startBusyServer());
    vi.spyOn(dns, 'lookup').mockImplementation(((_host, _options, callback) => {
      callback(null, [v4('127.0.0.1'), v4('127.0.0.2')]);
      busy.wake();
    }) as LookupFunction as unknown as typeof dns.lookup);
    await connect(busy.port);
  },
);

test.runIf(process.platform === 'linux')(
  'a hanging connect does not keep `relay serve` from ending',
  async () => {
    const busy = await started(startBusyServer());
    const config = join(tempFolder(), 'webform.yaml');
    const output = `{type: http_post, url: "http://127.0.0.1:${busy.port}/", mapping: "*", timeout: 200ms}`;
    writeFileSync(config, `forms: {f: {fields: [{name: email}], outputs: [${output}]}}`);
    const { child, origin } = await serve({ env: { CONFIG_FILE: config }, stderr: 'ignore' });
    const body = new URLSearchParams({ email: 'a@b.example' });
    expect((await fetch(`${origin}/api/v1/submit/f`, { method: 'POST', body })).status).toBe(500);
    const startedAt = performance.now();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },
);

test.runIf(process.platform !== 'win32')(
  '`relay serve` has threads left when four of them hang',
  async () => {
    const path = tempFolder();
    const config = join(path, 'webform.yaml');
    writeFileSync(config, 'forms: {}');
    const pipe = join(path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const before = join(path, 'before.cjs');
    // The next tick comes after the program's own first lines. Opening a pipe without a writer hangs.
    writeFileSync(
      before,
      `process.nextTick(() => { for (const _ of '1234') require('node:fs').open(${JSON.stringify(pipe)}, () => {}); });`,
    );
    const { origin } = await serve({
      env: { CONFIG_FILE: config, NODE_OPTIONS: `--require ${before}` },
      stderr: 'ignore',
    });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  },
);
