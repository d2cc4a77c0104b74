/** `npm run chaos -- [run] [--option value]`: see README.md. */
import { inspect, parseArgs } from 'node:util';
import { runArchive } from './archive.ts';
import { runAsks } from './asks.ts';
import { type CountIn, countIn } from './counted.ts';
import { runInbox } from './inbox.ts';
import { isHere, type PlaceName, placeNames } from './keep_places.ts';
import { runKeys } from './keys.ts';
import { runLedger } from './ledger.ts';
import { runPlaces } from './places.ts';
import { runSoak } from './soak.ts';

type Options = Readonly<Record<string, number>>;
interface Result {
  readonly violations: readonly string[];
}

/** SIGUSR2 ends the sending early, and what was sent is judged like a whole run. */
const enough = new AbortController();
process.once('SIGUSR2', () => enough.abort());
const signal = enough.signal;
const onProgress = (words: number | string) => process.stderr.write(`${words}\n`);

interface Run {
  readonly options: Options;
  /** The stores that it can be tried on. */
  readonly stores?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each run has all of its options, which have defaults.
  run(options: any, store: string): Promise<Result>;
}

const runs: Readonly<Record<string, Run>> = {
  ledger: {
    options: { submissions: 100_000, relays: 2, connections: 400 },
    run: (options) =>
      runLedger({ restartEveryMs: 3_000, outageEveryMs: 1_500, ...options, signal, onProgress }),
  },
  keep: {
    options: { submissions: 300_000, relays: 2, connections: 400 },
    stores: placeNames.filter(isHere),
    run: (options, place) =>
      runLedger({
        restartEveryMs: 8_000,
        outageEveryMs: 5_000,
        outageMs: [5_000, 120_000],
        keep: {
          place: place as PlaceName,
          troubleEveryMs: 10_000,
          drainMs: 7_200_000,
          troubleMs: [200, 4_000],
        },
        ...options,
        signal,
        onProgress,
      }),
  },
  places: {
    options: { visitors: 10_000, places: 100, relays: 2, connections: 8, killAfter: 500 },
    stores: countIn,
    run: (options, store) => runPlaces({ ...options, in: store as CountIn }),
  },
  keys: {
    options: { submissions: 2_000, relays: 2, connections: 40, killAfter: 200 },
    stores: countIn,
    run: (options, store) => runKeys({ ...options, in: store as CountIn }),
  },
  asks: {
    options: { asks: 10_000, relays: 2, connections: 150, killAfter: 1_000 },
    stores: countIn,
    run: (options, store) => runAsks({ ...options, in: store as CountIn, signal, onProgress }),
  },
  archive: {
    options: { submissions: 10_000, connections: 40, killAfter: 150 },
    run: (options) => runArchive({ ...options, onProgress }),
  },
  inbox: {
    options: { submissions: 100_000, relays: 2, connections: 60, killAfter: 4_000 },
    run: (options) => runInbox({ outageEveryMs: 20_000, drainMs: 1_800_000, ...options, signal, onProgress }),
  },
  soak: { options: { minutes: 30, rate: 150, connections: 40 }, run: runSoak },
};

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
  const { violations, ...counts } = await found.run(options, store);
  console.log(inspect(counts, { depth: 4, sorted: true }));
  console.log(`Violations: ${violations.length}`);
  for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
process.exit();
