/**
 * Whatever the built relay runs on, the same holds: `npm run runtimes`, or `npm run runtimes bun node24` for some. Node 20,
 * 22, 24 and 26, Bun and Deno come through npm. Exits with 1 when a promise does not hold, or npm cannot give a runtime.
 */
import assert from 'node:assert/strict';
import { areas } from '../../test/promises/areas/index.ts';
import { settingsOf } from '../../test/promises/form_relay.ts';
import { startSuite } from '../../test/promises/suite.ts';
import {
  cases,
  casesConfig,
  deliveredTo,
  sendTo,
  sentOf,
  wantedBy,
} from '../../test/support/adapter_cases.ts';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { type Installed, installed, type Mount, mounts, runtimes } from './mounts.ts';
import { promises } from './promises.ts';
import { startWorld } from './world.ts';

/** Areas of the promises that look at more than requests, which are cases below. */
const areasOfSuite = ['outputs', 'fan_out', 'mails', 'min_fill', 'captcha'];

/** Most of a trial is waiting. */
const atOnce = 4;

const asked = process.argv.slice(2);
const rows: object[] = [];
const broken: string[] = [];

const wanted = runtimes.filter(({ name }) => asked.length === 0 || asked.includes(name));
const trials = (await Promise.all(wanted.map(orMissing))).flatMap((found) =>
  found ? mounts.filter(({ isOn }) => isOn(found)).map((mount) => ({ found, mount })) : [],
);
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let trial = trials.shift(); trial; trial = trials.shift())
      rows.push(await tryOn(trial.found, trial.mount));
  }),
);
console.table(rows);
for (const one of broken) console.log(`BROKEN  ${one}`);
process.exit(broken.length > 0 || rows.length === 0 ? 1 : 0);

async function orMissing(runtime: (typeof runtimes)[number]): Promise<Installed | undefined> {
  try {
    return await installed(runtime);
  } catch (error) {
    broken.push(`npm cannot give ${runtime.package}: ${said(error)}`);
    return undefined;
  }
}

async function tryOn(runtime: Installed, mount: Mount): Promise<object> {
  const started = performance.now();
  const name = `${runtime.program} ${runtime.version}, ${mount.name}`;
  let held = 0;
  const hold: Hold = async (promise, test) => {
    try {
      await inTime(test());
      held += 1;
    } catch (error) {
      broken.push(`${name}: ${promise}: ${said(error)}`);
    }
  };
  for (const tryAll of [tryCases, trySuite, tryPromises])
    await tryAll(runtime, mount, hold).catch((error) =>
      broken.push(`${name} does not start: ${said(error)}`),
    );
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${name}: ${held} held, ${seconds} s`);
  return { started: name, held, broken: broken.filter((one) => one.startsWith(name)).length, seconds };
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
    // Such a server may close while an upload still comes, if the client asked it to close.
    const headers = { ...given.headers, ...(mount.name === 'fetch' ? { connection: 'keep-alive' } : {}) };
    await hold(`${given.promise} (${given.request})`, async () => {
      const before = sink.requests.length;
      for (let time = 0; time < (given.times ?? 1); time += 1) {
        const answer = await sendTo(new URL(relay.origin).port, sentOf({ ...given, headers }));
        assert.equal(answer.status, given.status);
        assert.match(
          answer.body,
          given.holds instanceof RegExp ? given.holds : new RegExp(escaped(given.holds ?? '')),
        );
        for (const [name, value] of Object.entries(given.answered ?? {}))
          assert.equal(answer.headers[name], value);
      }
      assert.deepEqual(deliveredTo(sink.requests.slice(before), given), wantedBy(given));
    });
  }
  await relay.stop();
  await sink.close();
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A function answers one request after the other, which some of these promises are not about. */
async function trySuite(runtime: Installed, mount: Mount, hold: Hold): Promise<void> {
  if (mount.name === 'Lambda') return;
  const suite = await startSuite({
    name: mount.name,
    start: async (asked) => {
      const config = { CONFIG_INLINE: JSON.stringify({ forms: asked.forms }) };
      const { origin, stop } = await mount.start(runtime, { ...asked.env, ...settingsOf(asked), ...config });
      return { url: origin, stop: async () => void (await stop()) };
    },
  });
  const tryArea = async (area: string) => {
    for (const [id, promise] of Object.entries(areas[area]?.promises ?? {}))
      await hold(`${area}/${id}: ${promise.says}`, async () => (await suite.try(promise))());
  };
  await Promise.all(areasOfSuite.map(tryArea));
  await suite.stop();
}

/** All of them on one relay, in their order. */
async function tryPromises(runtime: Installed, mount: Mount, hold: Hold): Promise<void> {
  const world = await startWorld();
  const relay = await mount.start(runtime, world.env);
  const given = { ...world, ...relay };
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
