/** `messages` of a field: the owner's error messages, by the violated key. */

import { fieldExtension } from '@form-relay/core/extensions';
import type { Field, Locale, LocalizedText, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { record } from '@form-relay/schema/collections';
import { label, localizedText } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';

const types =
  'not_an_email no_mail_address not_a_url not_a_number not_a_whole_number not_a_date not_a_time not_a_datetime no_such_day not_a_tel tel_choose_country not_an_option not_a_tick';

/** The codes of the relay's messages, and the corresponding states in browsers (`ValidityState`). */
const rules: Readonly<Record<string, readonly [codes: string, states?: string]>> = {
  type: [types, 'typeMismatch badInput patternMismatch'],
  required: ['missing_one_of', 'valueMissing'],
  pattern: ['wrong_format wrong_format_described', 'patternMismatch'],
  options: ['not_an_option more_than_one_option'],
  min: ['number_too_small date_too_early time_too_early', 'rangeUnderflow'],
  max: ['number_too_large date_too_late time_too_late', 'rangeOverflow'],
  step: ['number_off_step off_step not_a_whole_number', 'stepMismatch'],
  min_length: ['too_short', 'tooShort'],
  max_length: ['too_long too_many_bytes', 'tooLong'],
  min_choices: ['too_few_options options_outside_range wrong_number_of_options'],
  max_choices: ['too_many_options options_outside_range wrong_number_of_options'],
  accept: ['file_not_accepted'],
  max_size: ['file_too_large'],
  max_files: ['too_many_files'],
  same_as: ['not_same'],
  differs_from: ['not_different'],
  one_of: ['not_accepted'],
};

/** @param isKey Whether a field type has the key. */
const texts = (isKey: (rule: string) => boolean) => {
  const known = ['type', 'required', ...Object.keys(rules).filter(isKey)];
  const listed = `; there are ${known.join(', ')}`;
  const problemOf = (rule: string) =>
    known.includes(rule)
      ? undefined
      : `this field has no such rule${didYouMean(nearest(rule, known)) || listed}`;
  return optional(
    'Error messages, by the violated key: `{required: Tell us your name.}`; `type` is for values such as an invalid e-mail address. `{min}` and others insert values.',
    record(localizedText(label()), problemOf, '{required: Tell us your name.}'),
  );
};

type WithTexts = Field & { readonly messages?: ReadonlyMap<string, LocalizedText> };

const fieldMessages = fieldExtension({
  name: 'messages',
  keys: { messages: texts(() => true) },
  changeKeys: (keys) => ({ messages: texts((rule) => rule in keys) }),
  configure: ({ messages, missing, inputs, type }, at) => {
    if (messages && inputs)
      at.in('messages').error(`a field of type ${type} consists of other fields with messages of their own`, {
        aboutKey: true,
      });
    return {
      members: {
        ownWords: ({ code, params }, { text, write }) => {
          // Too few and too many choices share a code.
          const isOther = (rule: string) =>
            /^(min|max)_choices$/.test(rule) &&
            Number(params?.chosen) < Number(params?.min) !== (rule === 'min_choices');
          const isMeant = (rule: string) =>
            (rules[rule]?.[0].split(' ').includes(code) && !isOther(rule)) ||
            (rule === 'required' && code === missing.code);
          const [, own] = [...(messages ?? [])].find(([rule]) => isMeant(rule)) ?? [];
          return own && text(own).replaceAll(/\{(\w+)\}/g, (_, name: string) => write(params?.[name]));
        },
      },
    };
  },
});

/** The messages for each state of a control, except those with placeholders, which browsers cannot fill in. */
const statesIn = ({ messages = new Map() }: WithTexts, { text }: Locale) =>
  Object.fromEntries(
    Object.entries(rules).flatMap(([rule, [, states = '']]) => {
      const words = text(messages.get(rule) ?? '{');
      return words.includes('{') ? [] : states.split(' ').map((state) => [state, words]);
    }),
  );

const inBrowsers = feature({
  name: 'field_messages',
  configure: ({ fields }) => {
    const inputs: readonly WithTexts[] = fields.flatMap((field) => field.inputs?.all ?? field);
    const own = inputs.filter(({ messages }) => messages);
    if (own.length === 0) return undefined;
    return {
      markup: ({ locale }) => {
        const texts = own.map((one) => [one.name, statesIn(one, locale)]);
        return {
          part: 'messages',
          attributes: { 'data-messages': JSON.stringify(Object.fromEntries(texts)) },
        };
      },
    };
  },
});

export const plugin: Plugin = { name: 'messages', fieldExtensions: [fieldMessages], features: [inBrowsers] };
