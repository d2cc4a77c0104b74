/** Field types that consist of inputs: the type grid, and code that they share. */

import { html } from '@form-relay/base/html';
import { fromJson } from '@form-relay/base/json';
import { labelled } from '@form-relay/base/unicode';
import {
  atMostOne,
  choiceGroup,
  offered,
  options,
  optionsWith,
  optionWords,
} from '@form-relay/core/fields/choices';
import { makeField } from '@form-relay/core/fields/compile';
import { fieldType } from '@form-relay/core/fields/field';
import { labelOf } from '@form-relay/core/fields/label';
import type { ControlState, Field, Inputs, Locale, Option, Plugin, Values } from '@form-relay/core/index';
import { boolean } from '@form-relay/schema/scalars';
import { isMap, required, withDefault } from '@form-relay/schema/schema';

/** The maximum number of inputs in one field. */
export const mostInputs = 500;

export const valueMistake = 'a field with several parts cannot have an initial value; remove this key';

/** The member of a map with any name, which people or programs may have sent. */
export const memberOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The inputs, with their names in the value. */
type Members = readonly (readonly [name: string, input: Field])[];

/** The values sent for the members, as JSON. */
export const gathered = (members: Members, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    members
      .map(([name, input]) => [name, input.json(values.get(input.name) ?? [])] as const)
      .filter(([, value]) => value !== undefined),
  );

/** Writes a line for people per member, except empty ones. */
export const linesOf = (members: Members, value: unknown, locale: Locale): string =>
  members
    .flatMap(([name, input]) => {
      const words = wordsOf(input, memberOf(value, name), locale);
      return words === '' ? [] : labelled(labelOf(input, locale), words);
    })
    .join('\n');

/** A value of a single-line input never becomes several lines. */
export const wordsOf = (input: Field, value: unknown, locale: Locale): string =>
  input
    .words(fromJson(input, value), locale)
    .map((one) => (input.type === 'textarea' ? one : one.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ')))
    .join(', ');

const grid = fieldType({
  type: 'grid',
  aliases: ['matrix', 'likert'],
  summary: 'A table of questions with the same options. Outputs get JSON.',
  card: {
    title: 'Grid',
    purpose: 'Choice',
    words: 'matrix table likert questions rows radio',
    sample: { label: 'How was it?', rows: ['Service', 'Price'], options: ['Poor', 'Fair', 'Good'] },
    idleKeys: ['value'],
  },
  layout: 'inputs',
  keys: {
    rows: required(
      'Questions (`[Food, Service]`): texts, or `{value: …, label: …}`.',
      optionsWith({}, 'row'),
    ),
    options,
    several: withDefault('false', 'Whether several options of a row may be chosen.', boolean()),
  },
  problems: ({ rows = [], value }, at) => {
    if (rows.length > mostInputs)
      at.in('rows').error(`this makes more than ${mostInputs} fields; use fewer rows or options`);
    if (value) at.in('value').error(valueMistake, { fix: 'remove' });
  },
  inputs: inputsOf,
  shape: 'block',
  control: ({ options, several }, { inputs, render, locale }) => {
    const rows = inputs.map((input) => render(input));
    // With more columns, the table has no room for their headers. Without the relay's style, there is no table.
    if (options.length > mostColumns) return html`${rows}`;
    const words = options.map(({ label }) => html`<span>${locale.text(label)}</span>`);
    const head = html`<div class="grid-head" aria-hidden="true" hidden><span></span>${words}</div>`;
    return html`<div class="grid-table${several && ' grid-several'}">\n${head}\n${rows}</div>\n`;
  },
});

const mostColumns = 7;

/** The label of an option is in the header of the table, or next to the control if there is no table. */
const controlOf =
  (type: 'radio' | 'checkbox') =>
  ({ name, options = [] }: Pick<Field, 'name' | 'options'>, state: ControlState) => {
    const words = options.map(({ value, label }) => ({
      value,
      label: html`<span class="choice-words">${state.locale.text(label)}</span>`,
    }));
    return html`<div class="grid-choices">\n${choiceGroup(type, name, words, state)}</div>\n`;
  };

const ofRows = {
  type: 'grid_row',
  summary: 'A row of a grid.',
  keys: {},
  offered,
  words: optionWords,
} as const;

const oneChoice = fieldType({
  ...ofRows,
  missing: 'missing_option',
  layout: 'radiogroup',
  check: atMostOne,
  control: controlOf('radio'),
});

const severalChoices = fieldType({
  ...ofRows,
  missing: 'missing_options',
  layout: 'group',
  takesSeveral: () => true,
  control: controlOf('checkbox'),
});

interface Keys extends Pick<Field, 'name' | 'label' | 'required'> {
  readonly rows: readonly Option[];
  readonly options: readonly Option[];
  readonly several: boolean;
}

function inputsOf({ name, label, required, rows, options, several }: Keys): Inputs {
  const members = rows.map(({ value, label: question }) => {
    const input = makeField(several ? severalChoices : oneChoice, {
      name: `${name}.${value}`,
      path: [name, value],
      owner: { name, label },
      label: question,
      required,
      options,
    });
    return [value, input] as const;
  });
  const all = members.map(([, input]) => input);
  return {
    shape: 'map',
    all,
    shown: () => all,
    validated: () => all,
    gather: (values) => {
      const answered = gathered(members, values);
      return Object.keys(answered).length > 0 ? answered : undefined;
    },
    words: (value, locale) => [linesOf(members, value, locale)].filter(Boolean),
  };
}

export const plugin: Plugin = { name: 'grid', fields: [grid] };
