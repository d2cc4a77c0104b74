/**
 * How much of a bare server's throughput is left when it does all that the relay does. Both run side by side, round
 * about, on one core, so only the ratio says anything (README.md).
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { load, startSink } from './load.ts';

const rounds = 15;
const seconds = 1;
const connections = 32;

const isPinned = canPin();
const sink = await startSink();

/** What is compared, with the first. Every one of them POSTs each request's body to the sink. */
const servers = [
  await start('floor: Pool.dispatch', ['bench/floor.cjs', sink.origin, 'dispatch'], {}),
  await start('floor: Pool.request', ['bench/floor.cjs', sink.origin, 'request'], {}),
  await start('relay', ['dist/relay.cjs', 'serve'], {
    HOST: '127.0.0.1',
    PORT: '0',
    THROTTLE_RATE_LIMIT: '1000000000',
    THROTTLE_BURST_LIMIT: '1000000000',
    CONFIG_INLINE: `
forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: company}
      - {name: message, type: textarea, required: true}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "${sink.origin}/hook", mapping: "*"}
`,
  }),
];
type Server = (typeof servers)[number];

const body = new URLSearchParams({
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  company: 'Analytical Engines & Co.',
  message: 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. '.repeat(2),
  website: '',
}).toString();
const request = Buffer.from(
  'POST /api/v1/submit/contact HTTP/1.1\r\nhost: localhost\r\n' +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);

for (const server of servers) await run(server);
for (let round = 0; round < rounds; round += 1) {
  for (const server of servers) server.results.push(await run(server));
}

const [floor] = servers as [Server];
console.log(
  `Node ${process.version}, ${connections} connections, medians of ${rounds} rounds of ${seconds} s`,
);
console.log(isPinned ? 'Server on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
console.table(Object.fromEntries(servers.map((server) => [server.name, row(server)])));
for (const server of servers) server.process.kill();
sink.close();

/** Ratios are taken within each round: what else the machine did then slowed both. */
function row(server: Server) {
  const { results } = server;
  const median = (read: (result: Result, index: number) => number) => middle(results.map(read));
  const toFloor = (read: (result: Result) => number) =>
    median((result, round) => read(result) / read(floor.results[round] as Result));
  return {
    'req/s': Math.round(median(({ rate }) => rate)),
    ratio: toFloor(({ rate }) => rate).toFixed(2),
    'CPU µs/req': median(({ cpuUs }) => cpuUs).toFixed(1),
    'CPU ratio': (1 / toFloor(({ cpuUs }) => cpuUs)).toFixed(2),
    'core busy': `${Math.round(median(({ busy }) => busy) * 100)} %`,
    'p99 ms': median(({ p99Ms }) => p99Ms).toFixed(1),
    'peak RSS MB': peakRssMb(server),
  };
}

interface Result {
  readonly rate: number;
  readonly cpuUs: number;
  readonly busy: number;
  readonly p99Ms: number;
}

/** One round. A failure or a request that the sink did not see makes the figures worthless: it ends the bench. */
async function run(server: Server): Promise<Result> {
  const receivedBefore = sink.received;
  const cpuBefore = cpuSeconds(server);
  const {
    answers,
    failures,
    seconds: took,
    p99Ms,
  } = await load(server.origin, request, { connections, seconds });
  const cpu = cpuSeconds(server) - cpuBefore;
  const received = sink.received - receivedBefore;
  if (failures > 0 || received !== answers) {
    throw new Error(`${server.name}: ${answers} answers, ${failures} failures, ${received} at the sink`);
  }
  return { rate: answers / took, cpuUs: (cpu / answers) * 1e6, busy: cpu / took, p99Ms };
}

async function start(name: string, args: readonly string[], env: Record<string, string>) {
  const command = [process.execPath, ...args];
  if (isPinned) command.unshift('taskset', '-c', '0');
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH, ...env },
    // The log is written, as it always is, but to /dev/null.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.on('exit', () => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const origin: string = line.match(/http:\/\/[\w.]+:\d+/)[0];
  return { name, origin, process: child, results: [] as Result[] };
}

/** Puts this process, which is the load and the sink, on a core of its own. */
function canPin(): boolean {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** CPU time so far, of all threads, user and system; from the 14th and 15th field of Linux's /proc. */
function cpuSeconds({ process: { pid } }: Server): number {
  const fields = readProc(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function peakRssMb({ process: { pid } }: Server): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readProc(`/proc/${pid}/status`))?.[1]) / 1024);
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
