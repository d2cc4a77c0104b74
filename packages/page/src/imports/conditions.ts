/** Conditions of webform-relay, whose tests have several spellings: `{field: a, in: [x]}`, `{field: a, op: in, value: [x]}`. */

import { isMap } from '@form-relay/schema/schema';
import type { Keys, Value } from '../moving_in/config_text.ts';

const tests: readonly (readonly [names: RegExp, make: (values: readonly string[]) => Keys])[] = [
  [/^(equals?|eq|is|one_of|in|any_of|==?)$/, (values) => ({ is: oneOr(values) })],
  [/^(not_equals?|neq?|is_not|not|not_one_of|not_in|none_of|!=)$/, (values) => ({ is_not: oneOr(values) })],
  [/^(filled|not_empty|is_not_empty|is_set|present|exists)$/, ([on]) => ({ filled: on !== 'false' })],
  [/^(empty|is_empty|not_filled|blank|absent)$/, ([on]) => ({ filled: on === 'false' })],
  [/^(gte|at_least|min|>=)$/, ([value = '']) => ({ at_least: value })],
  [/^(lte|at_most|max|<=)$/, ([value = '']) => ({ at_most: value })],
  [/^contains$/, (values) => ({ contains: oneOr(values) })],
  [/^(matches|pattern|regex)$/, ([value = '']) => ({ matches: value })],
  [/^before$/, ([value = '']) => ({ before: value })],
  [/^after$/, ([value = '']) => ({ after: value })],
];
/** Tests that are the contrary of others. */
const contrary: readonly (readonly [names: RegExp, of: string])[] = [
  [/^(gt|greater_than|more_than|>)$/, 'at_most'],
  [/^(lt|less_than|<)$/, 'at_least'],
  [/^not_contains$/, 'contains'],
  [/^not_matches$/, 'matches'],
];

const oneOr = (values: readonly string[]): Value => (values.length === 1 ? (values[0] ?? '') : values);

/** Our words for a condition; `undefined` if a part of it is unknown. */
export function conditionOf(written: unknown): Keys | undefined {
  if (Array.isArray(written)) return combined('all', written);
  if (!isMap(written)) return undefined;
  const { field, op, operator, value, values, ...rest } = written;
  const entries = Object.entries(rest);
  const [first] = entries;
  if (field === undefined) {
    if (!first || entries.length > 1 || [op, operator, value, values].some((one) => one !== undefined))
      return undefined;
    const [key, inner] = first;
    if (/^(all|and|all_of)$/.test(key)) return combined('all', inner);
    if (/^(any|or|any_of)$/.test(key)) return combined('any', inner);
    const contrary = key === 'not' ? conditionOf(inner) : undefined;
    return contrary && { not: contrary };
  }
  const named = op ?? operator;
  const isApart = named !== undefined || entries.length === 0;
  const all = isApart ? [[named ?? 'equals', value ?? values], ...entries] : entries;
  if (typeof field !== 'string' || (!isApart && (value ?? values) !== undefined)) return undefined;
  const made = all.map(([name, wanted]) => testOf(field, String(name), wanted));
  const known = made.filter((one) => one !== undefined);
  if (known.length < made.length) return undefined;
  return known.length === 1 ? known[0] : { all: known };
}

function combined(key: string, parts: unknown): Keys | undefined {
  const made = Array.isArray(parts) ? parts.map(conditionOf) : [];
  const known = made.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < made.length) return undefined;
  return known.length === 1 ? known[0] : { [key]: known };
}

function testOf(field: string, name: string, wanted: unknown): Keys | undefined {
  const values = [wanted ?? []].flat().filter((one) => typeof one === 'string');
  const asks = /^(is_)?(not_)?(filled|empty|set|present|exists|blank|absent)$/.test(name);
  if (values.length === 0 && !asks) return undefined;
  const [, of] = contrary.find(([names]) => names.test(name)) ?? [];
  const [, make] = tests.find(([names]) => names.test(of ?? name)) ?? [];
  const test = make && { field, ...make(values) };
  if (!of || !test) return test;
  // An empty field is neither more nor less.
  const isNumber = of.startsWith('at_');
  return isNumber ? { all: [{ field, filled: true }, { not: test }] } : { not: test };
}
