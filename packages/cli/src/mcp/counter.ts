/** Counts by keys and days, with a few ids to look up. */
import * as z from 'zod/v4';

/** The ids that are shown of each count. */
const mostIds = 3;

export const timeKeys = {
  count: z.number(),
  days: z.record(z.string(), z.number()).describe('How many on each day, in UTC.'),
  ids: z.array(z.string()).describe('Some of the submissions, as the log and the inbox name them.'),
};

export type Counted<Key> = Key & { count: number; days: Record<string, number>; ids: string[] };

export class Counter<Key extends object> {
  readonly #all = new Map<string, Counted<Key>>();

  add(key: Key, day: string, id: string): void {
    const name = JSON.stringify(key);
    const one = this.#all.get(name) ?? { ...key, count: 0, days: {}, ids: [] };
    this.#all.set(name, one);
    one.count += 1;
    one.days[day] = (one.days[day] ?? 0) + 1;
    if (one.ids.length < mostIds && /^[\w-]{1,80}$/.test(id)) one.ids.push(id);
  }

  get total(): number {
    return [...this.#all.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** The largest first. */
  get counts(): Counted<Key>[] {
    return [...this.#all.values()].sort((a, b) => b.count - a.count);
  }
}

export const dayOf = (time: string): string => new Date(time).toISOString().slice(0, 10);

/** A code of the relay's own. Stores are files that others may write to, so nothing else is shown. */
export const kindOf = (code: string): string => (/^[a-z][a-z\d_]{0,39}$/.test(code) ? code : 'other');
