import { readFileSync } from 'node:fs';
import { type Metric, metrics } from '../../packages/relay/src/telling/metrics/families.ts';

/** The page about metrics, with the table of all of them as they are now. */
export const metricsPage = (): string =>
  readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8').replace(
    /^\| Metric \|.*\n(\|.*\n)*/m,
    () => table,
  );

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const code = (text: string) => `\`${text}\``;

const table = [
  row(['Metric', 'Type', 'Labels', 'Meaning']),
  row(['---', '---', '---', '---']),
  ...Object.entries<Metric>(metrics).map(([name, { type, labels = [], help }]) =>
    row([code(name), type, labels.map(code).join(' '), help]),
  ),
].join('');
