import { type Metric, type MetricName, metrics } from './families.ts';
import type { MetricFamily, MetricsSnapshot } from './snapshot.ts';

type Named<Type> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];

type Labels<Name extends MetricName> = (typeof metrics)[Name] extends {
  labels: infer Names extends readonly string[];
}
  ? { readonly [At in keyof Names]: string }
  : readonly [];

/** Counts, by metric and labels, without knowing what they mean. */
export interface Tally {
  /** `by` may be 0 to create the counter: Prometheus sees no growth in a series that appears. */
  add<Name extends Named<'counter'>>(name: Name, by: number, ...labels: Labels<Name>): void;
  observe<Name extends Named<'histogram'>>(name: Name, seconds: number, ...labels: Labels<Name>): void;
  /** Forgets the series of forms and outputs that `isKnown` does not know. */
  prune(isKnown: (form: string, output: string | undefined, type: string | undefined) => boolean): void;
  /** The counts, with the readings of gauges and of external counters. */
  snapshot(read: Readings): MetricsSnapshot;
}

/** Values read for a snapshot. Metrics without a reading, or with `undefined`, have no sample. */
export type Readings = {
  readonly [Name in Exclude<MetricName, Named<'histogram'>>]?:
    | number
    | undefined
    | readonly (readonly [labels: Labels<Name>, value: number])[];
};

interface Counted {
  readonly labels: readonly string[];
  value: number;
  readonly counts: number[];
}

/** A tree of labels, so that counting allocates neither a list nor a text of the labels. */
interface Branch {
  counted?: Counted;
  next?: Map<string, Branch>;
}

function follow(branch: Branch, label: string | undefined): Branch {
  if (label === undefined) return branch;
  branch.next ??= new Map();
  let next = branch.next.get(label);
  if (!next) {
    next = {};
    branch.next.set(label, next);
  }
  return next;
}

const branchOf = (root: Branch, a?: string, b?: string, c?: string, d?: string): Branch =>
  follow(follow(follow(follow(root, a), b), c), d);

export function createTally(): Tally {
  const families = new Map<MetricName, { all: Counted[]; root: Branch }>();

  const counted = (name: MetricName, a?: string, b?: string, c?: string, d?: string): Counted => {
    let family = families.get(name);
    if (!family) {
      family = { all: [], root: {} };
      families.set(name, family);
    }
    const branch = branchOf(family.root, a, b, c, d);
    if (!branch.counted) {
      const { type, bounds }: Metric = metrics[name];
      const buckets = type === 'histogram' ? bounds.length + 1 : 0;
      const labels = [a, b, c, d].filter((label) => label !== undefined);
      branch.counted = { labels, value: 0, counts: new Array(buckets).fill(0) };
      family.all.push(branch.counted);
    }
    return branch.counted;
  };

  return {
    add: ((name: MetricName, by: number, a?: string, b?: string, c?: string, d?: string) => {
      counted(name, a, b, c, d).value += by;
    }) as Tally['add'],
    observe: ((name: MetricName, seconds: number, a?: string, b?: string, c?: string) => {
      const one = counted(name, a, b, c);
      const { bounds }: Metric = metrics[name];
      const at = bounds.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? bounds.length : at;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.value += seconds;
    }) as Tally['observe'],
    prune: (isKnown) => {
      for (const [name, family] of families) {
        const { labels: names }: Metric = metrics[name];
        const [form, output, type] = ['form', 'output', 'type'].map((one) => names.indexOf(one));
        if (form === undefined || form < 0) continue;
        family.all = family.all.filter(({ labels }) =>
          isKnown(labels[form] ?? '', labels[output ?? -1], labels[type ?? -1]),
        );
        family.root = {};
        for (const one of family.all) branchOf(family.root, ...one.labels).counted = one;
      }
    },
    snapshot: (read) =>
      (Object.keys(metrics) as MetricName[]).map((name) =>
        familyOf(name, families.get(name)?.all, readingOf(read, name)),
      ),
  };
}

type Sampled = readonly (readonly [labels: readonly string[], value: number])[];

const readingOf = (read: Readings, name: MetricName): Sampled => {
  const reading = (read as Readonly<Partial<Record<MetricName, number | Sampled>>>)[name];
  return typeof reading === 'number' ? [[[], reading]] : (reading ?? []);
};

function familyOf(name: MetricName, counted: readonly Counted[] = [], read: Sampled): MetricFamily {
  const { type, help, labels, bounds }: Metric = metrics[name];
  const samples = [
    ...counted.map(({ labels, value, counts }) => ({ labels, value, counts: [...counts] })),
    ...read.map(([labels, value]) => ({ labels, value, counts: [] })),
  ];
  return { name, help, type, labels, bounds, samples };
}
