/** What keeps formulas from reading the fields of a form. */
import type { Condition, Diagnostics, Field } from '@form-relay/core/index';
import { checkFieldCondition, didYouMean, nearest } from '@form-relay/core/kit';
import { type ParsedFormula, placeIn, type Read } from './formula.ts';

export interface Case {
  readonly when?: Condition | undefined;
  readonly value: ParsedFormula;
  /** Below `formula`. */
  readonly path: readonly (string | number)[];
}

/** Types whose values are numbers, and those whose options stand for numbers. */
const numeric = ['number', 'range', 'rating', 'scale', 'computed'];
export const chosen = ['select', 'radios', 'checkboxes'];

/** A longer chain is a mistake. */
const longestChain = 100;

/** The fields of each entry; `undefined` for fields that do not repeat. */
export function repeatOf(
  field: Field,
): { readonly fields: readonly Field[]; readonly most: number } | undefined {
  const keys: object = field;
  return field.type === 'repeat' && 'fields' in keys && 'most' in keys && Array.isArray(keys.fields)
    ? { fields: keys.fields, most: Number(keys.most) }
    : undefined;
}

/** A mistake; without `at`, it is the formula's. */
interface Problem {
  readonly message: string;
  readonly at?: Diagnostics;
}

const isEntryOf = (field: Field, path: string): boolean =>
  repeatOf(field) !== undefined && path.startsWith(`${field.name}.`);

/** Tells each mistake once, at its first place. */
export function problemsInForm(
  formulas: ReadonlyMap<string, readonly Case[]>,
  fields: readonly Field[],
  placeOf: (field: Field) => Diagnostics,
): void {
  for (const [own, cases] of formulas) {
    const field = fields.find(({ name }) => name === own);
    if (!field) continue;
    const at = placeOf(field).in('formula');
    for (const { when, value, path } of cases) {
      if (when) checkFieldCondition(when, fields, at.in(...path.slice(0, -1), 'when'));
      const told = new Set<string>();
      for (const read of value.reads)
        for (const { message, at: place } of [
          ...problemsOf(read, own, value.source),
          ...mixed(read, value.reads),
        ]) {
          const key = `${read.name}\0${message}`;
          if (told.has(key)) continue;
          told.add(key);
          if (place) place.error(message);
          else at.in(...path).error(message, { within: placeIn(value.source, read) });
        }
    }
  }

  function problemsOf({ name, within }: Read, from: string, source: string): readonly Problem[] {
    const field = fields.find((one) => one.name === name || isEntryOf(one, name));
    if (!field) return [undeclared(name, source)];
    const inside = repeatOf(field)?.fields;
    if (inside && name !== field.name) {
      const index = inside.findIndex((one) => name === `${field.name}.${one.name}`);
      const one = inside[index];
      if (!one) return [undeclared(name, source)];
      if (within === 0) return [{ message: `"${name}" has a value in each entry; write sum(${name})` }];
      return within === 'count'
        ? [countOfNone(name)]
        : notNumbers(name, one, placeOf(field).in('fields', index));
    }
    if (inside) {
      const number = inside.find(({ type }) => numeric.includes(type))?.name ?? 'price';
      const message = `"${name}" is a list of entries; write count(${name}), or the sum of one of its fields, such as sum(${name}.${number})`;
      return within === 'count' ? [] : [{ message }];
    }
    if (within === 'count') return [countOfNone(name)];
    return field.type === 'computed' ? circles(name, from) : notNumbers(name, field, placeOf(field));
  }

  function undeclared(name: string, source: string): Problem {
    const names = fields.flatMap((field) => [
      field.name,
      ...(repeatOf(field)?.fields ?? []).map((one) => `${field.name}.${one.name}`),
    ]);
    // `guest-count` without quotes is a difference.
    const inQuotes = names.find((one) => /[^\w.]/.test(one) && one.includes(name) && source.includes(one));
    const near = inQuotes === undefined ? nearest(name, names) : `"${inQuotes}"`;
    return { message: `"${name}" is not a declared field${didYouMean(near)}` };
  }

  /** Entries of two fields have nothing to do with each other. */
  function mixed({ name, within }: Read, reads: readonly Read[]): readonly Problem[] {
    const repeated = (path: string) => fields.find((field) => isEntryOf(field, path));
    const first = within && reads.find((one) => one.within === within && repeated(one.name));
    return first && repeated(name) && repeated(name) !== repeated(first.name)
      ? [{ message: `"${name}" and "${first.name}" are of different entries; write a sum for each` }]
      : [];
  }

  /** Whether a computed field leads back to the one that reads it, or too far. */
  function circles(name: string, from: string): readonly Problem[] {
    const seen = new Set<string>();
    let open = [name];
    for (let length = 1; open.length > 0; length += 1) {
      if (open.includes(from)) return [{ message: "this field's own formula needs the result" }];
      if (length > longestChain)
        return [{ message: `more than ${longestChain} computed fields need each other's results here` }];
      for (const one of open) seen.add(one);
      const cases = open.flatMap((one) => formulas.get(one) ?? []);
      const reads = cases.flatMap(({ value }) => value.reads.map((read) => read.name));
      open = [...formulas.keys()].filter((one) => reads.includes(one) && !seen.has(one));
    }
    return [];
  }
}

const countOfNone = (name: string): Problem => ({
  message: `"${name}" has no entries to count; expected the name of a field of type repeat`,
});

function notNumbers(name: string, field: Field, at: Diagnostics): readonly Problem[] {
  const { type, options = [] } = field;
  if (numeric.includes(type)) return [];
  if (type === 'checkbox') {
    const message = `"${name}" needs a number that it stands for, such as worth: 10`;
    return Reflect.get(field, 'worth') === undefined ? [{ message }] : [];
  }
  if (type === 'hidden')
    return [
      { message: `"${name}" is hidden, so anyone can change it unseen; write the number into the formula` },
    ];
  if (!chosen.includes(type)) return [{ message: `"${name}" has the type ${type}, which is no number` }];
  return options.flatMap(({ value, worth }, index) => {
    const message = `a formula needs the number that this stands for: {value: ${value}, worth: 10}`;
    const isNumber = worth !== undefined || /^-?\d+(\.\d+)?$/.test(value);
    return isNumber ? [] : { message, at: at.in('options', index) };
  });
}
