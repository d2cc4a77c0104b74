import * as v from 'valibot';
import { repeatInFormCode } from '../../built/repeat_in_form.ts';
import { attributes, html } from '../base/html.ts';
import { below, labelled, type Values, withoutEmpty } from '../base/values.ts';
import type { Say } from '../messages/message.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, perLanguage, required, withDefault } from '../schema/keys.ts';
import { isMap, label, list, number, text } from '../schema/kinds.ts';
import { noKind, oneOfKinds } from '../schema/one_of_kinds.ts';
import { backClass, withOwn } from './classes.ts';
import { asciiNumber } from './digits.ts';
import {
  commonKeys,
  type Field,
  labelOf,
  mostEntries,
  type Parts,
  type RenderedPart,
  usualEntries,
} from './field.ts';
import { type FieldType, fieldType } from './field_type.ts';
import { inRows, lineOf, memberOf, mostParts, namesOfParts, spreadOfEntries, wordsOf } from './parts.ts';
import { asJson } from './stored_value.ts';

interface Types {
  readonly names: readonly string[];
  readonly loaded: readonly FieldType[];
  get(name: unknown): FieldType | undefined;
}

export function repeatOf(types: Types, defaultType: FieldType): FieldType {
  const kinds = { get: (name: string) => types.get(name)?.schema };
  const field: Schema<Field> = v.pipe(
    oneOfKinds<Field>('type', kinds, {
      whenAbsent: defaultType.schema,
      whenUnknown: v.lazy(() => {
        const known = new Map(types.loaded.map(({ type, schema }) => [type, schema]));
        return noKind('type', known, commonKeys, types.names);
      }),
      example: '{name: email, type: email}',
    }),
    v.metadata({ jsonSchema: { title: 'field', $ref: '#/definitions/field' } }),
  );
  return fieldType({
    type: 'repeat',
    summary:
      'A group of fields that is filled in several times, such as once for each guest. One value, a list as JSON.',
    layout: 'parts',
    inJson: 'structure',
    script: repeatInFormCode,
    hint: ({ least, most, shown }) =>
      shownOf({ least, most, shown }) > least ? { code: 'repeat_hint' } : undefined,
    keys: {
      fields: required(
        'The fields of each entry, of any type but `file`, `hidden`, `consent`, `signature`, `computed`, `address`, `matrix` and `repeat`, and without `visible_when`.',
        list(field, { least: 1 }),
      ),
      least: withDefault('0', 'The fewest entries.', number({ least: 0, most: mostEntries, whole: true })),
      most: withDefault(
        usualEntries,
        'The most entries.',
        number({ least: 1, most: mostEntries, whole: true }),
      ),
      shown: optional(
        'How many entries visitors see where no script runs, which cannot add any. Default: 3, or `least` if that is more, or `most` if that is less.',
        number({ least: 1, most: mostEntries, whole: true }),
      ),
      item: optional(
        'What an entry is called, with `{n}` for its number: `Guest {n}`. Default: “Entry {n}”.',
        perLanguage(label()),
      ),
      add_label: optional(
        'The words on the button that adds an entry. Default: “Add another”.',
        perLanguage(text()),
      ),
    },
    problems,
    inForm: namesOfParts,
    partsAsWritten: ({ fields }) => (Array.isArray(fields) ? fields.filter(isMap) : []),
    usesZone: ({ fields }, zone) => ({ fields: fields.map((one) => one.inZone?.(zone) ?? one) }),
    inLanguage: (one, say, language) => ({ parts: partsOf(one, say, language) }),
    control: ({ name, least, most, item, add_label }, { parts, blank, id, say, classes }) => {
      const buttonClass = (own: string) => withOwn(own, backClass(classes));
      const title = (n: number | string) => itemOf(item, say, n);
      const rows = new Map<number, RenderedPart[]>();
      for (const one of parts) {
        const row = Number(one.part.steps?.[1]) + 1;
        rows.set(row, [...(rows.get(row) ?? []), one]);
      }
      const rowView = (n: number, inside: readonly RenderedPart[]) => html`<fieldset class="repeat-item">
<legend${attributes({ class: classes?.label })}>${title(n)}</legend>
${inRows(inside)}<button type="button" class="${buttonClass('repeat-remove')}" hidden>${say({ code: 'repeat_remove_item', params: { item: title(n) } })}</button>
</fieldset>
`;
      const facts = {
        class: 'repeat-items',
        'data-name': name,
        'data-id': id,
        'data-least': Math.max(least, 1),
        'data-most': most,
        'data-item': title('{n}'),
        'data-remove': say({ code: 'repeat_remove_item', params: { item: '{item}' } }),
        'data-added': say({ code: 'repeat_added', params: { item: '{item}' } }),
        'data-removed': say({ code: 'repeat_removed', params: { item: '{item}' } }),
      };
      return html`<div${attributes(facts)}>
${[...rows].map(([n, inside]) => rowView(n, inside))}<template>${rowView(0, blank)}</template>
<button type="button" class="${buttonClass('repeat-add')}" hidden>${add_label ?? say({ code: 'repeat_add' })}</button>
<p class="repeat-status" role="status"></p>
</div>
`;
    },
  });
}

interface Limits {
  readonly least: number;
  readonly most: number;
  readonly shown?: number | undefined;
}

const shownOf = ({ least, most, shown = 3 }: Limits) => Math.min(most, Math.max(least, shown));

interface Keys extends Limits, Pick<Field, 'name' | 'required' | 'value' | 'autocomplete' | 'remember'> {
  readonly fields: readonly Field[];
  readonly item?: string | undefined;
}

function problems({ fields, least, most, shown = 1, value }: Keys): readonly Finding[] {
  const names = fields.map(({ name }) => name);
  const above = (key: string, number: number) =>
    number > most ? [finding('value_above', [key], { value: number, key: 'most', most })] : [];
  return [
    ...fields.flatMap((field, index) => {
      const { name, type, takeFiles, layout, inJson, structured, drawing, visible_when } = field;
      const isAlone = inJson === 'structure' || type === 'computed' || structured || drawing;
      const path = ['fields', index];
      return [
        ...(takeFiles || layout === 'bare' || isAlone
          ? [finding('repeat_of_type', [...path, 'type'], { type })]
          : []),
        ...(visible_when
          ? [{ ...finding('repeat_with_condition', [...path, 'visible_when']), aboutKey: true }]
          : []),
        ...(names.indexOf(name) < index ? [finding('field_twice', [...path, 'name'], { name })] : []),
      ];
    }),
    ...above('least', least),
    ...above('shown', shown),
    ...(most * fields.length > mostParts ? [finding('too_many_parts', ['most'], { most: mostParts })] : []),
    ...(value ? [finding('parts_without_value', ['value'])] : []),
  ];
}

const itemOf = (item: string | undefined, say: Say, n: number | string) =>
  item?.replaceAll('{n}', String(n)) ?? say({ code: 'repeat_item', params: { n } });

const wholeNumber = /^[-+]?\d+(e[-+]?\d+)?$/i;

interface Row {
  readonly number: number;
  readonly parts: readonly Field[];
}

function partsOf(field: Keys, say: Say, language: string): Parts {
  const { name, most } = field;
  const least = Math.max(field.least, field.required ? 1 : 0);
  const spoken = field.fields.map((one) => one.inLanguage?.(say, language, []) ?? one);
  const rowOf = (number: number): Row => ({
    number,
    parts: spoken.map((one) =>
      one.withKeys({
        name: `${name}.${number}.${one.name}`,
        label: one.label ?? labelOf(one),
        owner: itemOf(field.item, say, number),
        steps: [name, number - 1, one.name],
        isLenient: number === 0 || number > least,
        takesOne: true,
      }),
    ),
  });
  const rows = Array.from({ length: most }, (_, index) => rowOf(index + 1));
  /** One more than may be sent, to notice that there are too many. */
  const above = rowOf(most + 1);
  /** Whether more is filled in than what a visitor finds there. */
  const isFilled = (values: Values) => (row: Row) =>
    row.parts.some(({ name: part, value = [] }) =>
      withoutEmpty(values.get(part) ?? []).some((one) => !value.includes(one)),
    );
  const asked = (values: Values): readonly Row[] => {
    const filled = rows.filter(isFilled(values));
    const lacking = least - filled.length;
    if (lacking <= 0) return filled;
    const empty = rows.filter((row) => !filled.includes(row)).slice(0, lacking);
    return rows.filter((row) => filled.includes(row) || empty.includes(row));
  };
  const names = new Set(spoken.map((one) => one.name));
  /** The number and the part in such a name, as a form of its own may send it: in any digits, and no number of a row. */
  const beyond = (sent: string): readonly [number: string, part: string] | undefined => {
    if (!sent.startsWith(`${name}.`)) return undefined;
    const [number = '', part = ''] = /^([^.]+)\.(.*)$/s.exec(sent.slice(name.length + 1))?.slice(1) ?? [];
    const row = Number(number);
    const isRow = row >= 1 && row <= most + 1 && String(row) === number;
    return names.has(part) && !isRow && wholeNumber.test(asciiNumber(number)) ? [number, part] : undefined;
  };
  const partsIn = (some: readonly Row[]) => some.flatMap(({ parts }) => parts);
  return {
    all: partsIn([...rows, above]),
    blank: rowOf(0).parts,
    shown: (values) =>
      partsIn(rows.slice(0, Math.max(shownOf(field), rows.findLastIndex(isFilled(values)) + 1))),
    asked: (values) => partsIn(asked(values)),
    isBeyond: (sent) => beyond(sent) !== undefined,
    renumbered: (sent) => {
      const all = new Map(sent);
      const free = rows.filter((row) => !isFilled(sent)(row));
      const places = new Map<string, number | undefined>();
      for (const [one, values] of sent) {
        const [number, part] = (withoutEmpty(values).length > 0 && beyond(one)) || [];
        if (number === undefined) continue;
        if (!places.has(number)) places.set(number, free.shift()?.number);
        const place = places.get(number);
        if (place !== undefined) all.set(`${name}.${place}.${part}`, values);
      }
      return all;
    },
    problem: (sent) => {
      const numbers = [...sent].flatMap(([one, values]) =>
        withoutEmpty(values).length > 0 ? (beyond(one)?.slice(0, 1) ?? []) : [],
      );
      const wrong = numbers.find((number) => !/^[1-9]\d*$/.test(number));
      if (wrong !== undefined)
        return { code: 'item_numbers', params: { max: most, number: wrong.slice(0, 20) } };
      if (numbers.length > 0 || isFilled(sent)(above))
        return { code: 'too_many_items', params: { max: most } };
      // Otherwise, the parts say so.
      const isDemanded = spoken.some((one) => one.required);
      const isTooFew = !isDemanded && rows.filter(isFilled(sent)).length < least;
      return isTooFew ? { code: 'too_few_items', params: { min: least } } : undefined;
    },
    gather: (values) => {
      const items = rows.filter(isFilled(values)).map(({ parts }) =>
        Object.fromEntries(
          parts.flatMap((part, index) => {
            const value = asJson(part, values.get(part.name) ?? []);
            return value === undefined ? [] : [[spoken[index]?.name ?? '', value]];
          }),
        ),
      );
      return items.length > 0 ? items : undefined;
    },
    spread: spreadOfEntries(name),
    words: (value) =>
      listOf(value).map((item, index) => {
        const title = itemOf(field.item, say, index + 1);
        const [only, ...others] = spoken;
        if (only && others.length === 0) return labelled(title, wordsOf(only, memberOf(item, only.name)));
        const lines = spoken.map((one) => lineOf(one, memberOf(item, one.name)));
        // A block though it has one line, so that all entries look alike.
        return below(title, lines.filter((line) => line !== undefined).join('\n'));
      }),
    shape: 'list',
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
