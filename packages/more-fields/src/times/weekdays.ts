import { nearest } from '@form-relay/core/kit';

const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** From Sunday, which is 0: `sunday`, `monday-friday`, `friday to monday`. Else the name that was probably meant. */
export function weekdaysIn(written: string): readonly number[] | { readonly near: string | undefined } {
  const [, first = '', last = first] =
    /^([a-z]+?)(?:(?: to | ?[-–] ?)([a-z]+))?$/.exec(written.toLowerCase()) ?? [];
  const [from, to] = [first, last].map((name) => names.indexOf(name)) as [number, number];
  if (from < 0 || to < 0) return { near: nearest(from < 0 ? first || written : last, names) };
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, nth) => (from + nth) % 7);
}
