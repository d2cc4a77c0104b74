import { attributes, html } from '@form-relay/base/html';
import { asciiNumber, below, labelled } from '@form-relay/base/unicode';
import { withoutEmpty } from '@form-relay/base/values';
import { nestedField } from '@form-relay/core/fields/compile';
import { fieldType } from '@form-relay/core/fields/field';
import { labelOf, labelText } from '@form-relay/core/fields/label';
import { withOwn } from '@form-relay/core/html/element_ids';
import type { Field, Inputs, LocalizedText, Message, Plugin, Values } from '@form-relay/core/index';
import { firstWording } from '@form-relay/core/messages/message';
import { repeatInFormCode } from '@form-relay/element/built/repeat_in_form';
import { array } from '@form-relay/schema/collections';
import { label, localizedText, number } from '@form-relay/schema/scalars';
import { optional, required, withDefault } from '@form-relay/schema/schema';
import { inRows, rowsOf } from '../layout/width.ts';
import { gathered, linesOf, memberOf, mostInputs, valueMistake, wordsOf } from './grid.ts';

/** The maximum number of entries. */
const mostEntries = 50;

const repeat = fieldType({
  type: 'repeat',
  summary:
    'A group of fields that visitors fill in several times, such as once for each guest. Outputs get a JSON list.',
  card: {
    title: 'Entries that repeat',
    purpose: 'Layout',
    words: 'group guests list rows participants repeater several people',
    sample: { label: 'Who comes?', item: 'Guest {n}', fields: [{ name: 'name' }] },
    idleKeys: ['value'],
  },
  layout: 'inputs',
  script: repeatInFormCode,
  hint: (field) => (shownOf(field) > field.least ? { code: 'repeat_hint' } : undefined),
  keys: {
    fields: required(
      'Fields of each entry, of any type but `file`, `hidden`, `consent`, `computed`, `signature`, `address`, `grid` and `repeat`, and without conditions.',
      array(nestedField(), { least: 1 }),
    ),
    least: withDefault(
      '0',
      'Minimum number of entries.',
      number({ least: 0, most: mostEntries, whole: true }),
    ),
    most: withDefault(
      '10',
      'Maximum number of entries.',
      number({ least: 1, most: mostEntries, whole: true }),
    ),
    item: optional(
      'Name of an entry, with `{n}` for its number: `Guest {n}`. Default: “Entry {n}”.',
      localizedText(label()),
    ),
    add_label: optional('Text of the button that adds an entry. Default: “Add another”.', localizedText()),
  },
  problems: ({ fields = [], least = 0, most = mostEntries, value }, at) => {
    const names = fields.map(({ name }) => name);
    for (const [index, field] of fields.entries()) {
      const { name, type, takeFiles, layout, inputs, further, derive } = field;
      const place = at.in('fields', index);
      if (takeFiles || layout === 'bare' || inputs || further || derive || type === 'consent')
        place
          .in('type')
          .error(`a field of type ${type} cannot be repeated; put it beside the field of type repeat`);
      for (const key of ['visible_when', 'required_when'] as const)
        if (field[key])
          place
            .in(key)
            .error(`repeated fields cannot have conditions; put ${key} on the field of type repeat`, {
              aboutKey: true,
            });
      if (names.indexOf(name) < index) place.in('name').error(`"${name}" is already declared`);
    }
    if (least > most) at.in('least').error(`found ${least}; expected at most \`most\`, which is ${most}`);
    if (most * fields.length > mostInputs)
      at.in('most').error(`this makes more than ${mostInputs} fields; use fewer rows or options`);
    if (value) at.in('value').error(valueMistake, { fix: 'remove' });
  },
  inputs: inputsOf,
  shape: 'list',
  control: (field, { inputs, id, locale, classes, render }) => {
    const { name, least, most, item, add_label } = field;
    const { translate, text } = locale;
    const buttonClass = (own: string) => withOwn(own, classes.back ?? classes.button);
    const title = (n: number | string) => labelText(itemOf(item, n), locale);
    const rows = new Map<number, Field[]>();
    for (const input of inputs) {
      const row = Number(input.path?.[1]) + 1;
      rows.set(row, [...(rows.get(row) ?? []), input]);
    }
    const rowView = (n: number, inside: readonly Field[]) => html`<fieldset class="repeat-item">
<legend${attributes({ class: classes.label })}>${title(n)}</legend>
${inRows(inside.map(render), rowsOf(inside))}<button type="button" class="${buttonClass('repeat-remove')}" hidden>${translate({ code: 'repeat_remove_item', params: { item: title(n) } })}</button>
</fieldset>
`;
    const facts = {
      class: 'repeat-items',
      'data-name': name,
      'data-id': id,
      'data-least': Math.max(least, 1),
      'data-most': most,
      'data-item': title('{n}'),
      'data-remove': translate({ code: 'repeat_remove_item', params: { item: '{item}' } }),
      'data-added': translate({ code: 'repeat_added', params: { item: '{item}' } }),
      'data-removed': translate({ code: 'repeat_removed', params: { item: '{item}' } }),
    };
    const blank = rowOf(field, 0).inputs;
    return html`<div${attributes(facts)}>
${[...rows].map(([n, inside]) => rowView(n, inside))}<template>${rowView(0, blank)}</template>
<button type="button" class="${buttonClass('repeat-add')}" hidden>${add_label === undefined ? translate({ code: 'repeat_add' }) : text(add_label)}</button>
<p class="repeat-status" role="status"></p>
</div>
`;
  },
});

interface Limits {
  readonly least: number;
  readonly most: number;
}

/** How many entries a form shows without a script, which could add more. */
const shownOf = ({ least, most }: Limits) => Math.min(most, Math.max(least, 3));

interface Keys extends Limits, Pick<Field, 'name' | 'required'> {
  readonly fields: readonly Field[];
  readonly item?: LocalizedText | undefined;
}

function itemOf(item: LocalizedText | undefined, n: number | string): LocalizedText | Message {
  const numbered = (text: string) => text.replaceAll('{n}', String(n));
  if (item === undefined) return { code: 'repeat_item', params: { n } };
  return typeof item === 'string'
    ? numbered(item)
    : new Map([...item].map(([language, text]) => [language, numbered(text)]));
}

const wholeNumber = /^[-+]?\d+(e[-+]?\d+)?$/i;

interface Row {
  readonly number: number;
  readonly inputs: readonly Field[];
}

const leastOf = ({ least, required }: Keys) => Math.max(least, required ? 1 : 0);

/** @param number The number of the entry, from 1; 0 for an entry that a script adds. */
const rowOf = (field: Keys, number: number): Row => ({
  number,
  inputs: field.fields.map((one) =>
    one.withKeys({
      name: `${field.name}.${number}.${one.name}`,
      label: one.label ?? labelOf(one, plain),
      owner: { name: field.name, label: itemOf(field.item, number) },
      path: [field.name, number - 1, one.name],
      isLenient: number === 0 || number > leastOf(field),
      takesOne: true,
    }),
  ),
});

/** Used only for fields without a label, so no language matters. */
const plain = { text: firstWording, translate: ({ code }: Message) => code };

function inputsOf(field: Keys): Inputs {
  const { name, most, fields } = field;
  const least = leastOf(field);
  const rows = Array.from({ length: most }, (_, index) => rowOf(field, index + 1));
  /** An extra row, to notice if there are too many. */
  const above = rowOf(field, most + 1);
  /** Whether the visitor has filled in more than the initial values. */
  const isFilled = (values: Values) => (row: Row) =>
    row.inputs.some(({ name: part, value = [] }) =>
      withoutEmpty(values.get(part) ?? []).some((one) => !value.includes(one)),
    );
  const validated = (values: Values): readonly Row[] => {
    const filled = rows.filter(isFilled(values));
    const lacking = least - filled.length;
    if (lacking <= 0) return filled;
    const empty = rows.filter((row) => !filled.includes(row)).slice(0, lacking);
    return rows.filter((row) => filled.includes(row) || empty.includes(row));
  };
  const names = new Set(field.fields.map((one) => one.name));
  /** The number in a field's name, if a custom form sent one that is not a row's, in any digits. */
  const beyond = (sent: string): string | undefined => {
    if (!sent.startsWith(`${name}.`)) return undefined;
    const [number = '', part = ''] = /^([^.]+)\.(.*)$/s.exec(sent.slice(name.length + 1))?.slice(1) ?? [];
    const row = Number(number);
    const isRow = row >= 1 && row <= most + 1 && String(row) === number;
    return names.has(part) && !isRow && wholeNumber.test(asciiNumber(number)) ? number : undefined;
  };
  const withName = (input: Field, index: number) => [fields[index]?.name ?? '', input] as const;
  const partsIn = (some: readonly Row[]) => some.flatMap(({ inputs }) => inputs);
  return {
    shape: 'list',
    all: partsIn([...rows, above]),
    shown: (values) =>
      partsIn(rows.slice(0, Math.max(shownOf(field), rows.findLastIndex(isFilled(values)) + 1))),
    validated: (values) => partsIn(validated(values)),
    problem: (sent) => {
      const numbers = [...sent].flatMap(([one, values]) =>
        withoutEmpty(values).length > 0 ? (beyond(one) ?? []) : [],
      );
      const wrong = numbers.find((number) => !/^[1-9]\d*$/.test(number));
      if (wrong !== undefined)
        return { code: 'item_numbers', params: { max: most, number: wrong.slice(0, 20) } };
      if (numbers.length > 0 || isFilled(sent)(above))
        return { code: 'too_many_items', params: { max: most } };
      // If parts are required, they report the missing entry themselves.
      const isDemanded = fields.some((one) => one.required);
      const isTooFew = !isDemanded && rows.filter(isFilled(sent)).length < least;
      return isTooFew ? { code: 'too_few_items', params: { min: least } } : undefined;
    },
    gather: (values) => {
      const filled = rows.filter(isFilled(values));
      const items = filled.map(({ inputs }) => gathered(inputs.map(withName), values));
      return items.length > 0 ? items : undefined;
    },
    words: (value, locale) =>
      (Array.isArray(value) ? value : [value]).map((item: unknown, index) => {
        const title = labelText(itemOf(field.item, index + 1), locale);
        const [only, ...others] = fields;
        if (only && others.length === 0)
          return labelled(title, wordsOf(only, memberOf(item, only.name), locale));
        // Always a block, even with one line, so that all entries look alike.
        return below(title, linesOf(fields.map(withName), item, locale));
      }),
  };
}

export const plugin: Plugin = {
  name: 'repeat',
  fields: [repeat],
  messages: {
    en: {
      item_numbers: 'Number entries from 1 to {max}; {number} is out of range.',
      too_few_items: {
        count: 'min',
        one: 'Fill in at least {min} entry.',
        other: 'Fill in at least {min} entries.',
      },
      too_many_items: {
        count: 'max',
        one: 'Fill in at most {max} entry.',
        other: 'Fill in at most {max} entries.',
      },
      repeat_item: 'Entry {n}',
      repeat_add: 'Add another',
      repeat_remove_item: 'Remove {item}',
      repeat_added: '{item} added',
      repeat_removed: '{item} removed',
      repeat_hint: 'Leave unused entries empty.',
    },
  },
};
