import type { HistogramSample, MetricFamily, MetricsSnapshot } from './snapshot.ts';

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
