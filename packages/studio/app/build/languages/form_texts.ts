/** All texts of a form that visitors read. Pure. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, listOf } from '../../schema_nodes.ts';
import { labelFrom } from '../fields/names.ts';
import { keyFor, textIn, textShown } from '../texts.ts';

export interface FormText {
  readonly path: Path;
  /** Where it stands, in words. */
  readonly name: string;
  readonly part: string;
  readonly value: Json | undefined;
  /** The text that visitors read where this one is missing. */
  readonly fallback: string;
  readonly isLong: boolean;
}

type JsonMap = { readonly [key: string]: Json };

const ofForm = [
  ['title', 'Title'],
  ['submit_label', 'Words on the button'],
  ['confirmation', 'After it was sent'],
  ['kept_message', 'After it was kept'],
  ['failure_message', 'When sending failed'],
  ['redirect', 'Go on to'],
] as const;
const ofMails = { confirmation_mail: 'Confirmation mail', double_opt_in: 'Double opt-in mail' } as const;
const ofField = [
  ['label', 'Label'],
  ['help', 'Help'],
  ['placeholder', 'Placeholder'],
] as const;
const long = /^(confirmation|kept_message|failure_message|text|footer|note)$/;

/** Those that are written, and the label of each field and option that visitors see. */
export function textsOf(form: JsonMap, path: Path, language: string): readonly FormText[] {
  const textAt = (
    at: Path,
    part: string,
    name: string,
    value: Json | undefined,
    fallback = '',
  ): FormText => ({
    path: [...path, ...at],
    part,
    name,
    value,
    fallback,
    isLong: long.test(String(at.at(-1))),
  });
  const ifSet = (at: Path, part: string, name: string, value: Json | undefined) =>
    value === undefined || value === null ? [] : [textAt(at, part, name, value)];
  const fields = listOf(form.fields).flatMap((field, index) => {
    if (!isMap(field)) return [];
    const at = ['fields', index];
    if (field.note !== undefined) return ifSet([...at, 'note'], 'Note', 'Text', field.note);
    if (field.type === 'hidden') return [];
    const name = String(field.name ?? '');
    const part = textShown(field.label, language) ?? labelFrom(name);
    return [
      textAt([...at, 'label'], part, 'Label', field.label, labelFrom(name)),
      ...ofField.slice(1).flatMap(([key, words]) => ifSet([...at, key], part, words, field[key])),
      ...listOf(field.options).map((option, place) => {
        const value = isMap(option) ? String(option.value ?? '') : String(option);
        const label = isMap(option) ? option.label : undefined;
        return textAt([...at, 'options', place, 'label'], part, `Option ${value}`, label, value);
      }),
    ];
  });
  const runs = (key: 'groups' | 'steps', title: string, word: string) =>
    listOf(form[key]).flatMap((run, index) =>
      isMap(run) ? ifSet([key, index, title], `${word} ${index + 1}`, 'Heading', run[title]) : [],
    );
  const mails = Object.entries(ofMails).flatMap(([key, part]) => {
    const mail = form[key];
    if (!isMap(mail)) return [];
    return ['subject', 'text', 'footer', 'confirmation'].flatMap((one) =>
      ifSet([key, one], part, labelFrom(one), mail[one]),
    );
  });
  return [
    ...ofForm.flatMap(([key, name]) => ifSet([key], 'Form', name, form[key])),
    ...runs('steps', 'title', 'Step'),
    ...runs('groups', 'legend', 'Group'),
    ...fields,
    ...mails,
  ];
}

/** A map by language that lacks this one. Plain text is that of every language. */
export const isMissing = ({ value }: FormText, language: string): boolean =>
  isMap(value) && textIn(value, language) === undefined;

/** Takes a language out of the texts of a form. One that is left alone becomes plain text. */
export function withoutLanguage(
  texts: readonly FormText[],
  gone: string,
  left: readonly string[],
): readonly Action[] {
  return texts.flatMap(({ path, value }): readonly Action[] => {
    if (!isMap(value)) return [];
    const key = keyFor(value, gone);
    const [only = ''] = left;
    const rest = textIn(value, only);
    if (left.length === 1 && rest !== undefined) return [{ do: 'set', path, value: rest }];
    if (key === undefined) return [];
    return [
      Object.keys(value).length === 1 ? { do: 'remove', path } : { do: 'remove', path: [...path, key] },
    ];
  });
}
