/**
 * Where a submission's time and memory go, layer by layer: `npx tsx lab/bench/profile.ts [http | mail]`.
 *
 * V8 samples what runs and what allocates, with 32 connections and no throttle. Each sample counts for the module whose
 * own code it is in, and a native function for the one that called it. `BEFORE=<the dist folder of another build>` adds that build.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Layer, layerFinder } from './layers.ts';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, pinThisProcess, spawnCommand } from './process.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { environment, formWith, request } from './submission.ts';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** A node of V8's profile of time. */
interface TimeNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

/** A node of its profile of allocations. */
interface BytesNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly BytesNode[];
}

type Shares = ReadonlyMap<Layer, number>;

interface Budget {
  readonly name: string;
  readonly cpuUs: number;
  readonly us: Shares;
  readonly bytes: Shares;
}

/** A layer with less of both is left out of the table, and is in the sum. */
const leastUs = 0.3;
const leastBytes = 100;

const seconds = Number(process.env.SECONDS ?? 5);
const isMail = process.argv[2] === 'mail';
const isPinned = pinThisProcess();
const sink = await startSink();
const smtp = await startSmtpSink();
const output = isMail
  ? { type: 'smtp', host: '127.0.0.1', port: String(smtp.port), to: 'office@firm.example', mapping: '*' }
  : { type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' };
const env = {
  ...environment,
  CACHE_TTL: '1h',
  CONFIG_INLINE: `forms:\n  contact:${formWith(output)}`,
};

const floor = isMail
  ? ['lab/bench/mail_clients.cjs', 'raw', String(smtp.port)]
  : ['lab/bench/floor.cjs', sink.origin, 'request', '1'];
const budgets = [await budgetOf('floor', floor)];
if (process.env.BEFORE) budgets.push(await budgetOf('before', [`${process.env.BEFORE}/relay.cjs`, 'serve']));
budgets.push(await budgetOf('relay', ['dist/relay.cjs', 'serve']));
sink.close();
smtp.close();

const layers = new Set(budgets.flatMap(({ us, bytes }) => [...us.keys(), ...bytes.keys()]));
const last = budgets.at(-1)?.us;
const isSeen = (layer: Layer) =>
  budgets.some(({ us, bytes }) => (us.get(layer) ?? 0) >= leastUs || (bytes.get(layer) ?? 0) >= leastBytes);
const sorted = [...layers].filter(isSeen).sort((a, b) => (last?.get(b) ?? 0) - (last?.get(a) ?? 0));
console.log(
  `Node ${process.version}, ${isMail ? 'mails' : 'one http_post'}, 32 connections, ${seconds} s each`,
);
console.log(isPinned ? 'Server on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
console.table(
  Object.fromEntries([
    ...sorted.map((layer) => [
      layer,
      row(
        ({ us }) => us.get(layer),
        ({ bytes }) => bytes.get(layer),
      ),
    ]),
    [
      'all',
      row(
        ({ cpuUs }) => cpuUs,
        ({ bytes }) => [...bytes.values()].reduce((sum, more) => sum + more, 0),
      ),
    ],
  ]),
);

function row(us: (budget: Budget) => number | undefined, bytes: (budget: Budget) => number | undefined) {
  return Object.fromEntries([
    ...budgets.map((budget) => [`${budget.name}, µs`, us(budget)?.toFixed(1) ?? '']),
    ...budgets.map((budget) => [`${budget.name}, KB`, ((bytes(budget) ?? 0) / 1_024).toFixed(1)]),
  ]);
}

/** CPU time is measured in a round without a profiler, which is slower with one; the profile says how it is shared out. */
async function budgetOf(name: string, args: readonly string[]): Promise<Budget> {
  const words = [process.execPath, '--require', './bench/profile_probe.cjs', ...args];
  const child = spawnCommand(words, env, isPinned, ['ignore', 'pipe', 'ignore', 'ipc']);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [origin = ''] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];
  const round = async () => {
    const { answers, failures } = await load(origin, request, { connections: 32, seconds });
    if (failures > 0) throw new Error(`${name}: ${failures} failures`);
    return answers;
  };
  await round();
  const cpuBefore = cpuSeconds(child);
  const plain = await round();
  const cpuUs = ((cpuSeconds(child) - cpuBefore) / plain) * 1e6;
  await ask(child, 'time from here');
  await round();
  const shares = sharesOfTime(await ask(child, 'time'));
  await ask(child, 'bytes from here');
  const counted = await round();
  const bytes = bytesOf(await ask(child, 'bytes'));
  child.kill();
  return {
    name,
    cpuUs,
    us: new Map([...shares].map(([layer, share]) => [layer, share * cpuUs])),
    bytes: new Map([...bytes].map(([layer, sum]) => [layer, sum / counted])),
  };
}

async function ask<T>(child: Child, step: string): Promise<T> {
  const answered = once(child, 'message');
  child.send(step);
  const [answer] = await answered;
  return answer;
}

/** Shares of the time in which the process did something. */
function sharesOfTime({
  nodes,
  samples,
  timeDeltas,
}: {
  readonly nodes: readonly TimeNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}): Shares {
  const layerOf = layerFinder();
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const layers = new Map<number, Layer | undefined>();
  // A parent stands before its children.
  for (const { id, callFrame } of nodes) {
    layers.set(id, layerOf(callFrame) ?? layers.get(parents.get(id) ?? -1));
  }
  const sums = new Map<Layer, number>();
  let total = 0;
  for (const [at, id] of samples.entries()) {
    const layer = layers.get(id) ?? 'program';
    if (layer === 'idle') continue;
    const us = timeDeltas[at] ?? 0;
    sums.set(layer, (sums.get(layer) ?? 0) + us);
    total += us;
  }
  return new Map([...sums].map(([layer, us]) => [layer, us / total]));
}

function bytesOf({ head }: { readonly head: BytesNode }): Shares {
  const layerOf = layerFinder();
  const sums = new Map<Layer, number>();
  const walk = ({ callFrame, selfSize, children }: BytesNode, above: Layer) => {
    const layer = layerOf(callFrame) ?? above;
    if (selfSize > 0) sums.set(layer, (sums.get(layer) ?? 0) + selfSize);
    for (const child of children) walk(child, layer);
  };
  walk(head, 'program');
  return sums;
}
