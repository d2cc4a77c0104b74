import { type Diagnostic, shown } from '../../schema/diagnostics.ts';
import { didYouMean } from '../../schema/suggestion.ts';
import { meantBy } from './vocabulary.ts';

/** Says which of several words was meant by another one. */
export function adviseOnWord(found: Diagnostic): Diagnostic {
  const { options, word, message, path } = found;
  const suggestion = options && word !== undefined ? meantBy(word, options) : undefined;
  if (!options || suggestion === undefined) return found;
  // The words of many options would hide the one that is meant.
  const told =
    options.length > 4 && message.includes('; expected ') ? `found ${shown(word, { path })}` : message;
  return { ...found, message: told + didYouMean(suggestion), suggestion };
}
