/**
 * All that one process, or several, measured until now, as plain JSON: it can be sent from process to process. Text for
 * Prometheus is written from it (`write.ts`).
 */
export type MetricsSnapshot = readonly MetricFamily[];

export type MetricFamily = CounterFamily | GaugeFamily | HistogramFamily;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Only grows while its process lives. */
export interface CounterFamily extends Family {
  readonly type: 'counter';
  readonly samples: readonly NumberSample[];
}

export interface GaugeFamily extends Family {
  readonly type: 'gauge';
  /** What several processes have of it together. */
  readonly combine: 'sum' | 'max';
  readonly samples: readonly NumberSample[];
}

export interface HistogramFamily extends Family {
  readonly type: 'histogram';
  /** The upper bounds of its buckets, ascending, but for the last, which is infinite. */
  readonly bounds: readonly number[];
  readonly samples: readonly HistogramSample[];
}

export interface NumberSample {
  readonly labels: readonly string[];
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: readonly string[];
  /** How many fell into each bucket, each counted in one alone. One more than there are bounds. */
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
 * What stays of a process that ended, so that no counter goes down: its counts without its gauges. `gone`: of those that
 * ended before it. Forms that it did not know any more are left out, so that those gone from the config do not pile up;
 * one that knew none, or ended before it was asked, says nothing of them.
 */
export function countsLeft(gone: MetricsSnapshot, last: MetricsSnapshot): MetricsSnapshot {
  const forms = formsIn(last);
  const isKnown = ({ labels: names }: MetricFamily, { labels }: { readonly labels: readonly string[] }) => {
    const at = names.indexOf('form');
    return at < 0 || forms.size === 0 || forms.has(labels[at] ?? '');
  };
  const known = gone.map((family) => keepSamples(family, (sample) => isKnown(family, sample)));
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

function keepSamples(
  family: MetricFamily,
  isKept: (sample: { readonly labels: readonly string[] }) => boolean,
): MetricFamily {
  return family.type === 'histogram'
    ? { ...family, samples: family.samples.filter(isKept) }
    : { ...family, samples: family.samples.filter(isKept) };
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

function mergeSamples<T extends { readonly labels: readonly string[] }>(
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

/** Buckets hold all that is within their bound, so that each has what those before it have. */
function histogramWriter(name: string, names: readonly string[], bounds: readonly number[]) {
  // Most lines are buckets: what they have in common is put together once.
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
