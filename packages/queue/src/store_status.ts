import type { Form, Plugin } from '@form-relay/core/index';
import type { FormCounts, QueueCounts } from '@form-relay/stores/store';
import type { FormQueue, QueueConfig } from './open_stores.ts';

/** The store's latest count of waiting deliveries. */
export interface StoreStatus {
  readonly at: number;
  readonly waiting: QueueCounts;
  /** Why the store does not respond; `waiting` is then its last result. */
  readonly problem: string | undefined;
}

/** Adds up the counts of all forms. */
export function totalOf({ forms }: QueueCounts): Required<FormCounts> {
  const all = [...forms.values()];
  return {
    due: all.reduce((sum, one) => sum + one.due, 0),
    held: all.reduce((sum, one) => sum + (one.held ?? 0), 0),
    deadLetters: all.reduce((sum, one) => sum + one.deadLetters, 0),
    oldestKeptAt: all.flatMap((one) => one.oldestKeptAt ?? []).toSorted((a, b) => a - b)[0],
  };
}

/** Waiting deliveries in words, without form names, because `/readyz` is public. `undefined` if nothing waits. */
export function waitingInWords({ waiting, problem }: StoreStatus): string | undefined {
  if (problem !== undefined) return 'the store of kept deliveries does not respond; see the log';
  const { due, deadLetters, oldestKeptAt } = totalOf(waiting);
  if (due + deadLetters === 0) return undefined;
  const since =
    oldestKeptAt === undefined
      ? ''
      : `, the oldest since ${new Date(oldestKeptAt).toISOString().slice(0, 19)}Z`;
  const own = deadLetters > 0 ? `; ${deadLetters} of them dead letters` : '';
  return `${due + deadLetters} ${due + deadLetters === 1 ? 'delivery is queued' : 'deliveries are queued'}${since}${own}`;
}

/** Metrics of queued deliveries from the store's latest count; counting for each scrape would be too often. */
export function readingsOf(
  store: string,
  { waiting, at, problem }: StoreStatus,
  forms: ReadonlyMap<string, Form>,
  now: number,
): ReturnType<NonNullable<Plugin['gauges']>> {
  /** Counts by label: a store may hold deliveries of removed forms, and queues do not distinguish forms. */
  const named = new Map<string, { due: number; held: number; deadLetters: number; oldest: number }>();
  for (const [form, { due, held = 0, deadLetters, oldestKeptAt = Infinity }] of waiting.forms) {
    const name = form === '' ? '(all)' : forms.has(form) ? form : '(unknown)';
    const before = named.get(name) ?? { due: 0, held: 0, deadLetters: 0, oldest: Infinity };
    named.set(name, {
      due: before.due + due,
      held: before.held + held,
      deadLetters: before.deadLetters + deadLetters,
      oldest: Math.min(before.oldest, oldestKeptAt),
    });
  }
  const all = [...named];
  return {
    form_relay_kept_deliveries: all.flatMap(([name, { due, held, deadLetters }]) => [
      [[store, name, 'due'], due] as const,
      [[store, name, 'aside'], deadLetters] as const,
      ...(held > 0 ? [[[store, name, 'held'], held] as const] : []),
    ]),
    form_relay_kept_oldest_age_seconds: all
      .filter(([, { oldest }]) => oldest < Infinity)
      .map(([name, { oldest }]) => [[store, name], age(oldest, now)] as const),
    form_relay_kept_counted_age_seconds: [[[store], age(at, now)]],
    form_relay_kept_store_failing: [[[store], problem === undefined ? 0 : 1]],
  };
}

/** In seconds. A clock that is set back must not lead to a negative age. */
const age = (since: number, now: number) => Math.max(0, now - since) / 1_000;

interface Worded extends Pick<FormQueue, 'what'> {
  readonly where: Pick<QueueConfig, 'forMs'> & { readonly in: { readonly name: string } };
}

/** Describes what a form queues, and for how long. `is`: `would be` if nothing is really queued. */
export function keepInWords({ what, where: { in: place, forMs } }: Worded, is: string): string {
  const kept =
    what === 'always'
      ? `every delivery ${is} queued in ${place.name} before the first attempt`
      : `failed deliveries ${is === 'is' ? 'are' : is} queued in ${place.name}`;
  return `${kept}, and retried for up to ${ageInWords(forMs)}; deliveries that still fail become dead letters`;
}

/** A duration in words: `40 s`, `5 min`, `3 h`, `14 days`. */
export function ageInWords(ms: number): string {
  const [, size, unit] = units.find(([from]) => ms >= from) ?? seconds;
  return `${Math.max(0, Math.round(ms / size))} ${unit}`;
}

const seconds = [0, 1_000, 's'] as const;

/**
 * The minimum for each unit, its length in milliseconds, and its name. Days start late, because "26 hours" is
 * more precise than "a day".
 */
const units = [
  [48 * 3_600_000, 24 * 3_600_000, 'days'],
  [59.5 * 60_000, 3_600_000, 'h'],
  [59_500, 60_000, 'min'],
  seconds,
] as const;
