/** Figures as the page shows them: forms added up, a row for each day, and days without submissions filled in. */
import type { DayFigures } from '../../src/api.ts';

/** What is counted, with its title. */
export const titles = {
  received: 'Received',
  delivered: 'Delivered',
  kept: 'Kept',
  aside: 'Set aside',
  failed: 'Failed',
  late: 'Late',
  doubted: 'Doubted',
  views: 'Views',
  starts: 'Starts',
  sends: 'Sends',
} as const;

export type Key = keyof typeof titles;

/** Those that end in one way or another, and those that people see before they send. */
export const endings: readonly Key[] = ['received', 'delivered', 'kept', 'aside', 'failed'];
export const visits: readonly Key[] = ['views', 'starts', 'sends'];

export interface Day extends Readonly<Record<Key, number>> {
  /** `2026-11-23`, in UTC. */
  readonly day: string;
  readonly dropped: Readonly<Record<string, number>>;
}

export interface Counted {
  readonly days: readonly Day[];
  readonly sum: Day;
  /** Of drops, the most frequent first. */
  readonly reasons: readonly string[];
  readonly hasStats: boolean;
  /** How many people left at each step, from 1. */
  readonly leftAtStep: readonly number[];
}

const dayMs = 86_400_000;
/** Over a longer time, such as after a clock jumped to another century, only days with figures are shown. */
const mostFilled = 1_000;

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The beginning of the first of so many days in UTC, today included. */
export const sinceDays = (days: number, now: number): number => (Math.floor(now / dayMs) - days + 1) * dayMs;

/** @param since The first day shown; the first day with figures if absent. */
export function count(figures: readonly DayFigures[], now: number, since?: number): Counted {
  const byDay = new Map<string, Day>();
  let sum = emptyDay('');
  const leftAtStep: number[] = [];
  for (const one of figures) {
    byDay.set(one.day, add(byDay.get(one.day) ?? emptyDay(one.day), one));
    sum = add(sum, one);
    for (const [index, left] of (one.leftAtStep ?? []).entries())
      leftAtStep[index] = (leftAtStep[index] ?? 0) + left;
  }
  const known = [...byDay.keys()].sort();
  const first = since === undefined ? Date.parse(known[0] ?? dayOf(now)) : since;
  const last = Math.max(now, Date.parse(known.at(-1) ?? dayOf(now)));
  const isFilled = last - first < mostFilled * dayMs;
  const days = isFilled ? daysBetween(first, last) : known;
  return {
    days: days.map((day) => byDay.get(day) ?? emptyDay(day)),
    sum,
    reasons: Object.keys(sum.dropped).sort((a, b) => droppedBy(sum, b) - droppedBy(sum, a)),
    hasStats: figures.some(({ views, starts, sends }) => (views ?? starts ?? sends) !== undefined),
    leftAtStep: Array.from(leftAtStep, (left) => left ?? 0),
  };
}

const daysBetween = (first: number, last: number): readonly string[] =>
  Array.from({ length: Math.floor((last - first) / dayMs) + 1 }, (_, nth) => dayOf(first + nth * dayMs));

export const droppedBy = (day: Day, reason: string): number => day.dropped[reason] ?? 0;

export const droppedInAll = ({ dropped }: Day): number =>
  Object.values(dropped).reduce((sum, each) => sum + each, 0);

const keys = Object.keys(titles) as Key[];

function add(day: Day, more: DayFigures): Day {
  const dropped: Record<string, number> = { ...day.dropped };
  for (const [reason, times] of Object.entries(more.dropped))
    dropped[reason] = (dropped[reason] ?? 0) + times;
  return { ...day, ...countsOf((key) => day[key] + (more[key] ?? 0)), dropped };
}

const emptyDay = (day: string): Day => ({ day, dropped: {}, ...countsOf(() => 0) });

const countsOf = (count: (key: Key) => number) =>
  Object.fromEntries(keys.map((key) => [key, count(key)])) as Record<Key, number>;

const reasonWords: Readonly<Record<string, string>> = {
  honeypot: 'Honeypot',
  min_fill: 'Filled in too fast',
  captcha: 'Captcha',
  proof: 'Proof of work',
  doubt: 'Doubt',
};

export const inReason = (reason: string): string => reasonWords[reason] ?? reason;

export function inShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? 'under 1 %' : `${Math.round(share)} %`;
}

export function inTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(2))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Number((ms / 3_600_000).toPrecision(2))} h`;
}

/** `2026-11-23 17:04`, in UTC as the days are. */
export const inMoment = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
