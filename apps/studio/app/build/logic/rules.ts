/** Conditions of a form in words, and everything that can have one. Pure functions. */
import { isMap, type Json, listOf, type Path, valueAt } from '../../../edit/model.ts';
import { type Field, fieldsIn, textOf } from '../../schema_nodes.ts';

export const parts = {
  fields: 'Fields',
  steps: 'Steps',
  outputs: 'Outputs',
  thanks: 'After sending',
} as const;
type Part = keyof typeof parts;

/** A place that can have a condition. */
export interface Rule {
  readonly path: Path;
  readonly part: Part;
  readonly index: number;
  /** The effect: “Show “Company””. */
  readonly does: string;
  readonly condition: Json | undefined;
  /** The names of the field, or of the step's fields; for a note, its path in the relay's notation. */
  readonly names: readonly string[];
}

/** @param outputNames The outputs' display names. */
export function rulesIn(
  form: Path,
  config: Json | undefined,
  outputNames: readonly string[],
): readonly Rule[] {
  const each = (part: Part, key: string, does: (one: Written, index: number) => string | undefined) =>
    listOf(valueAt(config, [...form, part])).flatMap((one, index): readonly Rule[] => {
      const says = isMap(one) ? does(one, index) : undefined;
      if (!isMap(one) || says === undefined) return [];
      const names =
        part === 'steps'
          ? listOf(one.fields).map(String)
          : [one.note === undefined ? String(one.name) : `\n${index}`];
      return [{ path: [...form, part, index, key], part, index, does: says, condition: one[key], names }];
    });
  return [
    ...each('fields', 'visible_when', (field) => `Show ${quoted(labelOf(field))}`),
    ...each('fields', 'required_when', (field) =>
      field.note === undefined && field.required !== true ? `Require ${quoted(labelOf(field))}` : undefined,
    ),
    ...each('steps', 'visible_when', ({ title }, index) =>
      index > 0 ? `Show step ${quoted(textOf(title) ?? String(index + 1))}` : undefined,
    ),
    ...each('outputs', 'when', (_, index) => `Send to ${outputNames[index] ?? `output ${index + 1}`}`),
    ...each('thanks', 'when', ({ text, redirect }) =>
      redirect === undefined
        ? `Say ${quoted(textOf(text) ?? '')}`
        : `Go to ${quoted(textOf(redirect) ?? '')}`,
    ),
  ];
}

type Written = { readonly [key: string]: Json };

const labelOf = (field: Written): string =>
  textOf(field.note) ?? fieldsIn(['forms', 'f'], { forms: { f: { fields: [field] } } })[0]?.label ?? '';

const longest = 60;
const quoted = (text: string) =>
  `“${text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text}”`;

const tests: Readonly<Record<string, readonly [is: string, isNot: string]>> = {
  is: ['is', 'is not'],
  is_not: ['is not', 'is'],
  filled: ['is filled in', 'is empty'],
  contains: ['contains', 'does not contain'],
  at_least: ['is at least', 'is less than'],
  at_most: ['is at most', 'is more than'],
  before: ['is before', 'is not before'],
  after: ['is after', 'is not after'],
  matches: ['matches', 'does not match'],
};

/** A condition in words: `“I am” is “a company”`; `undefined` if it is incomplete. */
export function sentenceOf(
  condition: Json | undefined,
  fields: readonly Field[],
  isNegated = false,
  isInner = false,
): string | undefined {
  if (!isMap(condition)) return undefined;
  if (condition.not !== undefined) return sentenceOf(condition.not, fields, !isNegated, isInner);
  const key = ['all', 'any'].find((one) => condition[one] !== undefined);
  if (key !== undefined) {
    const said = listOf(condition[key]).map((one) => sentenceOf(one, fields, isNegated, true));
    const joined = said.join((key === 'all') === isNegated ? ' or ' : ' and ');
    if (said.length === 0 || said.includes(undefined)) return undefined;
    return isInner && said.length > 1 ? `(${joined})` : joined;
  }
  const test = Object.keys(tests).find((one) => condition[one] !== undefined);
  if (test === undefined || condition.field === undefined) return undefined;
  const name = String(condition.field);
  const field = fields.find((one) => one.name === name);
  const isNot = (test === 'filled' && String(condition.filled) === 'false') !== isNegated;
  const [is = '', not = ''] = tests[test] ?? [];
  const values = test === 'filled' ? [] : [condition[test] ?? []].flat().map(String);
  const isText = ['is', 'is_not', 'contains', 'matches'].includes(test);
  const shown = values.map((value) => {
    const label = field?.options.find((one) => one.value === value)?.label ?? value;
    return isText ? quoted(label) : label;
  });
  return [quoted(field?.label ?? name), isNot ? not : is, shown.join(' or ')].join(' ').trimEnd();
}
