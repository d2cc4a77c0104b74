/**
 * Two builds side by side: the same requests of all kinds, and are answers, deliveries and logs the same, apart from ids
 * and times?
 *
 *   BEFORE=<the dist folder of another build> npx tsx lab/bench/side_by_side.ts [requests] [the first one's number]
 *
 * Ends with 1 where something differs. `AFTER` is `dist` unless it is set. Headers are compared without their order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Request, requestOf } from './side_by_side/requests.ts';
import { type Outcome, startSide } from './side_by_side/side.ts';

const before = process.env.BEFORE;
if (before === undefined) throw new Error('BEFORE names the dist folder of another build');
const [count = 20_000, first = 0] = process.argv.slice(2).map(Number);

/** How many differences of each kind of request are shown. */
const shown = 3;

interface Sent {
  readonly request: Request;
  readonly outcomes: readonly [Outcome, Outcome];
}

const sides = await Promise.all([startSide(before), startSide(process.env.AFTER ?? 'dist')]);
// The tokens have to be older than `min_fill_seconds`.
await sleep(1_200);
const sent: Sent[] = [];
for (let id = first; id < first + count; id += 1) {
  const [a, b] = sides;
  const request = requestOf(id, a.tokens);
  const outcomes = await Promise.all([a.send(request), b.send(requestOf(id, b.tokens))]);
  sent.push({ request, outcomes });
  if (sent.length % 2_000 === 0) console.log(`${sent.length} requests`);
}
const logs = await Promise.all([sides[0].end(), sides[1].end()]);

const differences = new Map<string, number>();
for (const { request, outcomes } of sent) {
  const [a, b] = outcomes.map(({ answers, deliveries, requestIds }, side) => [
    ...answers.map((text) => `answer\n${text}`),
    ...deliveries.map((text) => `delivery\n${text}`),
    ...requestIds.flatMap((id) => logs[side]?.get(id) ?? []).map((text) => `log\n${text}`),
  ]) as [string[], string[]];
  tell(request.kind, request.pieces.join(''), a, b);
}
const others = logs.map((log) => [...new Set(log.get('') ?? [])].sort()) as [string[], string[]];
tell('lines of the log about no request', '', ...others);

const kinds = new Map<string, number>();
let deliveries = 0;
let lines = 0;
for (const { request, outcomes } of sent) {
  kinds.set(request.kind, (kinds.get(request.kind) ?? 0) + 1);
  deliveries += outcomes[1].deliveries.length;
  lines += outcomes[1].requestIds.flatMap((id) => logs[1].get(id) ?? []).length;
}
console.table(
  Object.fromEntries(
    [...kinds].map(([name, requests]) => [name, { requests, different: differences.get(name) ?? 0 }]),
  ),
);
const different = [...differences.values()].reduce((sum, times) => sum + times, 0);
console.log(
  `${count} requests, ${deliveries} deliveries, ${lines} lines of the log: ${different} differences`,
);
process.exit(different > 0 ? 1 : 0);

/** Counts a difference, and shows the first ones: `-` stands before what only the build before has. */
function tell(name: string, request: string, a: readonly string[], b: readonly string[]): void {
  if (a.join('\0') === b.join('\0')) return;
  const times = (differences.get(name) ?? 0) + 1;
  differences.set(name, times);
  if (times > shown) return;
  console.log(`\n=== ${name}\n${JSON.stringify(request.slice(0, 500))}`);
  const [linesOfA, linesOfB] = [a, b].map((texts) => texts.join('\n').split('\n')) as [string[], string[]];
  for (const line of linesOfA) if (!linesOfB.includes(line)) console.log(`- ${line.slice(0, 300)}`);
  for (const line of linesOfB) if (!linesOfA.includes(line)) console.log(`+ ${line.slice(0, 300)}`);
}
