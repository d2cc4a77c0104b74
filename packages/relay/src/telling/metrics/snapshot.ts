/** The metrics of a process, to be written for Prometheus. */
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
