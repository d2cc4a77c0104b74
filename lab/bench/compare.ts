/** Runs programs with the same task in turn on one core, while load and sink share another: only the ratios are meaningful. */
import { load } from './load.ts';
import { addressOf, type Child, cpuSeconds, middle, peakRssMb, pinThisProcess } from './process.ts';
import { request } from './submission.ts';

const isPinned = pinThisProcess();
const rounds = Number(process.env.ROUNDS ?? 9);

interface Round {
  readonly sink: { readonly received: number };
  readonly connections: number;
  readonly seconds: number;
  /** Deliveries per submission. */
  readonly outputs?: number;
}

/**
 * Waits for a server to print its address. An answer other than 200, or a delivery that the sink did not
 * receive, ends the bench.
 */
export async function server(name: string, child: Child, round: Round) {
  const { sink, outputs = 1, ...how } = round;
  const origin = await addressOf(child);
  const run = async () => {
    const receivedBefore = sink.received;
    const cpuBefore = cpuSeconds(child);
    const { answers, failures, seconds, p99Ms } = await load(origin, request, how);
    const cpu = cpuSeconds(child) - cpuBefore;
    const received = sink.received - receivedBefore;
    if (failures > 0 || received !== answers * outputs)
      throw new Error(`${name}: ${answers} answers, ${failures} failures, ${received} at the sink`);
    return { rate: answers / seconds, cpuUs: (cpu / answers) * 1e6, p99Ms };
  };
  return { name, run, stop: () => child.kill(), peakMb: () => peakRssMb(child) };
}

type Contestant = Awaited<ReturnType<typeof server>>;
type Result = Awaited<ReturnType<Contestant['run']>>;

/** Runs them in turn, prints how they compare with the first, and stops them. */
export async function compare(title: string, contestants: readonly Contestant[]): Promise<void> {
  const all = contestants.map((one) => ({ ...one, results: [] as Result[] }));
  for (const { run } of all) await run();
  for (let round = 0; round < rounds; round += 1)
    for (const { run, results } of all) results.push(await run());
  console.log(`\n${title}: Node ${process.version}, medians of ${rounds} rounds`);
  console.log(isPinned ? 'Server on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
  const rows = all.map(({ name, results, peakMb }) => {
    // Ratios are taken within each round, because other work on the machine slows both.
    const ratio = (read: (result: Result) => number) =>
      middle(results.map((result, round) => read(result) / read(all[0]?.results[round] as Result)));
    const row = {
      'a second': Math.round(middle(results.map(({ rate }) => rate))),
      ratio: ratio(({ rate }) => rate).toFixed(3),
      'CPU µs': middle(results.map(({ cpuUs }) => cpuUs)).toFixed(1),
      'CPU ratio': (1 / ratio(({ cpuUs }) => cpuUs)).toFixed(3),
      'p99 ms': middle(results.map(({ p99Ms }) => p99Ms)).toFixed(2),
      'peak RSS MB': peakMb(),
    };
    return [name, row];
  });
  console.table(Object.fromEntries(rows));
  for (const { stop } of all) stop();
}
