/**
 * Checks that the built relay behaves alike on every runtime and deployment: `npm run runtimes`, or `npm run
 * runtimes bun executable` for some. Node 20, 22, 24 and 26, Bun and Deno are installed through npm. Exits
 * with 1 if a promise does not hold, or npm does not have a runtime.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { eachNumber } from '../chaos/loop.ts';
import { artifactPromises } from './artifact_promises.ts';
import { type Artifact, artifacts } from './artifacts.ts';
import { commandPromises } from './command_promises.ts';
import { installed, mounts, packageFolder, runtimes } from './mounts.ts';
import { newPlace } from './place.ts';
import { promises, type Where } from './promises.ts';
import { startWorld } from './world.ts';

/** Areas of the promises. Requests that runtimes may handle differently are cases below. */
const areasOfSuite = [
  ...['submit', 'form', 'fragments', 'cors', 'honeypot'],
  ...['outputs', 'fan_out', 'mails', 'min_fill', 'captcha'],
];

/** Trials mostly wait, so several run at once. */
const atOnce = 4;

// Each trial removes its own listeners at its end.
process.setMaxListeners(0);
const chosen = process.argv.slice(2);
const rows: object[] = [];
const broken: string[] = [];

const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name);
const names = [...runtimes.map(({ name }) => name), ...Object.keys(artifacts)];
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}, but ${names.join(', ')}`);

/** A relay that can be started, and where. */
interface Trial extends Artifact {
  readonly name: string;
  readonly where: Where;
}

await packageFolder();
const trials: Trial[] = (
  await Promise.all(runtimes.filter(({ name }) => isChosen(name)).map(onRuntime))
).flat();
for (const [name, { where, make }] of Object.entries(artifacts)) {
  if (!isChosen(name)) continue;
  const artifact = await make().catch((error) => void broken.push(`${name}: ${said(error)}`));
  if (artifact) trials.push({ ...artifact, name, where });
}
await eachNumber(trials.length, { connections: atOnce }, async (at) =>
  rows.push(await tryOn(trials[at] as Trial)),
);
console.table(rows);
for (const one of broken) console.log(`BROKEN  ${one}`);
process.exit(broken.length > 0 || rows.length === 0 ? 1 : 0);

async function onRuntime(runtime: (typeof runtimes)[number]): Promise<readonly Trial[]> {
  try {
    const found = await installed(runtime);
    return mounts
      .filter(({ isOn }) => isOn(found))
      .map((mount) => ({
        name: `${found.program} ${found.version}, ${mount.name}`,
        where: mount.name,
        start: (env) => mount.start(found, env),
      }));
  } catch (error) {
    broken.push(`npm cannot give ${runtime.package}: ${said(error)}`);
    return [];
  }
}

async function tryOn(trial: Trial): Promise<object> {
  const started = performance.now();
  const { name } = trial;
  let held = 0;
  let lost = 0;
  const hold: Hold = async (promise, test) => {
    try {
      await inTime(test());
      held += 1;
    } catch (error) {
      lost += 1;
      broken.push(`${name}: ${promise}: ${said(error)}`);
    }
  };
  for (const tryAll of [tryCases, trySuite, tryPromises, tryCommands])
    await tryAll(trial, hold).catch((error) => {
      lost += 1;
      broken.push(`${name} does not start: ${said(error)}`);
    });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${name}: ${held} held, ${seconds} s`);
  return { started: name, held, broken: lost, seconds };
}

/** An error in one line: its first lines and its last, where programs write what stopped them. */
function said(error: unknown): string {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  return (lines.length > 12 ? [...lines.slice(0, 2), '…', ...lines.slice(-10)] : lines).join(' ');
}

type Hold = (promise: string, test: () => Promise<void>) => Promise<void>;

/** Sends requests one at a time, and checks the exact result of each. */
async function tryCases({ where, start }: Trial, hold: Hold): Promise<void> {
  // Miniflare sets its own host; packages/runtimes/test/cloudflare.test.ts covers these cases.
  if (where === 'Worker') return;
  const sink = await startHttpSink({ answer: ({ url }) => ({ status: url === '/broken' ? 500 : 200 }) });
  const relay = await start({
    CONFIG_INLINE: casesConfig(sink.origin),
    THROTTLE_RATE_LIMIT: '1000',
    THROTTLE_BURST_LIMIT: '1000',
  });
  for (const given of cases) {
    // A server behind `fetch` may close during an upload if the client asked it to close.
    const headers = { ...given.headers, ...(where === 'fetch' ? { connection: 'keep-alive' } : {}) };
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

/** Skips promises that do not apply to a function, which handles one request at a time. The others are the same program. */
async function trySuite({ where, start }: Trial, hold: Hold): Promise<void> {
  if (!['relay serve', 'createNodeServer', 'fetch'].includes(where)) return;
  const suite = await startSuite({
    name: where,
    start: async (wanted) => {
      const config = { CONFIG_INLINE: JSON.stringify({ forms: wanted.forms }) };
      const { origin, stop } = await start({ ...wanted.env, ...settingsOf(wanted), ...config });
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

/** All of them on one relay, in order. */
async function tryPromises({ where, start, place }: Trial, hold: Hold): Promise<void> {
  const world = await startWorld(place ?? (await newPlace()), where === 'Worker');
  const relay = await start(world.env, world.config);
  const given = { ...world, ...relay };
  const all = where === 'Worker' ? artifactPromises : { ...artifactPromises, ...promises };
  for (const [promise, one] of Object.entries(all))
    if (one.where?.includes(where) ?? true) await hold(promise, () => one.holds(given));
  await relay.stop();
  await world.close();
}

async function tryCommands({ place, command }: Trial, hold: Hold): Promise<void> {
  if (!place || !command) return;
  // The folder contains the earlier submissions of the trial.
  for (const [promise, holds] of Object.entries(commandPromises))
    await hold(promise, () => holds(command, place));
}

/** Fails a promise that takes more than a minute. */
function inTime(test: Promise<void>): Promise<void> {
  const late = sleep(60_000).then(() => Promise.reject(new Error('not within 60 s')));
  return Promise.race([test, late]);
}
