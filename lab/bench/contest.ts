/** Functions that do the same, timed in turn in this process, on a core of its own. */
import { middle, pinThisProcess } from './process.ts';

const rounds = 200;
const roundMs = 5;

/** Prints how long a call takes, and how the first compares with the second. Throws when they disagree. */
export function contest(title: string, contestants: Readonly<Record<string, () => string>>): void {
  const isPinned = pinThisProcess();
  const entries = Object.entries(contestants).map(([name, call]) => ({ name, call, us: [] as number[] }));
  const [first, second] = entries as [(typeof entries)[0], (typeof entries)[0]];
  if (first.call() !== second.call()) throw new Error(`${title}: they must give the same`);
  for (let round = 0; round < rounds; round += 1) {
    for (const { call, us } of entries) us.push(timed(call));
  }
  console.log(`\n${title}: Node ${process.version}, medians of ${rounds} rounds of ${roundMs} ms`);
  if (!isPinned) console.log('NOT pinned: taskset is missing.');
  const ratio = middle(second.us.map((us, round) => us / (first.us[round] ?? Number.NaN)));
  const rows = entries.map(({ name, us }) => [name, { µs: middle(us).toFixed(2), ratio: '' }]);
  Object.assign(rows[0]?.[1] ?? {}, { ratio: ratio.toFixed(2) });
  console.table(Object.fromEntries(rows));
}

/** Microseconds a call. */
function timed(call: () => string): number {
  const startedAt = performance.now();
  let calls = 0;
  let tookMs = 0;
  while (tookMs < roundMs) {
    for (let i = 0; i < 100; i += 1) call();
    calls += 100;
    tookMs = performance.now() - startedAt;
  }
  return (tookMs * 1000) / calls;
}
