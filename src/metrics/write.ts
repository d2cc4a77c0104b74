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
  const { name, type, help } = family;
  const lines =
    family.type === 'histogram'
      ? family.samples.map((sample) => writeHistogram(name, family.labels, family.bounds, sample))
      : family.samples.map(
          ({ labels, value }) => `${name}${inBraces(pairs(family.labels, labels))} ${number(value)}\n`,
        );
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Buckets hold all that is within their bound, so that each has what those before it have. */
function writeHistogram(
  name: string,
  names: readonly string[],
  bounds: readonly number[],
  { labels, counts, sum }: HistogramSample,
): string {
  const own = pairs(names, labels);
  const before = own === '' ? '' : `${own},`;
  let count = 0;
  let lines = '';
  counts.forEach((inBucket, at) => {
    count += inBucket;
    lines += `${name}_bucket{${before}le="${number(bounds[at] ?? Infinity)}"} ${count}\n`;
  });
  const all = inBraces(own);
  return `${lines}${name}_sum${all} ${number(sum)}\n${name}_count${all} ${count}\n`;
}

const pairs = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',');

const inBraces = (own: string) => (own === '' ? '' : `{${own}}`);

const number = (value: number): string => (value === Infinity ? '+Inf' : `${value}`);

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
