import type { Schema } from '@form-relay/core/index';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { text } from '@form-relay/schema/scalars';
import { optional, optionalBlock, schema } from '@form-relay/schema/schema';
import { didYouMean } from '@form-relay/schema/suggestion';
import { canonicalTag } from './negotiate.ts';

/** A BCP 47 tag, such as `de` or `pt-BR`. */
const tag: Schema<string> = schema(
  () => ({ title: 'text', type: 'string', examples: ['de', 'en', 'pt-BR'] }),
  (value, at) => {
    const found = text()(value, at);
    if (found === undefined) return undefined;
    return (
      canonicalTag(found) ??
      at.error(
        `found ${shown(found, at)}; expected a language tag, such as de or pt-BR${didYouMean(canonicalTag(found.trim().replaceAll('_', '-')))}`,
      )
    );
  },
);

/** The codes of all loaded plug-ins are checked later (texts.ts). */
const messages: Schema<unknown> = schema(
  () => ({ type: 'object' }),
  (value) => value,
);

/** Keys of a form, or top-level keys for all forms. Each key is inherited separately. */
export const languageKeys = {
  language: optional(
    'Language of the relay’s texts (BCP 47), such as `de` or `pt-BR`. Default: English.',
    tag,
  ),
  languages: optional(
    'Languages to choose from (`[en, de]`) by `?lang=` or the visitor’s browser. The first is the default.',
    array(tag, { least: 1 }),
  ),
  messages: optionalBlock(
    'Replaces the relay’s texts, by code: `{submit: Go}`; or by language and code: `{de: {submit: Los}}`, also for a new language. ' +
      '`relay form messages` prints all.',
    messages,
  ),
};
