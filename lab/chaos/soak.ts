/** Sends every kind of traffic for half an hour: memory and open files must stay flat (README.md). */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, tempFolder } from '../../scripts/machine.ts';
import { chance, choose } from './chance.ts';
import { replaceFile, startSinks } from './ledger.ts';
import { startSink } from './listener.ts';
import { claims, counter } from './loop.ts';
import { RelayProcess } from './relays.ts';
import { configWithEverything } from './submission.ts';
import { type Answered, pay, visits } from './visitors.ts';

/** Growth from the end of the warm-up to the end; open files at rest, compared with before the load. */
const bounds = { rssMb: 20, heapMb: 5, fdsAtRest: 10 };

/** Statuses that the relay may answer. */
const statuses = new Set([200, 204, 303, 400, 404, 405, 408, 413, 422, 431, 500]);

const secret = 'a secret that is for this run and no other';
/** Variables that a relay needs when everything in webform.yaml is switched on. */
const everything = {
  FORM_TOKEN_SECRET: secret,
  RECEIPT_SECRET: `another, ${secret}`,
  TRUSTED_PROXIES: '127.0.0.1',
  PUBLIC_URL: 'http://127.0.0.1',
  METRICS_PORT: '0',
};

interface SoakOptions {
  readonly minutes: number;
  /** Maximum requests per second. */
  readonly rate: number;
  readonly connections: number;
  readonly seed: number;
}

export async function runSoak({ minutes, rate, connections, seed }: SoakOptions) {
  const configFile = join(tempFolder('soak'), 'webform.yaml');
  // More numbers than needed, because a repeated submission is treated differently.
  const sinks = await startSinks({ seed, submissions: 1_000_000, outageEveryMs: 10_000 });
  const alerts = await startSink(async (_, body) => {
    await body();
    return 200;
  });
  const folder = tempFolder('everything');
  const config = JSON.stringify(configWithEverything(sinks.ports, alerts.port, folder));
  const writeConfig = (version: number) => replaceFile(configFile, `# ${version}\n${config}`);
  writeConfig(0);
  const relay = new RelayProcess(
    await freePort(),
    { CONFIG_FILE: configFile, CACHE_TTL: '1s', ...everything },
    ['--expose-gc', '--require', fileURLToPath(new URL('probe.cjs', import.meta.url))],
  );
  await relay.listening;

  const { counts: answers, count } = counter();
  const { violations: failures, claim } = claims();
  let requests = 0;
  let isOver = false;
  /** Resident memory at every second, in MB. */
  const rss: number[] = [];

  const samples: Record<string, object> = {};
  let last = { at: performance.now(), requests: 0 };

  async function sample(name: string) {
    relay.child.send('how are you');
    const [probe] = await once(relay.child, 'message');
    const now = { at: performance.now(), requests };
    const recent = rss.slice(-60).sort((a, b) => a - b);
    const found = {
      'RSS MB': Math.round(recent[Math.floor(recent.length / 2)] ?? rssMb()),
      'heap MB': Number(probe.heapMb.toFixed(1)),
      fds: fds(),
      handles: probe.handles,
      'event-loop delay p99 ms': Number(probe.delayP99Ms.toFixed(1)),
      'requests/s': Math.round(((now.requests - last.requests) / (now.at - last.at)) * 1_000),
    };
    last = now;
    samples[name] = found;
    console.table({ [name]: found });
    return found;
  }

  const rssMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${relay.child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const fds = () => readdirSync(`/proc/${relay.child.pid}/fd`).length;

  /** The visits of one connection, each started when it is due. */
  async function visitor(): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const id = requests;
      requests += 1;
      const due = startedAt + (id / rate) * 1_000;
      if (due > performance.now()) await sleep(due - performance.now());
      const visit = choose(visits, chance(seed, id, 9));
      const to = { port: relay.port, agent, seed, id };
      const answered: Answered = await pay(visit, to).catch((error) => {
        failures.push(String(error));
        return 'none' as const;
      });
      claim(answered === 'none' || statuses.has(answered), `an answer with status ${answered}`);
      count(answered);
    }
    agent.destroy();
  }

  const start = await sample('start, before any request');
  const startedAt = performance.now();
  const everySecond = setInterval(() => rss.push(rssMb()), 1_000);
  const reloads = setInterval(() => writeConfig(requests), 5_000);
  const visitors = Array.from({ length: connections }, visitor);

  const ms = minutes * 60_000;
  await sleep(Math.min(ms / 5, 180_000));
  const warm = await sample('warmed up');
  await sleep(startedAt + ms / 2 - performance.now());
  await sample('middle');
  await sleep(startedAt + ms - performance.now());
  const end = await sample('end');
  isOver = true;
  clearInterval(reloads);
  clearInterval(everySecond);
  await Promise.all(visitors);
  // The relay keeps connections to sinks for four seconds, and a stalled visitor's for fifteen.
  await sleep(20_000);
  const rest = await sample('at rest again, 20 s later');
  await relay.end('SIGTERM');
  await sinks.end();
  await alerts.close();

  const check = (what: string, grown: number, bound: number) =>
    claim(grown <= bound, `${what} grew by ${grown.toFixed(1)}, more than ${bound}`);
  check('RSS (MB)', end['RSS MB'] - warm['RSS MB'], bounds.rssMb);
  check('heap (MB)', end['heap MB'] - warm['heap MB'], bounds.heapMb);
  check('open files at rest', rest.fds - start.fds, bounds.fdsAtRest);
  failures.push(...relay.faults);
  return { violations: failures, requests, samples, answers };
}
