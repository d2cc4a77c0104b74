/** The report, as text and as JSON. */
import type { Verdict } from './run.ts';

export interface Report {
  readonly product: string;
  readonly kept: number;
  readonly broken: number;
  readonly not_offered: number;
  readonly areas: readonly AreaReport[];
}

interface AreaReport {
  readonly area: string;
  readonly kept: number;
  readonly broken: number;
  readonly not_offered: number;
  readonly promises: readonly Omit<Verdict, 'area'>[];
}

/** In the order of the suite. */
export function reportOf(product: string, verdicts: readonly Verdict[]): Report {
  const names = [...new Set(verdicts.map(({ area }) => area))];
  return {
    product,
    ...countsOf(verdicts),
    areas: names.map((name) => {
      const own = verdicts.filter(({ area }) => area === name);
      return { area: name, ...countsOf(own), promises: own.map(({ area: _, ...verdict }) => verdict) };
    }),
  };
}

const countsOf = (verdicts: readonly Verdict[]) => {
  const countOf = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return { kept: countOf('kept'), broken: countOf('broken'), not_offered: countOf('not_offered') };
};

export const asJson = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`;

const words = { kept: 'kept', broken: 'BROKEN', not_offered: 'not offered' } as const;

/** `paint`: what colours a verdict's word. */
export function asText(report: Report, paint: (verdict: Verdict['verdict'], word: string) => string): string {
  const { product, areas, kept, broken, not_offered } = report;
  const width = Math.max('All'.length, ...areas.map(({ area }) => area.length));
  const row = (area: string, numbers: readonly (number | string)[]) =>
    `${area.padEnd(width)}${numbers.map((number) => `${number}`.padStart(13)).join('')}\n`;
  const table = [
    row(product.slice(0, width), ['kept', 'broken', 'not offered']),
    ...areas.map((one) => row(one.area, [one.kept, one.broken, one.not_offered])),
    row('All', [kept, broken, not_offered]),
  ];
  const parts = areas.map(
    ({ area, promises }) => `\n${area}\n${promises.map((one) => linesOf(one, paint)).join('')}`,
  );
  return `${table.join('')}${parts.join('')}`;
}

type Paint = Parameters<typeof asText>[1];

function linesOf({ id, says, from, verdict, evidence }: Omit<Verdict, 'area'>, paint: Paint): string {
  const line = `  ${paint(verdict, words[verdict].padEnd(11))}  ${says}\n`;
  if (!evidence) return line;
  const about = [
    ['promise', `${id} (${from})`],
    ['request', evidence.request],
    ['expected', evidence.expected],
    ['came', evidence.came],
  ];
  return (
    line + about.map(([what = '', text = '']) => `${' '.repeat(15)}${what.padEnd(8)}  ${text}\n`).join('')
  );
}
