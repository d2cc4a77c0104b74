/** Statistics of answers: quartiles, histograms, and a table of all counts. */
import { byteOrderMark, record } from '@form-relay/stored/archive/export';
import type { Bar, Summary } from '../api.ts';

export const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/** Quartiles by the nearest-rank method, so that each is a number that was actually submitted. */
export function quartiles(counts: ReadonlyMap<string, number>) {
  const numbers = [...counts]
    .filter(([text]) => isNumber(text))
    .map(([text, count]) => ({ at: Number(text), count }))
    .toSorted((a, b) => a.at - b.at);
  const total = numbers.reduce((sum, { count }) => sum + count, 0);
  const ranked = (share: number) => {
    let left = Math.max(1, Math.ceil(share * total));
    for (const { at, count } of numbers) {
      left -= count;
      if (left <= 0) return at;
    }
    return 0;
  };
  const mean = total === 0 ? 0 : numbers.reduce((sum, { at, count }) => sum + at * count, 0) / total;
  const [least, most] = [numbers[0]?.at ?? 0, numbers.at(-1)?.at ?? 0];
  const marks = {
    least,
    lower: ranked(0.25),
    median: ranked(0.5),
    upper: ranked(0.75),
    most,
    mean: rounded(mean),
  };
  if (numbers.length <= 12)
    return { marks, bars: numbers.map(({ at, count }) => ({ label: String(at), count })) };
  const width = niceWidth((most - least) / 8);
  const first = Math.floor(least / width);
  const bins = Array.from({ length: Math.floor(most / width) - first + 1 }, () => 0);
  for (const { at, count } of numbers)
    bins[Math.floor(at / width) - first] = (bins[Math.floor(at / width) - first] ?? 0) + count;
  const edge = (nth: number) => rounded((first + nth) * width);
  return { marks, bars: bins.map((count, nth) => ({ label: `${edge(nth)} – ${edge(nth + 1)}`, count })) };
}

const rounded = (number: number) => Number(number.toPrecision(6));

/** The next number of the form 1, 2 or 5 times a power of ten. */
function niceWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}

/** Groups by day, month or year, whichever is readable, and includes empty periods between. */
export function datesIn(counts: ReadonlyMap<string, number>): readonly Bar[] {
  const days = [...counts]
    .filter(([day]) => /^\d{4}-\d\d/.test(day))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const span = (length: number) => new Set(days.map(([day]) => day.slice(0, length))).size;
  const length = span(10) <= 14 ? 10 : span(7) <= 36 ? 7 : 4;
  const bars = new Map<string, number>();
  for (const [day, count] of days)
    bars.set(day.slice(0, length), (bars.get(day.slice(0, length)) ?? 0) + count);
  return [...bars].slice(-100).map(([label, count]) => ({ label, count }));
}

/** A row for each count, guarded against formula injection. */
export function asTable({ read, sealed, unreadable, fields }: Summary): string {
  const rows: (readonly (string | number)[])[] = [
    ['field', 'label', 'item', 'count'],
    ['', '', 'submissions read', read],
    ['', '', 'sealed', sealed],
    ['', '', 'unreadable', unreadable],
  ];
  for (const one of fields) {
    const add = (item: string, count: number) => rows.push([one.name, one.label, item, count]);
    add('answered', one.answered);
    if (one.kind === 'number') for (const [name, at] of Object.entries(one.marks)) add(name, at);
    if (one.kind === 'choice' && one.mean !== undefined) add('mean', one.mean);
    if (one.kind === 'files') add('files', one.files);
    if (one.kind === 'grid')
      for (const { label, counts } of one.rows)
        for (const [nth, count] of counts.entries()) add(`${label}: ${one.columns[nth]}`, count);
    if ('bars' in one) for (const { label, count } of one.bars) add(label, count);
    if (one.kind === 'choice' && one.others > 0) add('others', one.others);
    if (one.kind === 'text') for (const { label, count } of one.words) add(label, count);
  }
  return byteOrderMark + rows.map((row) => record(row.map(String))).join('');
}
