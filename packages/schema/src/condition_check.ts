/** Checks whether the conditions of a form can ever hold, and whether following them ends. */
import {
  addressForm,
  comparable,
  isRealDay,
  type Kind,
  plainText,
  readMoment,
  readTime,
} from '@form-relay/base/canonical';
import { type Condition, decidersOf, holds, opposites, type Test } from '@form-relay/base/condition';
import { floatIn } from '@form-relay/base/unicode';
import type { Conditional } from './condition.ts';
import { type Diagnostics, either, shown } from './diagnostics.ts';
import { nearest } from './suggestion.ts';

/** A field, as far as conditions need to know it. */
interface Decider extends Conditional {
  readonly type: string;
  readonly offered: readonly string[] | undefined;
  readonly takesSeveral?: boolean;
  readonly accepted?: readonly string[] | undefined;
  readonly comparedAs: Kind;
  canonical(value: string): string;
  readonly wanted?: ((value: string, isPart: boolean) => string | undefined) | undefined;
  readonly min?: unknown;
  readonly max?: unknown;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  /** Set for a field that consists of other fields. */
  readonly inputs?: unknown;
  readonly takeFiles: unknown;
  /** The field that this one accompanies. Both have the condition of that field. */
  readonly comesWith?: string | undefined;
}

/** A longer chain is probably a mistake, and every submission has to follow it. */
const longestChain = 100;

/** Checks that conditions name declared fields and values that these can have, and that chains of conditions are short and end. */
export function checkConditions(
  fields: readonly Decider[],
  notes: readonly Conditional[],
  placeOf: (one: Conditional) => Diagnostics,
): void {
  const byName = namesOf(fields);
  for (const one of [...fields.filter(({ comesWith }) => comesWith === undefined), ...notes]) {
    const place = placeOf(one);
    if (one.required_when && one.required)
      place
        .in('required_when')
        .error('this field is always required; remove required or required_when', { aboutKey: true });
    for (const key of ['visible_when', 'required_when'] as const) {
      const when = one[key];
      if (!when) continue;
      checkTests(when, byName, place.in(key), true);
      checkTogether(when, byName, place.in(key));
    }
  }
  for (const field of fields)
    if (field.visible_when) checkChain(field, byName, placeOf(field).in('visible_when'));
}

const onInputs = (name: string) =>
  `"${name}" consists of several fields, so it cannot be compared with a value; only \`when\` of an output can test whether it is \`filled\``;

const namesOf = (fields: readonly Decider[]): Named =>
  new Map(fields.map((field): [string, Decider] => [field.name, field]).reverse());
type Named = ReadonlyMap<string, Decider>;

/** Checks that the fields of a condition are declared, and can hold the values that it compares. */
export function checkCondition(condition: Condition, fields: readonly Decider[], at: Diagnostics): void {
  const byName = namesOf(fields);
  checkTests(condition, byName, at);
  checkTogether(condition, byName, at);
}

function checkTests(condition: Condition, byName: Named, at: Diagnostics, isOfField = false): void {
  if ('field' in condition) checkTest(condition, byName, at, isOfField);
  else if ('not' in condition) checkTests(condition.not, byName, at.in('not'), isOfField);
  else {
    const [key, parts] = 'all' in condition ? ['all', condition.all] : ['any', condition.any];
    for (const [index, one] of parts.entries()) checkTests(one, byName, at.in(key, index), isOfField);
  }
}

function checkTest(condition: Test, byName: Named, at: Diagnostics, isOfField: boolean): undefined {
  const { field: name, test } = condition;
  const decider = byName.get(name);
  if (!decider) {
    const names = [...byName.keys()].reverse();
    return at.in('field').error(`"${name}" is not a declared field`, {
      code: 'field_undeclared',
      suggestion: nearest(name, names),
      word: name,
    });
  }
  const compares = test !== 'filled' && test !== 'empty';
  if (compares && decider.inputs)
    at.in(test).error(onInputs(name), { code: 'condition_on_parts', aboutKey: true });
  if (compares && decider.takeFiles)
    at.in(test).error(
      `a field of type ${decider.type} has no value to compare; test only whether it is \`filled\``,
      { code: 'condition_on_files', aboutKey: true },
    );
  if (isOfField && decider.inputs) at.in('field').error(onInputs(name), { code: 'condition_on_parts' });
  if (compares) checkValues(condition, decider, at.in(test));
}

/** Replaces the values by their canonical forms, and reports values that the field never has. */
function checkValues(condition: Test, decider: Decider, at: Diagnostics): void {
  const { field: name, test, values } = condition;
  const isWhole = test === 'is' || test === 'is_not';
  const isText = isWhole || test === 'contains';
  const meant = values.map((value) => (isText ? meaningOf(value, decider, !isWhole) : value));
  const canonical = meant.filter((value) => value !== undefined);
  const possible = decider.offered ?? decider.accepted;
  const all = possible && canonicalValues(decider, possible);
  const fits = (value: string) => value === '' || (all ? all.has(value) : isOfKind(value, decider));
  // Any typed text differs from a value that the field never has, so `is_not` holds; a list holds if another of its values fits.
  const isTyped = !decider.offered && (decider.accepted ?? decider.wanted ?? decider.comparedAs === 'email');
  const mayHold = test === 'is_not' || canonical.some(fits);
  if (isWhole && isTyped && mayHold) {
    if (canonical.length < meant.length || !canonical.every(fits))
      at.warning(`"${name}" never has any of these values`);
  } else if (isWhole && possible) checkPossible(decider, possible, values, at);
  else if (
    canonical.length < meant.length ||
    !canHold({ field: name, test, values: canonical }, decider, possible)
  )
    at.error(`"${name}" can never have a value that meets this condition`, { code: 'condition_never_holds' });
  // Store canonical values, because the evaluator does not know the types of fields.
  Object.assign(condition, { values: canonical });
}

/** Cached by field, because many conditions may test a field with many options. */
const known = new WeakMap<Decider, ReadonlySet<string>>();

function canonicalValues(decider: Decider, possible: readonly string[]): ReadonlySet<string> {
  const all = known.get(decider) ?? new Set(possible.map(decider.canonical));
  known.set(decider, all);
  return all;
}

function meaningOf(value: string, decider: Decider, isPart: boolean): string | undefined {
  const { comparedAs, wanted } = decider;
  if (value === '') return value;
  if (wanted) return wanted(value, isPart);
  if (!isPart) return decider.canonical(value);
  return comparedAs === 'email' ? comparable(plainText(value)) : plainText(value);
}

function checkPossible(
  decider: Decider,
  possible: readonly string[],
  values: readonly string[],
  at: Diagnostics,
): void {
  const all = canonicalValues(decider, possible);
  // Empty text means that nothing is chosen.
  const wrong = values.findIndex((value) => value !== '' && !all.has(decider.canonical(value)));
  if (wrong < 0) return;
  const found = values[wrong] ?? '';
  const near = nearest(found, possible);
  (Array.isArray(at.written) ? at.in(wrong) : at).error(
    `found ${shown(found, at)}; "${decider.name}" never has this value${near === undefined ? `; expected ${either(possible.slice(0, 200))}` : ''}`,
    { code: 'condition_never_holds', suggestion: near, word: found },
  );
}

/**
 * Whether the test can hold: numbers compare only with numbers, days with days, and times with times, within
 * the limits of the field.
 */
function canHold(condition: Test, decider: Decider, possible: readonly string[] | undefined): boolean {
  const { test, values } = condition;
  if (possible)
    return [...canonicalValues(decider, possible)].some((value) => holds(condition, () => [value]));
  if (test === 'is' || test === 'is_not')
    return values.every((value) => value === '' || isOfKind(value, decider));
  const kind = kindOfField(decider);
  if (kind === 'text' || test === 'contains' || test === 'matches') return true;
  const { min, max } = decider;
  const [wanted = ''] = values;
  const isOf = kindOf(wanted) === kind && (kind === 'number') === (test === 'at_least' || test === 'at_most');
  const limit = String((test === 'at_least' || test === 'after' ? max : min) ?? '');
  return isOf && (kindOf(limit) !== kind || holds(condition, () => [limit]));
}

const readers: Partial<Record<Kind, (value: string) => boolean>> = {
  number: (value) => !Number.isNaN(floatIn(value)),
  date: isRealDay,
  time: (value) => readTime(value) !== undefined,
  datetime: (value) => readMoment(value) !== undefined,
  email: (text) => addressForm.test(text),
};

function isOfKind(value: string, decider: Decider): boolean {
  const kind = kindOfField(decider);
  return readers[decider.comparedAs]?.(value) ?? (kind === 'text' || kindOf(value) === kind);
}

const kindOfField = ({ offered, samples }: Decider) => (offered ? 'text' : kindOf(samples?.(0)?.[0]?.[0]));

function kindOf(value = ''): 'number' | 'day' | 'time' | 'text' {
  if (/^\d\d:/.test(value)) return 'time';
  if (/^\d{4}-/.test(value)) return 'day';
  return /^-?[\d.]+$/.test(value) ? 'number' : 'text';
}

/** Warns if tests that must all hold require values that one field cannot have at the same time. */
function checkTogether(condition: Condition, byName: Named, at: Diagnostics): void {
  const demands = allOf(condition);
  for (const name of demands.length < 2 ? [] : new Set(demands.map(({ test }) => test.field))) {
    const decider = byName.get(name);
    const tests = demands.filter(({ test }) => test.field === name);
    if (decider && tests.length > 1 && isContradiction(tests, decider) && !at.isWrong)
      at.warning(`no value of "${name}" passes all of these tests, so this condition is never true`, {
        code: 'condition_never_holds',
      });
  }
}

interface Demand {
  readonly test: Test;
  readonly isNegated: boolean;
}

/** The tests that must all hold; leaves out alternatives. */
function allOf(condition: Condition, isNegated = false): readonly Demand[] {
  if ('field' in condition) {
    const opposite = opposites[condition.test];
    return isNegated && Object.hasOwn(opposites, opposite)
      ? [{ test: { ...condition, test: opposite as Test['test'] }, isNegated: false }]
      : [{ test: condition, isNegated }];
  }
  if ('not' in condition) return allOf(condition.not, !isNegated);
  const parts = 'all' in condition ? condition.all : condition.any;
  return 'all' in condition === isNegated ? [] : parts.flatMap((one) => allOf(one, isNegated));
}

function isContradiction(tests: readonly Demand[], { takesSeveral, inputs, takeFiles, ...decider }: Decider) {
  if (takesSeveral || inputs || takeFiles) return false;
  const wanted = (...kinds: readonly Test['test'][]) =>
    tests.filter(({ test, isNegated }) => kinds.includes(test.test) && !isNegated).map(({ test }) => test);
  const isEmptySpan = ({ values: [from = ''] }: Test) =>
    wanted('before').some(({ values: [to = ''] }) => to.length === from.length && to <= from);
  if (wanted('after').some(isEmptySpan)) return true;
  const possible = decider.offered ?? decider.accepted;
  const limits = wanted('at_least', 'at_most');
  // If any value passes all tests, one of these candidates does.
  const candidates =
    (possible && ['', ...possible.map(decider.canonical)]) ??
    wanted('is')[0]?.values ??
    (wanted('empty').length > 0 ? [''] : undefined) ??
    (limits.length + wanted('filled').length === tests.length && limits.length > 0
      ? limits.flatMap(({ values }) => values)
      : undefined);
  const meets = (value: string) => (one: Demand) => holds(one.test, () => [value]) !== one.isNegated;
  return candidates !== undefined && !candidates.some((value) => tests.every(meets(value)));
}

function checkChain(field: Decider, byName: Named, at: Diagnostics): undefined {
  const seen = new Set<Decider>();
  const place = at.written !== null && Object.hasOwn(Object(at.written), 'field') ? at.in('field') : at;
  let level = [field];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === longestChain)
      return place.error(`this condition depends on a chain of more than ${longestChain} conditions`, {
        code: 'condition_chain_too_long',
      });
    const next: Decider[] = [];
    for (const { visible_when: when } of level)
      for (const name of when ? decidersOf(when) : []) {
        const decider = byName.get(name);
        if (decider === field)
          return place.error('this condition depends on itself; remove the cycle', {
            code: 'condition_circular',
          });
        if (!decider?.visible_when || seen.has(decider)) continue;
        seen.add(decider);
        next.push(decider);
      }
    level = next;
  }
}
