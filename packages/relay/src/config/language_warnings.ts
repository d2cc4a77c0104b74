import type { Form } from '../form.ts';
import { canonicalTag, parentAmong, writtenLanguages } from '../messages/languages.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { formsInLanguages, inForm, rawForms } from './form_languages.ts';
import type { Languages } from './languages.ts';
import { neededTexts } from './message_texts.ts';

/** Warnings about missing translations, and about texts in languages that no form has. */
export const languageWarnings = (
  config: unknown,
  forms: ReadonlyMap<string, Form>,
  languages: Languages,
): readonly Finding[] =>
  [
    ...languages.warnings,
    ...incompleteMessages(config),
    ...[...formsInLanguages(config)].flatMap(([id, { first }]) => inForm(id, first.warnings)),
    ...unusedLanguages(config, forms),
  ].map((one) => ({ ...one, severity: 'warning' }));

/** Languages that have texts in `messages` only. */
function incompleteMessages(config: unknown): readonly Finding[] {
  if (!isMap(config) || !isMap(config.messages)) return [];
  const files = isMap(config.language_files) ? Object.keys(config.language_files) : [];
  const others = [...writtenLanguages, ...files.flatMap((key) => canonicalTag(key) ?? [])];
  return Object.entries(config.messages).flatMap(([key, texts]) => {
    const tag = canonicalTag(key);
    if (tag === undefined || !isMap(texts) || parentAmong(tag, others) !== undefined) return [];
    const missing = neededTexts.filter((code) => !Object.hasOwn(texts, code));
    return missing.length > 0 ? [finding('language_incomplete', ['messages', key], { tag, missing })] : [];
  });
}

function unusedLanguages(config: unknown, forms: ReadonlyMap<string, Form>): readonly Finding[] {
  if (!isMap(config)) return [];
  const all = [...forms.values()];
  const raw = rawForms(config);
  return [
    ...unused(config.language_files, ['language_files'], all),
    ...unused(config.messages, ['messages'], all),
    ...all.flatMap((form) => {
      const own = raw[form.id];
      return isMap(own) ? unused(own.messages, ['forms', form.id, 'messages'], [form]) : [];
    }),
  ];
}

function unused(map: unknown, path: Path, forms: readonly Form[]): readonly Finding[] {
  const keys = isMap(map) ? Object.keys(map) : [];
  const spoken = forms.flatMap(({ language, variants }) => [language, ...variants.keys()]);
  return keys.flatMap((key) => {
    // A message's code is not a tag.
    const tag = canonicalTag(key);
    if (tag === undefined || spoken.some((one) => parentAmong(one, [tag]) !== undefined)) return [];
    return [{ ...finding('language_unused', [...path, key], { tag }), aboutKey: true }];
  });
}
