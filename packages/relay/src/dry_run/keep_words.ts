import { ageInWords } from '../keeping/age_words.ts';
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
