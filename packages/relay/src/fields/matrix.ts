import { html } from '../base/html.ts';
import { finding } from '../schema/finding.ts';
import { required, withDefault } from '../schema/keys.ts';
import { flag, isMap, isWrittenTrue } from '../schema/kinds.ts';
import { type ControlState, type Field, labelOf, type Option, type Parts } from './field.ts';
import { fieldType } from './field_type.ts';
import { choiceGroup, optionList, options, optionValues, twiceIn } from './option_list.ts';
import { lineOf, makePart, memberOf, mostParts, namesOfParts, spreadOf } from './parts.ts';
import { asJson } from './stored_value.ts';

export const matrix = fieldType({
  type: 'matrix',
  summary:
    'Several questions with the same options: a table, or one question after another where there is no room for it. One value, as JSON.',
  layout: 'parts',
  inJson: 'structure',
  keys: {
    rows: required('The questions: texts, or `{value: …, label: …}`.', optionList),
    options,
    several: withDefault('false', 'Whether several options of a row may be chosen.', flag()),
  },
  problems: (field) => [
    ...twiceIn('rows', field.rows),
    ...twiceIn('options', field.options),
    ...(field.rows.length > mostParts ? [finding('too_many_parts', ['rows'], { most: mostParts })] : []),
    ...(field.value ? [finding('parts_without_value', ['value'])] : []),
  ],
  inForm: namesOfParts,
  partsAsWritten: ({ rows, options, several }) =>
    (Array.isArray(rows) ? rows : []).map((row) => ({
      name: isMap(row) ? row.value : row,
      type: isWrittenTrue(several) ? 'checkboxes' : 'radios',
      options,
    })),
  inLanguage: (field) => ({ parts: partsOf(field) }),
  control: ({ options, several }, { parts }) => {
    const rows = parts.map(({ markup }) => markup);
    // With more, no table has room for the words above them. Without the relay's style, there is no table.
    if (options.length > mostColumns) return html`${rows}`;
    const words = options.map(({ label }) => html`<span>${label}</span>`);
    const head = html`<div class="matrix-head" aria-hidden="true" hidden><span></span>${words}</div>`;
    return html`<div class="matrix${several && ' matrix-several'}">\n${head}\n${rows}</div>\n`;
  },
});

const mostColumns = 7;

const controlOf =
  (type: 'radio' | 'checkbox') =>
  ({ name, options = [] }: Offering & Pick<Field, 'name'>, state: ControlState) => {
    const words = options.map(({ value, label }) => ({
      value,
      label: html`<span class="choice-words">${label}</span>`,
    }));
    return html`<div class="matrix-choices">\n${choiceGroup(type, { name, options: words }, state)}</div>\n`;
  };

interface Offering {
  readonly options?: readonly Option[];
}

const offered = ({ options = [] }: Offering) => optionValues({ options });

const summary = 'A row of a matrix.';

const oneChoice = fieldType({
  type: 'matrix_row',
  summary,
  missing: { code: 'missing_option' },
  layout: 'radiogroup',
  keys: {},
  possibleValues: offered,
  check: (_, values) => (values.length > 1 ? { code: 'more_than_one_option' } : undefined),
  control: controlOf('radio'),
});

const severalChoices = fieldType({
  type: 'matrix_row',
  summary,
  missing: { code: 'missing_options' },
  layout: 'group',
  keys: {},
  possibleValues: offered,
  takesSeveral: () => true,
  control: controlOf('checkbox'),
});

interface Keys extends Pick<Field, 'name' | 'label' | 'required'> {
  readonly rows: readonly Option[];
  readonly options: readonly Option[];
  readonly several: boolean;
}

function partsOf(field: Keys): Parts {
  const { name, required, rows, options, several } = field;
  const all = rows.map(({ value, label }) =>
    makePart(several ? severalChoices : oneChoice, {
      name: `${name}.${value}`,
      steps: [name, value],
      owner: labelOf(field),
      label,
      required,
      options,
    }),
  );
  const each = <T>(use: (part: Field, row: string) => T) =>
    all.map((part, index) => use(part, rows[index]?.value ?? ''));
  return {
    all,
    shown: () => all,
    asked: () => all,
    gather: (values) => {
      const chosen = each((part, row) => [row, asJson(part, values.get(part.name) ?? [])] as const);
      const answered = chosen.filter(([, value]) => value !== undefined);
      return answered.length > 0 ? Object.fromEntries(answered) : undefined;
    },
    spread: spreadOf(name),
    words: (value) => {
      const lines = each((part, row) => lineOf(part, memberOf(value, row))).filter(
        (one) => one !== undefined,
      );
      return lines.length > 0 ? [lines.join('\n')] : [];
    },
    shape: 'block',
  };
}
