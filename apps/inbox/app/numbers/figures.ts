/** Counts and the summary for the current filter, as the server returns them. */
import { computed, effect, signal } from '@preact/signals';
import type { Counts, Numbers, Summary } from '../../src/api.ts';
import { type Choice, page, paramsOf, query } from '../address.ts';
import { fetchApi, post, wordsOf } from '../ask.ts';
import { painted } from '../list/entries.ts';

export interface Day {
  readonly since: number;
  readonly until: number;
}

export interface DayCounts extends Day {
  readonly counts: Counts;
}

export const numbers = signal<Numbers | undefined>(undefined);
export const days = signal<{ readonly by: Step; readonly all: readonly DayCounts[] } | undefined>(undefined);
export const summary = signal<Summary | undefined>(undefined);
export const trouble = signal<string | undefined>(undefined);

export type Step = 'day' | 'week' | 'month' | 'year';

const dayMs = 86_400_000;

/** Time steps for the chart: days in local time, or longer steps, to keep the bars distinguishable. */
export function stepsOf(first: number, last: number): { readonly by: Step; readonly all: readonly Day[] } {
  const count = (last - first) / dayMs;
  const by: Step = count <= 62 ? 'day' : count <= 400 ? 'week' : count <= 3_700 ? 'month' : 'year';
  const start = new Date(first);
  const [year, month] = [start.getFullYear(), start.getMonth()];
  const monday = start.getDate() - ((start.getDay() + 6) % 7);
  const at = (nth: number): number =>
    ({
      day: () => new Date(year, month, start.getDate() + nth),
      week: () => new Date(year, month, monday + 7 * nth),
      month: () => new Date(year, month + nth),
      year: () => new Date(year + nth, 0),
    })
      [by]()
      .getTime();
  const all: Day[] = [];
  for (let nth = 0; at(nth) <= last && nth < mostSteps; nth += 1)
    all.push({ since: at(nth), until: at(nth + 1) });
  return { by, all };
}

/** The server counts this many steps in one request. */
const mostSteps = 1_000;

let generation = 0;

async function count(choice: Choice): Promise<void> {
  generation += 1;
  const own = generation;
  const ask = (days: readonly Day[]) =>
    post<Numbers>(`/api/numbers?${paramsOf(choice)}`, {
      days: days.map(({ since, until }) => [since, until]),
    });
  try {
    const { first = Date.now(), last = first } = await ask([]);
    const steps = stepsOf(
      choice.since ?? first,
      choice.until === undefined ? last : Math.min(choice.until - 1, Math.max(last, Date.now())),
    );
    const counted = await ask(steps.all);
    if (own !== generation) return;
    numbers.value = counted;
    days.value = {
      by: steps.by,
      all: counted.days.map((counts, nth) => ({ ...(steps.all[nth] as Day), counts })),
    };
    trouble.value = undefined;
  } catch (error) {
    if (own === generation) trouble.value = wordsOf(error);
  }
}

let reading: AbortController | undefined;

/** Reads the summary as it grows: one JSON line for each state, until all submissions are read. */
async function sumUp(choice: Choice): Promise<void> {
  reading?.abort();
  const stop = new AbortController();
  reading = stop;
  try {
    const answer = await fetchApi(`/api/summary?${paramsOf(choice)}`, { signal: stop.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; reader; ) {
      const { done, value = '' } = await reader.read();
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      const last = lines.findLast(Boolean);
      if (last && reading === stop) summary.value = JSON.parse(last);
      if (done) break;
    }
    if (reading === stop && !summary.peek()?.isDone) throw new Error('The summary was interrupted.');
  } catch (error) {
    if (!stop.signal.aborted) trouble.value = wordsOf(error);
  }
}

/** The filter as a string, so that the signal changes only with its content. */
const chosen = computed(() => paramsOf(query.value).toString());

/** Counts again after every change. */
effect(() => {
  void painted.value;
  void chosen.value;
  if (page.value === 'numbers') void count(query.peek());
});

/** Reads the summary once for each filter. */
effect(() => {
  void chosen.value;
  const { form } = query.peek();
  summary.value = undefined;
  if (page.value === 'numbers' && form !== undefined) void sumUp(query.peek());
  else reading?.abort();
});
