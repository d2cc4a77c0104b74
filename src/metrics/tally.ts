import { type Metric, type MetricName, metrics } from './families.ts';
import { keyOf, type MetricFamily, type MetricsSnapshot } from './snapshot.ts';

type Named<Type> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** A value for each of its labels. */
type Labels<Name extends MetricName> = (typeof metrics)[Name] extends {
  labels: infer Names extends readonly string[];
}
  ? { readonly [At in keyof Names]: string }
  : readonly [];

/** Counts, by metric and labels, without knowing what they mean. */
export interface Tally {
  /** `by` may be 0, so that the counter is there before it counts: Prometheus sees no growth in what appears. */
  count<Name extends Named<'counter'>>(name: Name, labels: Labels<Name>, by?: number): void;
  observe<Name extends Named<'histogram'>>(name: Name, labels: Labels<Name>, seconds: number): void;
  /** Forgets what is about a form, or about one of its outputs, that `isKnown` does not know. */
  prune(isKnown: (form: string, output: string | undefined, type: string | undefined) => boolean): void;
  /** All that was counted, and what `read` says of gauges and of what others count. */
  snapshot(read: Readings): MetricsSnapshot;
}

/** What is read at the moment of a snapshot. Metrics without a reading, or with `undefined`, have no sample. */
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

export function createTally(): Tally {
  const all = new Map<MetricName, Map<string, Counted>>();

  const counted = (name: MetricName, labels: readonly string[]): Counted => {
    let family = all.get(name);
    if (!family) {
      family = new Map();
      all.set(name, family);
    }
    const key = keyOf(labels);
    let one = family.get(key);
    if (!one) {
      const { bounds }: Metric = metrics[name];
      one = { labels, value: 0, counts: bounds ? new Array(bounds.length + 1).fill(0) : [] };
      family.set(key, one);
    }
    return one;
  };

  return {
    count: (name, labels, by = 1) => {
      counted(name, labels).value += by;
    },
    observe: (name, labels, seconds) => {
      const one = counted(name, labels);
      const { bounds = [] }: Metric = metrics[name];
      const at = bounds.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? bounds.length : at;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.value += seconds;
    },
    prune: (isKnown) => {
      for (const [name, family] of all) {
        const { labels: names = [] }: Metric = metrics[name];
        const [form, output, type] = ['form', 'output', 'type'].map((one) => names.indexOf(one));
        if (form === undefined || form < 0) continue;
        for (const [key, { labels }] of family) {
          const isLeft = isKnown(labels[form] ?? '', labels[output ?? -1], labels[type ?? -1]);
          if (!isLeft) family.delete(key);
        }
      }
    },
    snapshot: (read) =>
      (Object.keys(metrics) as MetricName[]).map((name) =>
        familyOf(name, all.get(name), readingOf(read, name)),
      ),
  };
}

type Sampled = readonly (readonly [labels: readonly string[], value: number])[];

const readingOf = (read: Readings, name: MetricName): Sampled => {
  const reading = (read as Readonly<Partial<Record<MetricName, number | Sampled>>>)[name];
  return typeof reading === 'number' ? [[[], reading]] : (reading ?? []);
};

function familyOf(
  name: MetricName,
  counted: ReadonlyMap<string, Counted> = new Map(),
  read: Sampled,
): MetricFamily {
  const { type, help, labels = [], bounds = [], combine = 'sum' }: Metric = metrics[name];
  const about = { name, help, labels };
  if (type === 'histogram') {
    const samples = [...counted.values()].map(({ labels, counts, value }) => ({
      labels,
      counts: [...counts],
      sum: value,
    }));
    return { ...about, type, bounds, samples };
  }
  const samples = [
    ...[...counted.values()].map(({ labels, value }) => ({ labels, value })),
    ...read.map(([labels, value]) => ({ labels, value })),
  ];
  return type === 'counter' ? { ...about, type, samples } : { ...about, type, combine, samples };
}
