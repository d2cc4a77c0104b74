/** The words of other form services, HTML and template languages for the keys and types of a config. */
import { type Diagnostic, shown } from '@form-relay/schema/diagnostics';
import {
  didYouMean,
  isCalled as isUnitCalled,
  type Named,
  nearest,
  squeezed,
} from '@form-relay/schema/suggestion';
import aliases from './aliases.json' with { type: 'json' };

const keys = indexOf(aliases.keys);
/** Some words only mean a type, although a key has its name, too. */
const types = indexOf(aliases.types);

/** Our names by the words of others. A word may mean several; the one that is valid in its place is meant. */
function indexOf(list: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, words] of Object.entries(list))
    for (const word of words.split(' ').map(squeezed)) found.set(word, [...(found.get(word) ?? []), name]);
  return found;
}

/** All names of ours that a foreign word may mean. Ignores case and separators: `emailTo`, `email-to`. */
export const namesCalled = (word: string): readonly string[] => keys.get(squeezed(word)) ?? [];

/** Whether others call a key or type by this word. */
export const isCalled = (one: Named, word: string): boolean =>
  isUnitCalled(one, word) || namesCalled(word).includes(one.name);

/** The option for which other tools use this word, or else the nearest. */
export function meantBy(word: string, options: readonly Named[]): string | undefined {
  const byUnit = options.find((one) => isUnitCalled(one, word))?.name;
  const called = [...namesCalled(word), ...(types.get(squeezed(word)) ?? [])];
  const names = options.map(({ name }) => name);
  return byUnit ?? called.find((name) => names.includes(name)) ?? nearest(word, names);
}

/** Says which of several words was meant by another one. */
export function adviseOnWord(found: Diagnostic): Diagnostic {
  const { options, word, message, path } = found;
  const suggestion = options && word !== undefined ? meantBy(word, options) : undefined;
  if (!options || suggestion === undefined) return found;
  // The words of many options would hide the one that is meant.
  const text =
    options.length > 4 && message.includes('; expected ') ? `found ${shown(word, { path })}` : message;
  return { ...found, message: text + didYouMean(suggestion), suggestion };
}
