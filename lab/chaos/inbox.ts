/** Submissions to relays that archive, keep and journal while outputs fail and relays are killed; then, what an inbox says of each. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Keep, Store } from '../../packages/relay/src/base/kept.ts';
import { openStore } from '../../packages/relay/src/keeping/stores/index.ts';
import { awsAccount } from '../../packages/relay/src/transports/aws/account.ts';
import { createNodeHttp } from '../../packages/relay/src/transports/http/node_client.ts';
import { between, chance } from './chance.ts';
import { compare, type Sent } from './inbox_ledger.ts';
import { bodyOf, configOf, type Folders, planOf, stuckForm } from './inbox_plan.ts';
import { openSinks } from './inbox_sinks.ts';
import { Copy, type RelayProcess } from './relays.ts';

export interface InboxRun {
  readonly submissions: number;
  readonly seed: number;
  readonly relays: number;
  /** Submissions under way at once. */
  readonly connections: number;
  /** How many submissions are sent from one kill to the next, about. */
  readonly killEvery: number;
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
  const startedAt = performance.now();
  const root = mkdtempSync(join(tmpdir(), 'relay-chaos-inbox-'));
  const folders: Folders & { index: string } = {
    archive: join(root, 'archive'),
    kept: join(root, 'kept'),
    journal: join(root, 'journal'),
    index: join(root, 'index'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  const sinks = await openSinks(seed, run.outageEveryMs);
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  const clockFile = fileURLToPath(new URL('clock.cjs', import.meta.url));
  const config = configOf(folders, sinks.ports);
  const copies = await Promise.all(
    Array.from({ length: run.relays }, () =>
      Copy.start(
        () => ({
          CONFIG_INLINE: config,
          KEEP_SECRET: 'a secret that is for this run and no other',
          CHAOS_AHEAD_MS: String(clock.aheadMs),
        }),
        ['--require', clockFile],
      ),
    ),
  );
  let pushes = pushMs.sending;
  const pushing = setInterval(() => {
    clock.aheadMs += pushes;
    for (const { relay } of copies) relay.child.send(clock.aheadMs, () => undefined);
  }, 1_000);

  const sent = new Map<number, Sent>();
  const kills = new Map<RelayProcess, number>();
  let isOver = false;
  const killing = (async () => {
    for (let count = 0; !isOver; count += 1) {
      const enough = sent.size + run.killEvery * between(0.5, 1.5, chance(seed, -3, count));
      while (!isOver && sent.size < enough) await sleep(1);
      if (isOver) return;
      const copy = copies[Math.floor(chance(seed, -4, count) * copies.length)] as Copy;
      kills.set(copy.relay, performance.now());
      await copy.replace('SIGKILL');
    }
  })();
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  let next = 0;
  const visitor = async () => {
    for (let n = next++; n < submissions && !run.signal?.aborted; n = next++) {
      sent.set(n, await submit(copies, agent, seed, n));
      if (n % 5_000 === 0) onProgress(`${n} sent`);
    }
  };
  await Promise.all(Array.from({ length: run.connections }, visitor));
  isOver = true;
  await killing;
  agent.destroy();
  sinks.heal();
  onProgress('all sent');

  pushes = pushMs.draining;
  const drainedAt = performance.now();
  const store = await openKept(folders.kept, clock.now);
  const left = await drain(store, run.drainMs);
  const drainSeconds = (performance.now() - drainedAt) / 1_000;
  clearInterval(pushing);
  await Promise.all(copies.map((copy) => copy.end('SIGTERM')));
  sinks.close();
  onProgress('all delivered');
  const compared = await compare({ seed, folders, sent, kills, sinks, store });
  await store.close();
  await rm(root, { recursive: true });
  const faults = copies.flatMap(({ ended }) => ended).flatMap(({ faults }) => faults);
  return {
    ...compared,
    seconds: (performance.now() - startedAt) / 1_000,
    drainSeconds,
    kills: kills.size,
    outages: sinks.outages,
    violations: [...faults.map((fault) => `a relay: ${fault}`), ...left, ...compared.violations],
  };
}

/** Sends it once to a relay that listens, and says what came of it. */
async function submit(copies: readonly Copy[], agent: Agent, seed: number, n: number): Promise<Sent> {
  const path = `/api/v1/submit/${planOf(seed, n).form}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (let nth = n; ; nth += 1) {
    const { relay } = copies[nth % copies.length] as Copy;
    const answer = await new Promise<Sent | 'refused'>((resolve) => {
      const asked = request({ host: '127.0.0.1', port: relay.port, method: 'POST', path, headers, agent });
      asked.on('response', (response) => {
        response.resume();
        response.on('close', () =>
          resolve({
            relay,
            at: performance.now(),
            ...(response.complete && {
              status: response.statusCode,
              id: String(response.headers['x-request-id']),
            }),
          }),
        );
      });
      asked.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code === 'ECONNREFUSED' ? 'refused' : { relay, at: performance.now() }),
      );
      asked.end(bodyOf(seed, n));
    });
    if (answer !== 'refused') return answer;
    await sleep(10);
  }
}

/** As the inbox opens it. */
function openKept(path: string, now: () => number): Promise<Store> {
  const where = {
    in: { kind: 'folder', name: path, path },
    forMs: Infinity,
    sealTo: [],
    filesIn: undefined,
  } as const;
  // biome-ignore lint/suspicious/noThenProperty: what becomes of a delivery then.
  const keep: Keep = { ...where, then: 'aside' };
  const readEnv = () => undefined;
  const aws = { account: awsAccount(readEnv), http: createNodeHttp(now), now };
  return openStore(keep, { readEnv, aws, now });
}

/** Waits until nothing is kept but what no output takes. */
async function drain(store: Store, drainMs: number): Promise<readonly string[]> {
  const until = performance.now() + drainMs;
  for (;;) {
    const left: string[] = [];
    for await (const { kept, aside } of store.list()) {
      if (kept.form !== stuckForm) left.push(`${kept.id} of ${kept.form} waits (${aside ?? 'due'})`);
    }
    if (left.length === 0 || performance.now() > until) return left.slice(0, 20);
    await sleep(1_000);
  }
}
