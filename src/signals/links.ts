import { signal } from './signal.ts';

export const links = signal({
  name: 'links',
  summary: 'Web addresses in what was typed: two are half of it, four and more all of it.',
  weight: 3,
  isDefault: true,
  keys: {},
  look:
    () =>
    ({ values }) => {
      let count = 0;
      for (const all of values.values()) {
        for (const value of all) count += value.match(/https?:\/\/|\bwww\./gi)?.length ?? 0;
      }
      return count > 1 ? { strength: Math.min(1, count / 4), why: `${count} web addresses` } : undefined;
    },
});
