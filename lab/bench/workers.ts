/**
 * Two workers beside one process, with the load and the sink on the same two cores (`npx tsx lab/bench/workers.ts`);
 * how a kernel's own sharing would do; and what memory each process takes.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { load, startSink } from './load.ts';
import { type Child, middle, spawnCommand } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const rounds = Number(process.env.ROUNDS ?? 7);
const seconds = 2;
const connections = 32;
/** Two cores for all: servers, load and sink. */
const cores = ['taskset', '-c', process.env.CORES ?? '0,1'];

const sink = await startSink();
const config = `forms:\n  contact:${formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' })}`;

interface Server {
  readonly name: string;
  readonly child: Child;
  readonly origin: string;
  readonly rates: number[];
  readonly p99s: number[];
  readonly cpus: number[];
}

async function start(name: string, env: Record<string, string>, build = 'dist'): Promise<Server> {
  const words = [...cores, process.execPath, '--max-semi-space-size=8', `${build}/relay.cjs`, 'serve'];
  const child = spawnCommand(
    words,
    { ...environment, CONFIG_INLINE: config, CACHE_TTL: '1h', ...env },
    false,
  );
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { name, child, origin: line.match(/http:\/\/[\w.]+:\d+/)[0], rates: [], p99s: [], cpus: [] };
}

/** With its workers. */
function processesOf({ child }: Server): readonly number[] {
  const { pid = 0 } = child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [
    pid,
    ...children
      .split(' ')
      .filter((one) => one !== '')
      .map(Number),
  ];
}

const cpuOf = (server: Server) =>
  processesOf(server).reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);

const statusOf = (pid: number, name: string) =>
  Math.round(
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024,
  );

const servers = [
  await start('1 process', {}),
  await start('2 workers', { WORKERS: '2' }),
  ...(process.env.BEFORE ? [await start('1 process, before', {}, process.env.BEFORE)] : []),
];
const rest = servers.map((server) => processesOf(server).map((pid) => statusOf(pid, 'VmRSS')));
for (let round = -1; round < rounds; round += 1) {
  for (const server of servers) {
    const before = sink.received;
    const cpuBefore = cpuOf(server);
    const {
      answers,
      failures,
      seconds: took,
      p99Ms,
    } = await load(server.origin, request, { connections, seconds });
    if (failures > 0 || sink.received - before !== answers) {
      throw new Error(
        `${server.name}: ${answers} answers, ${failures} failures, ${sink.received - before} at the sink`,
      );
    }
    if (round < 0) continue;
    server.rates.push(answers / took);
    server.p99s.push(p99Ms);
    server.cpus.push(((cpuOf(server) - cpuBefore) / answers) * 1e6);
  }
}
const [first] = servers as [Server, ...Server[]];
console.log(
  `\nNode ${process.version}, medians of ${rounds} rounds of ${seconds} s, ${connections} connections, cores ${cores.at(-1)} for all`,
);
console.table(
  Object.fromEntries(
    servers.map((server, index) => [
      server.name,
      {
        'req/s': Math.round(middle(server.rates)),
        ratio: middle(server.rates.map((rate, round) => rate / (first.rates[round] ?? Number.NaN))).toFixed(
          2,
        ),
        'CPU µs/req': middle(server.cpus).toFixed(1),
        'p99 ms': middle(server.p99s).toFixed(1),
        'RSS at rest, MB': rest[index]?.join(' + '),
        'peak RSS, MB': processesOf(server)
          .map((pid) => statusOf(pid, 'VmHWM'))
          .join(' + '),
      },
    ]),
  ),
);
for (const { child } of servers) child.kill();
sink.close();
