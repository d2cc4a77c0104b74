import type { FormQueue, QueueConfig } from './open_stores.ts';

interface Worded extends Pick<FormQueue, 'what'> {
  readonly where: Pick<QueueConfig, 'forMs'> & { readonly in: { readonly name: string } };
}

/** Describes what a form keeps, and for how long. `is`: `would be` if nothing is really kept. */
export function keepInWords({ what, where: { in: place, forMs } }: Worded, is: string): string {
  const kept =
    what === 'always'
      ? `all of it ${is} kept in ${place.name} before anything is delivered`
      : `what an output does not take ${is} kept in ${place.name}`;
  const tried = what === 'always' ? 'It is delivered after the answer, and tried' : 'It is tried';
  return `${kept}. ${tried} again for up to ${ageInWords(forMs)}; then it waits for you`;
}

/** How long something takes or took, as people say it: `40 s`, `5 min`, `3 h`, `14 days`. */
export function ageInWords(ms: number): string {
  const [, size, unit] = units.find(([from]) => ms >= from) ?? seconds;
  return `${Math.max(0, Math.round(ms / size))} ${unit}`;
}

const seconds = [0, 1_000, 's'] as const;

/** From what on, the unit in milliseconds, and its name. Two of a unit say more than one of the next. */
const units = [
  [48 * 3_600_000, 24 * 3_600_000, 'days'],
  [59.5 * 60_000, 3_600_000, 'h'],
  [59_500, 60_000, 'min'],
  seconds,
] as const;
