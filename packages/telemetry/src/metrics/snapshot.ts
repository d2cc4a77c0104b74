/** The metrics of a process, to be written for Prometheus. */
export type MetricsSnapshot = readonly MetricFamily[];

export interface MetricFamily {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram's buckets, ascending, without the last, infinite one. */
  readonly bounds: readonly number[];
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: readonly string[];
  /** Of a histogram, the sum of its values. */
  readonly value: number;
  /** The values in each bucket of a histogram, not cumulative: one more entry than bounds. */
  readonly counts: readonly number[];
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
  return ({ labels, counts, value }: Sample): string => {
    const own = pairs(names, labels);
    const start = `${name}_bucket{${own === '' ? '' : `${own},`}`;
    let count = 0;
    let lines = '';
    for (const [at, end] of ends.entries()) {
      count += counts[at] ?? 0;
      lines += `${start}${end}${count}\n`;
    }
    const all = inBraces(own);
    return `${lines}${name}_sum${all} ${value}\n${name}_count${all} ${count}\n`;
  };
}

const pairs = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',');

const inBraces = (own: string) => (own === '' ? '' : `{${own}}`);

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
