import type { Form, Plugin } from '@form-relay/core/index';
import type { Seen } from './store_status.ts';

/** What is kept, as the store last said: counting for each reading would be too often. */
export function readingsOf(
  store: string,
  { waiting, at, problem }: Seen,
  forms: ReadonlyMap<string, Form>,
  now: number,
): ReturnType<NonNullable<Plugin['readings']>> {
  /** By label: a store may hold deliveries of removed forms, and queues do not distinguish forms. */
  const named = new Map<string, { due: number; aside: number; oldest: number }>();
  for (const [form, { due, aside, oldestKeptAt = Infinity }] of waiting.forms) {
    const name = form === '' ? '(all)' : forms.has(form) ? form : '(unknown)';
    const before = named.get(name) ?? { due: 0, aside: 0, oldest: Infinity };
    named.set(name, {
      due: before.due + due,
      aside: before.aside + aside,
      oldest: Math.min(before.oldest, oldestKeptAt),
    });
  }
  const all = [...named];
  return {
    form_relay_kept_deliveries: all.flatMap(([name, { due, aside }]) => [
      [[store, name, 'due'], due] as const,
      [[store, name, 'aside'], aside] as const,
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
