/** The long runs whose results stand in docs/proof.md, in their order there. */
import { existsSync, readFileSync } from 'node:fs';
import type { Report } from './report.ts';

export interface Result extends Report {
  readonly date: string;
  /** Ends in `-dirty` if files had changes that were not committed. */
  readonly commit: string;
  readonly machine: string;
  readonly minutes: number;
  readonly command: string;
}

interface Step {
  readonly title: string;
  /** The promise that the run tests, for readers of the page. */
  readonly promise: string;
  /** The words after `npx`. */
  command(last: Result | undefined): readonly string[];
}

const chaos = (store: string, name: string): Step => ({
  title: `Chaos: deliveries kept in ${name}`,
  promise:
    'Relays are stopped and killed, outputs refuse, hang and go away, and the store itself fails. No submission that was ' +
    'acknowledged is missing from any of its outputs once everything has recovered.',
  command: () => ['tsx', 'lab/chaos/run_keep.ts', '--in', store, '--submissions', '333334'],
});

const all = {
  'chaos-folder': chaos('folder', 'a folder'),
  'chaos-nats': chaos('nats', 'NATS JetStream'),
  'chaos-sqs': chaos('sqs', 'SQS'),
  flood: {
    title: 'Flood',
    promise:
      '5,000 submissions a second from 100,000 addresses attack one form. `/healthz` answers 99 of 100 requests within ' +
      '20 ms, and each submission to another form is delivered.',
    command: () => ['tsx', 'lab/bench/flood.ts', '60'],
  },
  soak: {
    title: 'Soak',
    promise:
      'An hour of everything that visitors, bots and broken clients send. From the end of the warm-up, memory grows by no ' +
      'more than 20 MB and the heap by no more than 5 MB, and afterwards no connection stays open.',
    command: () => ['tsx', 'lab/chaos/soak.ts', '--minutes', '60', '--everything'],
  },
  mutation: {
    title: 'Mutation tests',
    promise:
      'The code is changed in one place at a time, in lines that have changed since the last such run. In each area, the ' +
      'tests notice at least 90 % of these changes. Those that only run while modules are loaded are not tried.',
    command: (last) => {
      const since = process.env.SINCE ?? last?.commit;
      return [
        'node',
        'lab/mutation/run.mjs',
        '--quick',
        '--ignore-static',
        ...(since ? ['--since', since] : []),
      ];
    },
  },
  fuzz: {
    title: 'Fuzzing',
    promise: 'Each property of a parser, a limit or a format holds for 100,000 random inputs.',
    command: () => ['tsx', 'lab/proof/fuzz.ts'],
  },
} satisfies Readonly<Record<string, Step>>;

export type StepName = keyof typeof all;
export const steps: Readonly<Record<StepName, Step>> = all;
export const stepNames = Object.keys(all) as readonly StepName[];

/** The last result of a run, as it was committed. */
export function resultOf(name: StepName): Result | undefined {
  const file = new URL(`results/${name}.json`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
