import { type Metric, type MetricName, metrics } from './families.ts';

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
  /** Prometheus' text of the counts, with the readings of gauges and of external counters. */
  text(read: Readings): string;
}

/** Values read for a text. Metrics without a reading, or with `undefined`, have no sample. */
export type Readings = {
  readonly [Name in Exclude<MetricName, Named<'histogram'>>]?:
    | number
    | undefined
    | readonly (readonly [labels: Labels<Name>, value: number])[];
};

interface Series {
  readonly labels: readonly string[];
  /** For a histogram, the sum of its values. */
  value: number;
  /** How many values a histogram has up to each bound, and in all. */
  readonly counts: number[];
}

/** The `Content-Type` of the text. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

const entries = Object.entries(metrics) as [MetricName, Metric][];

export function createTally(): Tally {
  const families = new Map(entries.map(([name]) => [name, new Map<string, Series>()]));

  const seriesOf = (name: MetricName, labels: readonly string[]): Series => {
    const family = families.get(name) as Map<string, Series>;
    const key = labels.join('\0');
    const known = family.get(key);
    if (known) return known;
    const { type, bounds }: Metric = metrics[name];
    const counts = type === 'histogram' ? new Array(bounds.length + 1).fill(0) : [];
    const series = { labels, value: 0, counts };
    family.set(key, series);
    return series;
  };

  return {
    add: (name, by, ...labels) => {
      seriesOf(name, labels).value += by;
    },
    observe: (name, seconds, ...labels) => {
      const series = seriesOf(name, labels);
      const { bounds }: Metric = metrics[name];
      series.value += seconds;
      for (const at of series.counts.keys())
        if (seconds <= (bounds[at] ?? Infinity)) series.counts[at] = (series.counts[at] ?? 0) + 1;
    },
    prune: (isKnown) => {
      for (const [name, { labels: names }] of entries) {
        const family = families.get(name);
        const [form = -1, output = -1, type = -1] = ['form', 'output', 'type'].map((one) =>
          names.indexOf(one),
        );
        if (form < 0) continue;
        for (const [key, { labels }] of family ?? [])
          if (!isKnown(labels[form] ?? '', labels[output], labels[type])) family?.delete(key);
      }
    },
    text: (read) =>
      entries
        .map(([name, metric]) =>
          familyText(name, metric, [...(families.get(name)?.values() ?? []), ...seriesIn(read, name)]),
        )
        .join(''),
  };
}

function seriesIn(read: Readings, name: MetricName): readonly Series[] {
  const reading = name in read ? read[name as keyof Readings] : undefined;
  if (typeof reading === 'number') return [{ labels: [], value: reading, counts: [] }];
  return (reading ?? []).map(([labels, value]) => ({ labels, value, counts: [] }));
}

/** In Prometheus' text format, version 0.0.4. A family without a sample is left out. */
function familyText(name: string, { type, help, labels, bounds }: Metric, all: readonly Series[]): string {
  if (all.length === 0) return '';
  // Most lines are buckets: join their common parts once.
  const ends = [...bounds, '+Inf'].map((bound) => `le="${bound}"} `);
  const lines = all.map((series) => {
    const own = labels.map((label, at) => `${label}="${escapeValue(series.labels[at] ?? '')}"`).join(',');
    const inBraces = own === '' ? '' : `{${own}}`;
    if (type !== 'histogram') return `${name}${inBraces} ${series.value}\n`;
    const start = `${name}_bucket{${own === '' ? '' : `${own},`}`;
    const buckets = ends.map((end, at) => `${start}${end}${series.counts[at]}\n`).join('');
    return `${buckets}${name}_sum${inBraces} ${series.value}\n${name}_count${inBraces} ${series.counts.at(-1)}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const escapeValue = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
