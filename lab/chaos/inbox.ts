/** Submissions to relays that archive and keep while outputs fail and relays are killed; then, what an inbox says of each. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folder } from '../../packages/stores/src/folder/index.ts';
import { ask, urlencoded } from './client.ts';
import { compare, compareReport, type Sent } from './inbox_ledger.ts';
import { bodyOf, configOf, type Folders, planOf, stuckForm } from './inbox_plan.ts';
import { openSinks } from './inbox_sinks.ts';
import { keepSecret, openKept, waiting } from './kept.ts';
import { eachNumber } from './loop.ts';
import { Clock, Copy, faultsOf, restartAll } from './relays.ts';

export interface InboxRun {
  readonly submissions: number;
  readonly seed: number;
  readonly relays: number;
  /** Submissions under way at once. */
  readonly connections: number;
  /** A relay is killed after about as many answers. */
  readonly killAfter: number;
  /** Milliseconds between two outages of the output, about. */
  readonly outageEveryMs: number;
  /** How long all may take to arrive once everything has recovered. */
  readonly drainMs: number;
  /** Ends the sending early; what was sent is judged. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (words: string) => void;
}

/** Kept deliveries are due when the clock is pushed on: by so much a second, and by more once all has recovered. */
const pushMs = { sending: 40_000, draining: 600_000 };

export async function runInbox(run: InboxRun) {
  const { seed, submissions, onProgress = () => {} } = run;
  const root = mkdtempSync(join(tmpdir(), 'relay-chaos-inbox-'));
  const folders: Folders & { index: string } = {
    archive: join(root, 'archive'),
    kept: join(root, 'kept'),
    index: join(root, 'index'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  const sinks = await openSinks(seed, run.outageEveryMs);
  const clock = new Clock();
  const logs = join(root, 'log');
  const env = { CONFIG_INLINE: configOf(folders, sinks.ports), CHAOS_LOG: logs, ...keepSecret };
  const copies = await Copy.startAll(run.relays, env, clock);
  let pushes = pushMs.sending;
  const pushing = setInterval(() => clock.push(copies, pushes), 1_000);
  const killing = restartAll(copies, run);

  const sent = new Map<number, Sent>();
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const turns = {
    count: submissions,
    atOnce: run.connections,
    signal: run.signal,
    onProgress: (n: number) => onProgress(`${n} sent`),
    progressEvery: 5_000,
  };
  await eachNumber(turns, async (n) => sent.set(n, await submit(copies, agent, seed, n)));
  const { SIGKILL: kills } = await killing.end();
  agent.destroy();
  await sinks.heal();
  onProgress('all sent');

  pushes = pushMs.draining;
  const place = { name: folders.kept, type: folder };
  const store = await openKept(place, {}, clock, Infinity);
  // Nothing is left but what no output takes.
  const until = performance.now() + run.drainMs;
  let left = await waiting(store, stuckForm);
  while (left.length > 0 && performance.now() < until) {
    await sleep(1_000);
    left = await waiting(store, stuckForm);
  }
  clearInterval(pushing);
  const lives = await Copy.endAll(copies);
  await sinks.close();
  onProgress('all delivered');
  const compared = await compare({ seed, folders, sent, sinks, store });
  const reported = await compareReport({ seed, folders, sent, store, logs });
  await store.close();
  await rm(root, { recursive: true });
  return {
    ...compared,
    report: reported.counts,
    kills,
    outages: sinks.outages,
    violations: [...faultsOf(lives), ...left, ...compared.violations, ...reported.violations],
  };
}

/** Sends it once to a relay that listens, and says what came of it. */
async function submit(copies: readonly Copy[], agent: Agent, seed: number, n: number): Promise<Sent> {
  const path = `/api/v1/submit/${planOf(seed, n).form}`;
  for (let nth = n; ; nth += 1) {
    const { port } = (copies[nth % copies.length] as Copy).relay;
    const { status, headers } = await ask({ port, path, agent, headers: urlencoded, body: bodyOf(seed, n) });
    if (typeof status === 'number') return { status, id: String(headers['x-request-id']) };
    if (status !== 'refused') return {};
    await sleep(10);
  }
}
