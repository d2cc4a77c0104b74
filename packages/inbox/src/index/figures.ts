/** Counts by day and form, from the journal. */

import type { JournalDelivery, JournalLine, StatsLine } from '@form-relay/relay/base';
import type { DayFigures, Figures } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import type { JournalFacts } from './journal.ts';

interface Counts {
  received: number;
  delivered: number;
  kept: number;
  aside: number;
  failed: number;
  late: number;
  doubted: number;
  dropped: Record<string, number>;
  views: number;
  starts: number;
  sends: number;
  steps: number[];
  hasStats: boolean;
  /** How many took about so long: each step is 1.02 times the one before. */
  took: Record<string, number>;
}

interface Failure {
  at: number;
  readonly form: string;
  readonly output: string;
  readonly reason: string;
  readonly day: string;
  times: number;
}

const mostFailures = 2_000;
const step = Math.log(1.02);

export class FigureBook {
  counts: Record<string, Counts> = {};
  failures: Failure[] = [];

  /** @param facts Of its submission, before the line and after it. */
  take(line: JournalLine, facts?: { readonly before: JournalFacts; readonly after: JournalFacts }): void {
    if (line.kind === 'stats') {
      this.#takeStats(line);
      return;
    }
    if (facts) {
      this.#add(line.form, facts.before, -1);
      this.#add(line.form, facts.after, 1);
    }
    for (const one of line.kind === 'delivery' ? [line] : (line.deliveries ?? []))
      if (hasFailed(one)) this.#fail(Date.parse(line.at), line.form, one.type, one.reason ?? '');
  }

  #takeStats(line: StatsLine): void {
    const counts = this.#of(Date.parse(line.at), line.form);
    counts.hasStats = true;
    counts.views += line.views;
    counts.starts += line.starts;
    counts.sends += line.sends;
    for (const [index, began] of (line.steps ?? []).entries())
      counts.steps[index] = (counts.steps[index] ?? 0) + began;
  }

  /** Counts a submission as its facts are, or takes that back: it counts once, however many lines tell of it. */
  #add(form: string, facts: JournalFacts, times: 1 | -1): void {
    const { receivedAt, isReceived, isDoubted, droppedBy, state, isLate, doneMs = 1 } = facts;
    if (receivedAt === undefined) return;
    const counts = this.#of(receivedAt, form);
    if (!isReceived) return;
    counts.received += times;
    if (isDoubted) counts.doubted += times;
    // Each is in one of these, so that they add up.
    if (state === 'dropped') addTo(counts.dropped, droppedBy ?? 'unknown', times);
    if (state === 'kept' || state === 'aside' || state === 'failed') counts[state] += times;
    if (state !== 'delivered') return;
    counts.delivered += times;
    if (isLate) counts.late += times;
    addTo(counts.took, String(Math.round(Math.log(Math.max(1, doneMs)) / step)), times);
  }

  #of(at: number, form: string): Counts {
    const key = `${new Date(at).toISOString().slice(0, 10)} ${form}`;
    this.counts[key] ??= {
      received: 0,
      delivered: 0,
      kept: 0,
      aside: 0,
      failed: 0,
      late: 0,
      doubted: 0,
      dropped: {},
      views: 0,
      starts: 0,
      sends: 0,
      steps: [],
      hasStats: false,
      took: {},
    };
    return this.counts[key];
  }

  #fail(at: number, form: string, output: string, reason: string): void {
    const day = new Date(at).toISOString().slice(0, 10);
    const known = this.failures.findLast(
      (one) => one.day === day && one.form === form && one.output === output && one.reason === reason,
    );
    if (known) {
      known.times += 1;
      known.at = Math.max(known.at, at);
    } else this.failures.push({ at, form, output, reason, day, times: 1 });
    if (this.failures.length > mostFailures) this.failures.shift();
  }

  answer(
    {
      form,
      since = -Infinity,
      until = Infinity,
    }: { readonly form?: string; readonly since?: number; readonly until?: number },
    forms: Forms,
    hasJournal: boolean,
  ): Figures {
    const isChosen = (one: string) => (form === undefined || one === form) && (!forms || forms.has(one));
    const days: DayFigures[] = [];
    const took = new Map<number, number>();
    for (const [key, { steps, hasStats, took: own, views, starts, sends, ...rest }] of Object.entries(
      this.counts,
    )) {
      const [day, of] = [key.slice(0, 10), key.slice(11)];
      const start = Date.parse(day);
      if (!isChosen(of) || start + 86_400_000 <= since || start >= until) continue;
      const leftAtStep = steps.map((began, index) => Math.max(0, began - (steps[index + 1] ?? sends)));
      days.push({
        day,
        form: of,
        ...rest,
        ...(hasStats && { views, starts, sends, ...(steps.length > 0 && { leftAtStep }) }),
      });
      for (const [bucket, times] of Object.entries(own))
        took.set(Number(bucket), (took.get(Number(bucket)) ?? 0) + times);
    }
    const failures = this.failures
      .filter(({ form, at }) => isChosen(form) && at >= since && at < until)
      .map(({ day: _, ...failure }) => failure)
      .sort((a, b) => b.at - a.at);
    days.sort((a, b) => (a.day === b.day ? (a.form < b.form ? -1 : 1) : a.day < b.day ? -1 : 1));
    return { hasJournal, days, failures, medianMs: median(took) };
  }
}

/** An attempt that failed, though the delivery may be tried again. Deliveries that were kept first have no reason. */
const hasFailed = ({ result, reason }: JournalDelivery): boolean =>
  result === 'failed' || (reason !== undefined && ['kept', 'waiting', 'aside', 'deleted'].includes(result));

function addTo(counts: Record<string, number>, key: string, times: number): void {
  const count = (counts[key] ?? 0) + times;
  if (count === 0) delete counts[key];
  else counts[key] = count;
}

function median(took: ReadonlyMap<number, number>): number | undefined {
  let left = [...took.values()].reduce((sum, times) => sum + times, 0) / 2;
  if (left === 0) return undefined;
  for (const [bucket, times] of [...took].sort(([a], [b]) => a - b)) {
    left -= times;
    if (left <= 0) return Math.round(Math.exp(bucket * step));
  }
  return undefined;
}
