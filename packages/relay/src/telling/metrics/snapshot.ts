/**
 * The metrics of one process or several as plain JSON, to be sent between processes and written for Prometheus.
 */
export type MetricsSnapshot = readonly MetricFamily[];

export type MetricFamily = CounterFamily | GaugeFamily | HistogramFamily;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Never decreases while its process lives. */
export interface CounterFamily extends Family {
  readonly type: 'counter';
  readonly samples: readonly NumberSample[];
}

export interface GaugeFamily extends Family {
  readonly type: 'gauge';
  /** How to combine the values of several processes. */
  readonly combine: 'sum' | 'max';
  readonly samples: readonly NumberSample[];
}

export interface HistogramFamily extends Family {
  readonly type: 'histogram';
  /** The upper bounds of its buckets, ascending, without the last, infinite one. */
  readonly bounds: readonly number[];
  readonly samples: readonly HistogramSample[];
}

interface Sample {
  readonly labels: readonly string[];
}

export interface NumberSample extends Sample {
  readonly value: number;
}

export interface HistogramSample extends Sample {
  /** The values in each bucket, not cumulative: one more entry than bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const merged = new Map<string, MetricFamily>();
  for (const family of snapshots.flat()) {
    const before = merged.get(family.name);
    merged.set(family.name, before ? mergeFamilies(before, family) : family);
  }
  return [...merged.values()];
}

/**
 * The counts of ended processes without their gauges, so that no counter goes down.
 *
 * Leaves out forms that the last process did not know any more, so that removed forms do not pile up, unless it knew none
 * or ended before it was asked.
 *
 * @param gone The counts of the processes that ended before.
 */
export function countsLeft(gone: MetricsSnapshot, last: MetricsSnapshot): MetricsSnapshot {
  const forms = formsIn(last);
  const known = gone.map((family) => {
    const at = family.labels.indexOf('form');
    const isKnown = ({ labels }: Sample) => at < 0 || forms.size === 0 || forms.has(labels[at] ?? '');
    return { ...family, samples: family.samples.filter(isKnown) } as MetricFamily;
  });
  return mergeSnapshots([known, last]).filter(({ type }) => type !== 'gauge');
}

function formsIn(snapshot: MetricsSnapshot): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const { labels: names, samples } of snapshot) {
    const at = names.indexOf('form');
    if (at >= 0) for (const { labels } of samples) forms.add(labels[at] ?? '');
  }
  return forms;
}

function mergeFamilies(one: MetricFamily, other: MetricFamily): MetricFamily {
  if (one.type === 'histogram' && other.type === 'histogram') {
    return { ...one, samples: mergeSamples(one.samples, other.samples, addHistograms) };
  }
  if (one.type === 'histogram' || other.type === 'histogram') return one;
  const isMost = one.type === 'gauge' && one.combine === 'max';
  const samples = mergeSamples(one.samples, other.samples, (a, b) => ({
    labels: a.labels,
    value: isMost ? Math.max(a.value, b.value) : a.value + b.value,
  }));
  return { ...one, samples };
}

const addHistograms = (a: HistogramSample, b: HistogramSample): HistogramSample => ({
  labels: a.labels,
  counts: a.counts.map((count, at) => count + (b.counts[at] ?? 0)),
  sum: a.sum + b.sum,
});

function mergeSamples<T extends Sample>(
  some: readonly T[],
  others: readonly T[],
  merge: (a: T, b: T) => T,
): readonly T[] {
  const all = new Map(some.map((sample) => [keyOf(sample.labels), sample]));
  for (const sample of others) {
    const key = keyOf(sample.labels);
    const before = all.get(key);
    all.set(key, before ? merge(before, sample) : sample);
  }
  return [...all.values()];
}

/** Form names contain no control characters; all other values come from the relay or the config's types. */
const keyOf = (labels: readonly string[]): string => labels.join('\0');

/** The `Content-Type` of what `writeMetrics` writes. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Prometheus' text format, version 0.0.4. Families without a sample are left out. */
export const writeMetrics = (snapshot: MetricsSnapshot): string =>
  snapshot
    .filter(({ samples }) => samples.length > 0)
    .map(writeFamily)
    .join('');

function writeFamily(family: MetricFamily): string {
  const { name, type, help, labels: names } = family;
  const lines =
    family.type === 'histogram'
      ? family.samples.map(histogramWriter(name, names, family.bounds))
      : family.samples.map(({ labels, value }) => `${name}${inBraces(pairs(names, labels))} ${value}\n`);
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Buckets are cumulative. */
function histogramWriter(name: string, names: readonly string[], bounds: readonly number[]) {
  // Most lines are buckets: join their common parts once.
  const ends = [...bounds, '+Inf'].map((bound) => `le="${bound}"} `);
  return ({ labels, counts, sum }: HistogramSample): string => {
    const own = pairs(names, labels);
    const start = `${name}_bucket{${own === '' ? '' : `${own},`}`;
    let count = 0;
    let lines = '';
    for (const [at, end] of ends.entries()) {
      count += counts[at] ?? 0;
      lines += `${start}${end}${count}\n`;
    }
    const all = inBraces(own);
    return `${lines}${name}_sum${all} ${sum}\n${name}_count${all} ${count}\n`;
  };
}

const pairs = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',');

const inBraces = (own: string) => (own === '' ? '' : `{${own}}`);

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
