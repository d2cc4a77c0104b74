import * as v from 'valibot';
import { finding } from '../base/config_finding.ts';
import { late } from '../base/late.ts';
import { err, ok } from '../base/result.ts';
import { canonicalTag } from '../messages/languages.ts';
import { read } from '../schema/issue.ts';
import { lateSchema, optional, optionalBlock } from '../schema/keys.ts';
import { list, text } from '../schema/kinds.ts';
import { meantLanguage } from './meant_language.ts';

export const lateMessages = late(() => import('./message_texts.ts'), 'messages');

/** A tag as BCP 47 has it, such as `de` or `pt-BR`. */
const language = v.pipe(
  text(),
  read((found: string) => {
    const tag = canonicalTag(found);
    return tag === undefined
      ? err(finding('not_a_language', [], { found, near: meantLanguage(found) }))
      : ok(tag);
  }),
);

/** Keys that a form may have, and the top of the config for all forms. Of maps, each key counts for itself. */
export const languageKeys = {
  language: optional(
    'What the form says is said in this language (BCP 47): `de`, `pt-BR`, … English when absent.',
    language,
  ),
  languages: optional(
    'Several languages, for forms whose visitors choose: by `?lang=`, or as their browser says. The first is for everybody else.',
    list(language, { least: 1 }),
  ),
  messages: optionalBlock(
    'Words in place of single texts of the relay, by code: `{submit: Go}`; or by language and code: `{de: {submit: Los}}`. ' +
      '`relay form messages` prints all of them.',
    lateSchema(lateMessages, ({ messages }) => messages),
  ),
};
