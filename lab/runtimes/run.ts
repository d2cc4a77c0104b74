/**
 * Whatever the built relay runs on, the same holds: `npm run runtimes`, or `npm run runtimes bun node24` for some. Node 20,
 * 22, 24 and 26, Bun and Deno come through npm. Exits with 1 when a promise does not hold; a runtime that cannot be had is
 * told of and left out.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import { type Answer, cases, casesConfig, ours, type Sent } from '../../test/support/adapter_cases.ts';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { type Installed, installed, type Mount, mounts, runtimes } from './mounts.ts';
import { promises } from './promises.ts';
import { startWorld } from './world.ts';

interface Row {
  readonly runtime: string;
  readonly mount: Mount['name'];
  held: number;
  readonly broken: string[];
  ms: number;
}

const asked = process.argv.slice(2);
const rows: Row[] = [];
const missing: string[] = [];

for (const runtime of runtimes.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const found = orMissing(runtime);
  if (!found) continue;
  for (const mount of mounts.filter(({ isOn }) => isOn(found))) rows.push(await tryOn(found, mount));
}

console.table(
  rows.map(({ runtime, mount, held, broken, ms }) => ({
    runtime,
    'started as': mount,
    held,
    broken: broken.length,
    s: Math.round(ms / 1_000),
  })),
);
for (const { runtime, mount, broken } of rows)
  for (const one of broken) console.log(`BROKEN  ${runtime}, ${mount}: ${one}`);
for (const one of missing) console.log(`SKIPPED  ${one}`);
process.exit(rows.some(({ broken }) => broken.length > 0) || rows.length === 0 ? 1 : 0);

function orMissing(runtime: (typeof runtimes)[number]): Installed | undefined {
  try {
    return installed(runtime);
  } catch {
    missing.push(`${runtime.package} cannot be had through npm here`);
    return undefined;
  }
}

async function tryOn(runtime: Installed, mount: Mount): Promise<Row> {
  const started = performance.now();
  const row: Row = {
    runtime: `${runtime.program} ${runtime.version}`,
    mount: mount.name,
    held: 0,
    broken: [],
    ms: 0,
  };
  const hold = async (promise: string, test: () => Promise<void>) => {
    try {
      await inTime(test());
      row.held += 1;
    } catch (error) {
      row.broken.push(`${promise}: ${said(error)}`);
    }
  };
  for (const tryAll of [tryCases, tryPromises]) {
    try {
      await tryAll(runtime, mount, hold);
    } catch (error) {
      row.broken.push(`it does not start: ${said(error)}`);
    }
  }
  row.ms = performance.now() - started;
  console.log(`${row.runtime}, ${row.mount}: ${row.held} held, ${row.broken.length} broken`);
  return row;
}

/** As far as one line has room for it. */
function said(error: unknown): string {
  return error instanceof Error ? error.message.split('\n').slice(0, 12).join(' ') : String(error);
}

type Hold = (promise: string, test: () => Promise<void>) => Promise<void>;

/** Requests one at a time, and exactly what each leads to. */
async function tryCases(runtime: Installed, mount: Mount, hold: Hold): Promise<void> {
  const sink = await startHttpSink({ answer: ({ url }) => ({ status: url === '/broken' ? 500 : 200 }) });
  const relay = await mount.start(runtime, {
    CONFIG_INLINE: casesConfig(sink.origin),
    THROTTLE_RATE_LIMIT: '1000',
    THROTTLE_BURST_LIMIT: '1000',
  });
  for (const given of cases) {
    const [method = '', target = ''] = given.request.split(' ');
    await hold(`${given.promise} (${given.request})`, async () => {
      const before = sink.requests.length;
      const body = Buffer.from(given.body ?? '');
      const sent = { method, target, headers: { host: 'relay.test', ...given.headers }, body };
      const answer = await send(relay.origin, sent);
      const delivered = sink.requests.slice(before).map((request) => request.body);
      assert.equal(answer.status, given.status);
      assert.match(
        answer.body,
        given.holds instanceof RegExp ? given.holds : new RegExp(escaped(given.holds ?? '')),
      );
      for (const [name, value] of Object.entries(given.answered ?? {}))
        assert.equal(answer.headers[name], value);
      assert.deepEqual(delivered, given.delivered === undefined ? [] : [given.delivered]);
    });
  }
  await relay.stop();
  await sink.close();
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Not `fetch`, which puts paths in order before it sends them. */
function send(origin: string, { method, target, headers, body }: Sent): Promise<Answer> {
  const length = body.length > 0 ? { 'content-length': body.length } : {};
  const { hostname: host, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    http
      .request(
        { agent: false, host, port, method, path: target, headers: { ...headers, ...length } },
        async (incoming) => {
          const chunks = await incoming.toArray();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: ours(new Headers(incoming.headers as Record<string, string>)),
            body: Buffer.concat(chunks).toString(),
          });
        },
      )
      .on('error', reject)
      .end(body);
  });
}

/** All of them on one relay, in their order. */
async function tryPromises(runtime: Installed, mount: Mount, hold: Hold): Promise<void> {
  const world = await startWorld();
  const relay = await mount.start(runtime, world.env);
  const given = { ...world, ...relay, livesOn: mount.name !== 'Lambda' };
  for (const { area, promise, on, holds } of promises) {
    if (on && !on.includes(mount.name)) continue;
    await hold(`${area}: ${promise}`, () => holds(given));
  }
  await relay.stop();
  await world.close();
}

/** A promise that takes a minute does not hold. */
function inTime(test: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not within 60 s')), 60_000);
  });
  return Promise.race([test, late]).finally(() => clearTimeout(timer));
}
