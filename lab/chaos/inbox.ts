/**
 * Sends submissions to relays that archive and queue, while outputs fail and relays are killed; then checks
 * what an inbox says of each.
 */
import { mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folder } from '../../packages/stores/src/folder/index.ts';
import { tempFolder } from '../../scripts/machine.ts';
import { urlencoded } from './client.ts';
import { compare, compareReport, type Sent } from './inbox_ledger.ts';
import { bodyOf, configOf, type Folders, planOf, stuckForm } from './inbox_plan.ts';
import { openSinks } from './inbox_sinks.ts';
import { keepSecret, openKept, waiting } from './kept.ts';
import { eachNumber, type RunOptions } from './loop.ts';
import { Clock, type Fleet, type FleetOptions, faultsOf, startFleet } from './relays.ts';

export interface InboxOptions extends Omit<RunOptions, 'onProgress'>, FleetOptions {
  readonly submissions: number;
  /** A relay is killed after about this many answers. */
  readonly killAfter: number;
  /** The average time between two outages of the output, in milliseconds. */
  readonly outageEveryMs: number;
  /** The time limit for everything to arrive after recovery. */
  readonly drainMs: number;
  readonly onProgress?: (words: string) => void;
}

/** Milliseconds per second by which the clock is advanced, so that queued deliveries become due; faster after recovery. */
const pushMs = { sending: 40_000, draining: 600_000 };

export async function runInbox(options: InboxOptions) {
  const { seed, submissions, onProgress = () => {} } = options;
  const root = tempFolder('inbox');
  const folders: Folders & { index: string } = {
    archive: join(root, 'archive'),
    kept: join(root, 'kept'),
    index: join(root, 'index'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  const sinks = await openSinks(seed, options.outageEveryMs);
  const clock = new Clock();
  const logs = join(root, 'log');
  const env = { CONFIG_INLINE: configOf(folders, sinks.ports), CHAOS_LOG: logs, ...keepSecret };
  const fleet = await startFleet(options, env, clock);
  let pushes = pushMs.sending;
  const pushing = setInterval(() => clock.push(fleet.copies, pushes), 1_000);

  const sent = new Map<number, Sent>();
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const sending = { ...options, onProgress: (n: number) => onProgress(`${n} sent`) };
  await eachNumber(submissions, sending, async (n) => sent.set(n, await submit(fleet, agent, seed, n)));
  const { SIGKILL: kills } = await fleet.calm();
  agent.destroy();
  await sinks.heal();
  onProgress('all sent');

  pushes = pushMs.draining;
  const place = { name: folders.kept, type: folder };
  const store = await openKept(place, {}, clock, Infinity);
  // Waits until the queue holds only what no output accepts.
  const until = performance.now() + options.drainMs;
  let left = await waiting(store, stuckForm);
  while (left.length > 0 && performance.now() < until) {
    await sleep(1_000);
    left = await waiting(store, stuckForm);
  }
  clearInterval(pushing);
  const lives = await fleet.end();
  await sinks.close();
  onProgress('all delivered');
  const compared = await compare({ seed, folders, sent, sinks, store });
  const reported = await compareReport({ seed, folders, sent, store, logs });
  await store.close();
  return {
    ...compared,
    report: reported.counts,
    kills,
    outages: sinks.outages,
    violations: [...faultsOf(lives), ...left, ...compared.violations, ...reported.violations],
  };
}

/** Sends it once to a listening relay, and returns the result. */
async function submit(fleet: Fleet, agent: Agent, seed: number, n: number): Promise<Sent> {
  const path = `/api/v1/submit/${planOf(seed, n).form}`;
  const asked = { path, agent, headers: urlencoded, body: bodyOf(seed, n) };
  const { status, headers } = await fleet.send(n, asked);
  return typeof status === 'number' ? { status, id: String(headers['x-request-id']) } : {};
}
