/** Codes and words of mistakes, as tests compare them. */

import { didYouMean } from '../../packages/schema/src/suggestion.ts';
import { misreadOf as misread } from '../../packages/yaml/src/misread.ts';
import type { Misread, Refused } from '../../packages/yaml/src/places.ts';

export function misreadOf(why: Misread | Refused) {
  const { code, message, place } = misread(why);
  return {
    finding: { code, path: [], params: code === 'yaml_refused' ? { complaint: message } : {} },
    place,
  };
}

interface Told {
  readonly message?: string;
  readonly found?: string;
  readonly problem?: string;
  readonly suggestion?: string | undefined;
}

export function say(told: Told = {}): string {
  const { message, found, problem, suggestion } = told;
  const words = message ?? `found ${found === '' ? 'empty text' : `"${found}"`}; ${problem}`;
  return words + didYouMean(suggestion);
}
