import {
  choiceGroup,
  offered,
  oneAlone,
  optionList,
  options,
  optionWords,
  twiceIn,
} from '@form-relay/core/fields/choices';
import { makeField } from '@form-relay/core/fields/compile';
import { fieldType } from '@form-relay/core/fields/field';
import { html } from '@form-relay/core/html/html';
import type { ControlState, Field, Inputs, Option, Plugin } from '@form-relay/core/index';
import { boolean } from '@form-relay/schema/scalars';
import { required, withDefault } from '@form-relay/schema/schema';
import { gathered, linesOf, mostInputs, valueMistake } from './inputs.ts';

const grid = fieldType({
  type: 'grid',
  formerly: 'matrix',
  summary:
    'Several questions with the same options: a table, or one question after another where there is no room for it. One value, as JSON.',
  card: {
    title: 'Grid',
    purpose: 'Choice',
    words: 'matrix table likert questions rows radio',
    sample: { label: 'How was it?', rows: ['Service', 'Price'], options: ['Poor', 'Fair', 'Good'] },
    idleKeys: ['value'],
  },
  layout: 'inputs',
  keys: {
    rows: required('The questions: texts, or `{value: …, label: …}`.', optionList),
    options,
    several: withDefault('false', 'Whether several options of a row may be chosen.', boolean()),
  },
  problems: ({ rows = [], options = [], value }, at) => {
    twiceIn(rows, at.in('rows'), 'row');
    twiceIn(options, at.in('options'), 'option');
    if (rows.length > mostInputs)
      at.in('rows').error(`this makes more than ${mostInputs} fields; write fewer`);
    if (value) at.in('value').error(valueMistake, { fix: 'remove' });
  },
  inputs: inputsOf,
  shape: 'block',
  control: ({ options, several }, { inputs, render, locale }) => {
    const rows = inputs.map((input) => render(input));
    // With more, no table has room for the words above them. Without the relay's style, there is no table.
    if (options.length > mostColumns) return html`${rows}`;
    const words = options.map(({ label }) => html`<span>${locale.text(label)}</span>`);
    const head = html`<div class="grid-head" aria-hidden="true" hidden><span></span>${words}</div>`;
    return html`<div class="grid-table${several && ' grid-several'}">\n${head}\n${rows}</div>\n`;
  },
});

const mostColumns = 7;

/** The words of an option stand in the head of a table, and next to the control where there is none. */
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
  check: oneAlone,
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
    asked: () => all,
    gather: (values) => {
      const answered = gathered(members, values);
      return Object.keys(answered).length > 0 ? answered : undefined;
    },
    words: (value, locale) => [linesOf(members, value, locale)].filter(Boolean),
  };
}

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['fieldType matrix'];

export const plugin: Plugin = { name: 'grid', fields: [grid] };
