import { ageInWords } from '../keeping/age_words.ts';
import type { KeptStory } from '../telling/output_story.ts';
import type { KeepStory } from '../telling/story.ts';

/** Describes what a form keeps, and for how long. `is`: `would be` if nothing is really kept. */
export function keepInWords({ what, in: place, forMs, then }: KeepStory, is: string): string {
  const kept =
    what === 'always'
      ? `all of it ${is} kept in ${place} before anything is delivered`
      : `what an output does not take ${is} kept in ${place}`;
  const after = then === 'delete' ? 'then it is deleted' : 'then it waits for you';
  const tried = what === 'always' ? 'It is delivered after the answer, and tried' : 'It is tried';
  return `${kept}. ${tried} again for up to ${ageInWords(forMs)}; ${after}`;
}

export const sentence = (words: string): string => `${words.replace(/./, (first) => first.toUpperCase())}.`;

/** Describes the next step of a kept delivery. */
export function waitInWords({ state, nextMs = 0 }: KeptStory): string {
  switch (state) {
    case 'waiting':
      return nextMs < 1_000 ? 'tried after the answer' : `tried again ${ageInWords(nextMs)} after it came`;
    case 'delivered':
      return 'delivered';
    case 'aside':
      return 'set aside: it waits until you have it tried, with relay kept retry';
    case 'deleted':
      return 'deleted, since its time is over';
  }
}
