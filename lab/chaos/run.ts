/** `npm run chaos -- [run] [--option value]`: see README.md. */
import { inspect, parseArgs } from 'node:util';
import { runArchive } from './archive.ts';
import { runAsks } from './asks.ts';
import { countIn } from './counted.ts';
import { runInbox } from './inbox.ts';
import { isHere, placeNames } from './keep_places.ts';
import { runKeys } from './keys.ts';
import { runLedger } from './ledger.ts';
import { runPlaces } from './places.ts';
import { runSoak } from './soak.ts';

type Options = Readonly<Record<string, number>>;

/** SIGUSR2 stops sending early, and what was sent is judged like a whole run. */
const enough = new AbortController();
process.once('SIGUSR2', () => enough.abort());
const { signal } = enough;
const onProgress = (words: number | string) => process.stderr.write(`${words}\n`);

interface Run {
  readonly options: Options;
  /** Stores with which it can run. */
  readonly stores?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each run has all of its options, which have defaults.
  readonly run: (options: any) => Promise<{ readonly violations: readonly string[] }>;
}

const ledger = { relays: 2, connections: 400 };
const counted = { relays: 2, connections: 40 };
const keep = { troubleEveryMs: 10_000, troubleMs: [200, 4_000], drainMs: 7_200_000 } as const;
const runs: Readonly<Record<string, Run>> = {
  ledger: {
    options: { submissions: 100_000, ...ledger, restartEveryMs: 3_000, outageEveryMs: 1_500 },
    run: runLedger,
  },
  keep: {
    options: { submissions: 300_000, ...ledger, restartEveryMs: 8_000, outageEveryMs: 5_000 },
    stores: placeNames.filter(isHere),
    run: (options) =>
      runLedger({ outageMs: [5_000, 120_000], keep: { place: options.in, ...keep }, ...options }),
  },
  places: {
    options: { visitors: 10_000, places: 100, ...counted, connections: 8, killAfter: 500 },
    stores: countIn,
    run: runPlaces,
  },
  keys: { options: { submissions: 2_000, ...counted, killAfter: 200 }, stores: countIn, run: runKeys },
  asks: {
    options: { asks: 10_000, ...counted, connections: 150, killAfter: 1_000 },
    stores: countIn,
    run: runAsks,
  },
  archive: { options: { submissions: 10_000, connections: 40, killAfter: 150 }, run: runArchive },
  inbox: {
    options: {
      ...{ submissions: 100_000, relays: 2, connections: 60, killAfter: 4_000 },
      ...{ outageEveryMs: 20_000, drainMs: 1_800_000 },
    },
    run: runInbox,
  },
  soak: { options: { minutes: 30, rate: 150, connections: 40 }, run: runSoak },
};

/** Lists a few of each kind, so that a rare kind is not lost among a common one. */
function byKind(violations: readonly string[]): readonly string[][] {
  const kinds = new Map<string, string[]>();
  for (const violation of violations) {
    const kind = violation.replace(/\d+/g, 'N');
    const alike = kinds.get(kind) ?? [];
    alike.push(violation);
    kinds.set(kind, alike);
  }
  return [...kinds.values()];
}

const [name = 'ledger', ...words] = process.argv[2]?.startsWith('-')
  ? ['ledger', ...process.argv.slice(2)]
  : process.argv.slice(2);
const found = runs[name];
if (!found) throw new Error(`no run is called "${name}"; there are ${Object.keys(runs).join(', ')}`);
const defaults: Options = { seed: 1, ...found.options };
const { values } = parseArgs({
  args: words,
  options: Object.fromEntries(
    [...Object.keys(defaults), 'in'].map((key) => [key, { type: 'string' as const }]),
  ),
});
const options = Object.fromEntries(
  Object.entries(defaults).map(([key, value]) => [key, Number(values[key] ?? value)]),
);
for (const store of values.in ? String(values.in).split(',') : (found.stores ?? [''])) {
  console.log(`\n${name} ${store}`, options);
  const { violations, ...counts } = await found.run({ ...options, in: store, signal, onProgress });
  console.log(inspect(counts, { depth: 4, sorted: true }));
  console.log(`Violations: ${violations.length}`);
  for (const alike of byKind(violations)) {
    console.log(`  ${alike.length} like these:`);
    for (const violation of alike.slice(0, 10)) console.log(`    ${violation}`);
  }
  if (violations.length > 0) process.exitCode = 1;
}
process.exit();
