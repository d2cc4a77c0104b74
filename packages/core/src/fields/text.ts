/** Typed text: text, email, url, tel, textarea; and hidden. */

import { addressForm } from '@form-relay/base/canonical';
import { attributes, type Html, html } from '@form-relay/base/html';
import { parseUrl } from '@form-relay/base/url';
import { withLineFeeds } from '@form-relay/base/values';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { number, optional } from '@form-relay/schema/kinds';
import type { Message } from '../messages/message.ts';
import { type ControlState, type Field, type FieldType, fieldType } from './field.ts';

export const lengthKeys = {
  min_length: optional(
    'Minimum number of characters, as browsers count: UTF-16 units, a line break as one.',
    number({ least: 0, whole: true }),
  ),
  max_length: optional(
    'Maximum number of characters, counted as in `min_length`.',
    number({ least: 1, whole: true }),
  ),
};
type Lengths = Pick<Field, 'min_length' | 'max_length'>;

export function lengthProblems({ min_length: min, max_length: max }: Lengths, at: Diagnostics): void {
  if (min !== undefined && max !== undefined && min > max)
    at.in('max_length').error(`found ${max}; expected at least min_length, which is ${min}`);
}

export function checkLength(
  { min_length: min, max_length: max }: Lengths,
  value: string,
): Message | undefined {
  if (min === undefined && max === undefined) return undefined;
  const { length } = withLineFeeds(value);
  if (min !== undefined && length < min) return { code: 'too_short', params: { min } };
  return max !== undefined && length > max ? { code: 'too_long', params: { max } } : undefined;
}

type Typed = Lengths & Pick<Field, 'name' | 'placeholder' | 'autocomplete'>;

export const controlAttributes = (
  field: Pick<Field, 'name'> & Partial<Pick<Field, 'autocomplete'>>,
  state: ControlState,
  kind: 'input' | 'select' | 'check_input' = 'input',
) => ({
  id: state.id,
  class: state.classes[kind],
  name: field.name,
  required: state.required,
  autofocus: state.autofocus,
  autocomplete: field.autocomplete,
  'aria-invalid': state.invalid && 'true',
  'aria-describedby': state.describedBy,
});

type MoreAttributes = Readonly<Record<string, string | number | undefined>>;

const placeholderOf = ({ placeholder }: Pick<Typed, 'placeholder'>, { locale }: ControlState) =>
  placeholder === undefined ? undefined : locale.text(placeholder);

export function input(type: string, field: Typed, state: ControlState, more?: MoreAttributes): Html {
  const { min_length: minlength, max_length: maxlength } = field;
  const own = {
    value: state.values[0] || undefined,
    placeholder: placeholderOf(field, state),
    minlength,
    maxlength,
    dir: state.dir,
    ...more,
    ...state.attributes,
  };
  return html`<input type="${type}"${attributes(controlAttributes(field, state))}${attributes(own)}>`;
}

type Line = Partial<FieldType<typeof lengthKeys>> & Pick<FieldType, 'type' | 'summary' | 'missing'>;

const line = (definition: Line, more?: (state: ControlState) => MoreAttributes) =>
  fieldType({
    keys: lengthKeys,
    problems: lengthProblems,
    checkValue: checkLength,
    control: (field, state) => input(definition.type, field, state, more?.(state)),
    ...definition,
  });

export const textLikeTypes = [
  line({
    type: 'text',
    aliases: ['string', 'input', 'name'],
    summary: 'A line of text.',
    card: { title: 'Short text', purpose: 'Text', words: 'name company subject line string input' },
    missing: 'missing',
  }),
  line({
    type: 'email',
    comparedAs: 'email',
    samples: () => [['ada@example.org']],
    aliases: ['e-mail', 'mail'],
    summary: 'An e-mail address: exactly one `@` with characters on each side.',
    card: {
      title: 'E-mail',
      purpose: 'Text',
      words: 'email mail address',
      sample: { autocomplete: 'email' },
    },
    missing: 'missing_email',
    checkValue: (field, value) =>
      addressForm.test(value) ? checkLength(field, value) : { code: 'not_an_email' },
  }),
  line(
    {
      type: 'url',
      samples: () => [['https://example.org/']],
      aliases: ['link', 'website'],
      summary: 'An absolute `http:` or `https:` address.',
      card: {
        title: 'Web address',
        purpose: 'Text',
        words: 'website link',
        sample: { name: 'website', autocomplete: 'url' },
      },
      missing: 'missing_url',
      // Browsers accept any scheme, and spaces.
      checkValue: (field, value) =>
        /^https?:\/\/[^\s\0-\x1f\x7f-\x9f]+$/i.test(value) && parseUrl(value)
          ? checkLength(field, value)
          : { code: 'not_a_url' },
    },
    ({ locale }) => ({
      pattern: '[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\p{Cc}]+',
      title: locale.translate({ code: 'url_format' }),
    }),
  ),
  line({
    type: 'tel',
    samples: () => [['+44 20 7946 0123']],
    aliases: ['phone', 'telephone'],
    summary: 'A telephone number; with `country`, one that exists.',
    card: {
      title: 'Telephone',
      purpose: 'Text',
      words: 'phone mobile number',
      sample: { name: 'phone', autocomplete: 'tel' },
    },
    missing: 'missing_tel',
  }),
  fieldType({
    type: 'textarea',
    aliases: ['multiline', 'message'],
    samples: () => [['Hello! I would like to know more about your engines.']],
    summary: 'Several lines of text.',
    card: {
      title: 'Long text',
      purpose: 'Text',
      words: 'message comment paragraph area several lines',
      sample: { name: 'message' },
    },
    keys: { ...lengthKeys, rows: optional('Height in lines.', number({ least: 1, whole: true })) },
    problems: lengthProblems,
    checkValue: checkLength,
    control: (field, state) => {
      const { rows, min_length: minlength, max_length: maxlength } = field;
      const placeholder = placeholderOf(field, state);
      const own = { dir: state.dir, rows, placeholder, minlength, maxlength };
      const all = { ...controlAttributes(field, state), ...own, ...state.attributes };
      // HTML ignores a line break right after the tag.
      return html`<textarea${attributes(all)}>\n${state.values[0]}</textarea>`;
    },
  }),
  fieldType({
    type: 'hidden',
    summary:
      'A value that the page sets and visitors do not see. Only `required`, `max_length` and a limit of 10,000 bytes apply.',
    card: {
      title: 'Hidden value',
      purpose: 'Layout',
      words: 'campaign source secret invisible',
      idleKeys: ['label', 'help', 'placeholder', 'width', 'autocomplete', 'classes'],
    },
    layout: 'bare',
    samples: () => [],
    keys: { max_length: lengthKeys.max_length },
    checkValue: checkLength,
    control: ({ name }, { id, values, invalid, describedBy }) => {
      // HTML does not allow the last two here, but SPEC requires them on invalid fields, and the message is visible.
      const all = {
        type: 'hidden',
        id,
        name,
        value: values[0] ?? '',
        'aria-invalid': invalid && 'true',
        'aria-describedby': describedBy,
      };
      return html`<input${attributes(all)}>`;
    },
  }),
] as const;
