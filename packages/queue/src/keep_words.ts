import { ageInWords } from './age_words.ts';
import type { FormQueue, QueueConfig } from './store.ts';

interface Worded extends Pick<FormQueue, 'what'> {
  readonly where: Pick<QueueConfig, 'forMs' | 'then'> & { readonly in: { readonly name: string } };
}

/** Describes what a form keeps, and for how long. `is`: `would be` if nothing is really kept. */
export function keepInWords({ what, where: { in: place, forMs, then } }: Worded, is: string): string {
  const kept =
    what === 'always'
      ? `all of it ${is} kept in ${place.name} before anything is delivered`
      : `what an output does not take ${is} kept in ${place.name}`;
  const after = then === 'delete' ? 'then it is deleted' : 'then it waits for you';
  const tried = what === 'always' ? 'It is delivered after the answer, and tried' : 'It is tried';
  return `${kept}. ${tried} again for up to ${ageInWords(forMs)}; ${after}`;
}
