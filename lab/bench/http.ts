/**
 * How much of a bare server's throughput is left when it does all that the relay does. Everything that is compared runs
 * in turn on one core, so only the ratios say anything (README.md).
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startByHand } from './by_hand.ts';
import { load, startSink } from './load.ts';
import { startNginx } from './nginx.ts';
import { type Child, cpuSeconds, middle, peakRssMb, pinThisProcess, spawnNode } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const rounds = Number(process.env.ROUNDS ?? 11);
const seconds = 1;

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const isPinned = pinThisProcess();
const sink = await startSink();

/** A form with so many outputs. */
const form = (outputs: number) =>
  formWith(...Array(outputs).fill({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' }));

interface Server {
  readonly name: string;
  readonly origin: string;
  readonly process: Child;
  readonly results: Result[];
}

interface Result {
  readonly rate: number;
  readonly cpuUs: number;
  readonly busy: number;
  readonly p99Ms: number;
}

/** A file with the config, as long as the bench runs. */
function file(config: string): string {
  const path = join(folder, `${createHash('sha256').update(config).digest('hex')}.yaml`);
  writeFileSync(path, config);
  return path;
}

const floor = (method: 'dispatch' | 'request', outputs = 1) =>
  start(`floor: Pool.${method}`, ['lab/bench/floor.cjs', sink.origin, method, String(outputs)], {});
const relay = (config: string, name = 'relay', nodeOptions: readonly string[] = [], build = 'dist') =>
  start(name, [...nodeOptions, `${build}/relay.cjs`, 'serve'], {
    ...environment,
    CONFIG_FILE: file(config),
    CACHE_TTL: '1h',
    HOOK_SECRET: `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`,
  });

const one = `forms:\n  contact:${form(1)}`;
await compare('One http_post output, 32 connections', { connections: 32, outputs: 1 }, [
  await floor('request'),
  await floor('dispatch'),
  await relay(one),
  // Another build of the relay, to see what a change costs.
  ...(process.env.BEFORE ? [await relay(one, 'before', [], process.env.BEFORE)] : []),
  ...(await byHand()),
  ...(await nginx()),
]);
await compare('The same, 1 connection', { connections: 1, outputs: 1 }, [
  await floor('request'),
  await relay(one),
]);
await compare('Three http_post outputs', { connections: 32, outputs: 3 }, [
  await floor('request', 3),
  await relay(`forms:\n  contact:${form(3)}`),
]);
/** The same submission as JSON, which should cost no more than 10 % beyond an urlencoded one. */
const json = (more: object) =>
  `forms:\n  contact:${formWith({ type: 'webhook', url: `${sink.origin}/hook`, mapping: '*', ...more })}`;
await compare('A webhook beside http_post', { connections: 32, outputs: 1 }, [
  await relay(one, 'http_post'),
  await relay(json({}), 'webhook'),
  await relay(json({ body: { name: { $field: 'name' }, all: '$fields' } }), 'webhook with a body'),
  await relay(json({ sign: { secret: '{{ env "HOOK_SECRET" }}' } }), 'webhook, signed'),
]);
/** A config of so many forms. */
const forms = (count: number) =>
  one + Array.from({ length: count - 1 }, (_, index) => `  form_${index}:${form(1)}`).join('');
await compare('A config of 10,000 forms beside one of 10', { connections: 32, outputs: 1 }, [
  await relay(forms(10), '10 forms'),
  await relay(forms(10_000), '10,000 forms'),
]);
const sizes = [2, 4, 8, 16].map((mb) => `--max-semi-space-size=${mb}`);
await compare("V8's young generation: what its size costs", { connections: 32, outputs: 1 }, [
  await floor('request'),
  ...(await Promise.all(sizes.map((size) => relay(one, size, [size])))),
]);
sink.close();

/** Runs the servers in turn, prints how they compare with the first, and ends them. */
async function compare(
  title: string,
  { connections, outputs }: { readonly connections: number; readonly outputs: number },
  servers: readonly Server[],
): Promise<void> {
  for (const server of servers) await run(server, connections, outputs);
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) server.results.push(await run(server, connections, outputs));
  }
  const [first] = servers as [Server];
  console.log(`\n${title}: Node ${process.version}, medians of ${rounds} rounds of ${seconds} s`);
  console.log(isPinned ? 'Server on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
  console.table(Object.fromEntries(servers.map((server) => [server.name, row(server, first)])));
  for (const server of servers) server.process.kill();
}

/** Ratios are taken within each round: what else the machine did then slowed both. */
function row(server: Server, first: Server) {
  const { results } = server;
  const median = (read: (result: Result, index: number) => number) => middle(results.map(read));
  const toFirst = (read: (result: Result) => number) =>
    median((result, round) => read(result) / read(first.results[round] as Result));
  return {
    'req/s': Math.round(median(({ rate }) => rate)),
    ratio: toFirst(({ rate }) => rate).toFixed(2),
    'CPU µs/req': median(({ cpuUs }) => cpuUs).toFixed(1),
    'CPU ratio': (1 / toFirst(({ cpuUs }) => cpuUs)).toFixed(2),
    'core busy': `${Math.round(median(({ busy }) => busy) * 100)} %`,
    'p99 ms': median(({ p99Ms }) => p99Ms).toFixed(2),
    'p99 ratio': toFirst(({ p99Ms }) => p99Ms).toFixed(2),
    'peak RSS MB': peakRssMb(server.process),
  };
}

/** One round. A failure or a request that the sink did not see makes the figures worthless: it ends the bench. */
async function run(server: Server, connections: number, outputs: number): Promise<Result> {
  const receivedBefore = sink.received;
  const cpuBefore = cpuSeconds(server.process);
  const {
    answers,
    failures,
    seconds: took,
    p99Ms,
  } = await load(server.origin, request, { connections, seconds });
  const cpu = cpuSeconds(server.process) - cpuBefore;
  const received = sink.received - receivedBefore;
  if (failures > 0 || received !== answers * outputs) {
    throw new Error(`${server.name}: ${answers} answers, ${failures} failures, ${received} at the sink`);
  }
  return { rate: answers / took, cpuUs: (cpu / answers) * 1e6, busy: cpu / took, p99Ms };
}

async function start(name: string, args: readonly string[], env: Record<string, string>): Promise<Server> {
  return serverOf(name, spawnNode(args, env, isPinned));
}

async function serverOf(name: string, child: Child): Promise<Server> {
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const origin: string = line.match(/http:\/\/[\w.]+:\d+/)[0];
  return { name, origin, process: child, results: [] };
}

/** Relays that people would write by hand. */
function byHand(): Promise<readonly Server[]> {
  const started = startByHand(['http', sink.origin], isPinned);
  return Promise.all(started.map(([name, child]) => serverOf(name, child)));
}

/** Debian's nginx as a proxy in front of the sink, where it is installed. */
async function nginx(): Promise<readonly Server[]> {
  const started = await startNginx(sink.origin, isPinned);
  return started ? [{ name: 'nginx proxy_pass', ...started, results: [] }] : [];
}
