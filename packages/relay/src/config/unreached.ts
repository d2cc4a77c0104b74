/** Finds submissions that no output takes and that a form therefore loses by mistake. */
import type { Condition } from '../base/condition.ts';
import type { Field } from '../fields/field.ts';
import type { Output } from '../outputs/output.ts';
import { applies } from '../outputs/payload.ts';

/** The deciding fields of an example submission and their values; none for an empty field. */
export type Example = ReadonlyMap<string, readonly string[]>;

/** The number of evaluated conditions after which the search gives up. */
const mostAsked = 500_000;
const mostDeciders = 50;
/** The most additional options to choose in a field that takes several. */
const mostOthers = 20;

/**
 * Finds a valid submission to which no output applies; `undefined` if there is none, or none was found soon. Tries the
 * values in conditions; for each field, one other value represents the rest.
 */
export function unreached(fields: readonly Field[], outputs: readonly Output[]): Example | undefined {
  const whens = outputs.flatMap(({ when }) => when ?? []);
  if (whens.length < outputs.length) return undefined;
  const deciders = decidersFirst(fields, whens);
  if (!deciders) return undefined;
  const conditions = [...whens, ...deciders.flatMap(({ visible_when }) => visible_when ?? [])];
  const asked = deciders.map((field): Asked => {
    const isOurs = (condition: Condition) => condition.field === field.name;
    const named = new Set(conditions.filter(isOurs).flatMap(({ values }) => values));
    return {
      field,
      whens: whens.filter(isOurs),
      values: valuesOf(
        field,
        [...named].filter((value) => value !== ''),
      ),
    };
  });
  return search(asked, new Map(), { left: mostAsked });
}

/** The fields in conditions, each after the fields on which its visibility depends. */
function decidersFirst(fields: readonly Field[], whens: readonly Condition[]): readonly Field[] | undefined {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const found = new Set<Field>();
  for (const when of whens) {
    const chain = new Set<Field>();
    for (let next: Condition | undefined = when; next; ) {
      const field = byName.get(next.field);
      const { possibleValues } = field ?? {};
      const isPossible = (value: string) => value === '' || !possibleValues || possibleValues.includes(value);
      // Other errors of the config come first.
      if (!field || chain.has(field) || !next.values.every(isPossible)) return undefined;
      chain.add(field);
      next = field.visible_when;
    }
    for (const field of [...chain].toReversed()) found.add(field);
  }
  return found.size > mostDeciders ? undefined : [...found];
}

interface Asked {
  readonly field: Field;
  readonly whens: readonly Condition[];
  readonly values: Candidates;
}

interface Candidates {
  /** The values in conditions that the field accepts. */
  readonly named: readonly string[];
  /** The values in no condition; free text has a single representative. */
  readonly others: readonly string[];
}

function valuesOf(field: Field, named: readonly string[]): Candidates {
  const { possibleValues, takesSeveral } = field;
  if (possibleValues) return { named, others: possibleValues.filter((value) => !named.includes(value)) };
  const isTaken = (value: string) => field.check([value]) === undefined;
  const other = guesses(field, named).find((guess) => !named.includes(guess) && isTaken(guess));
  return {
    named: takesSeveral ? named : named.filter(isTaken),
    others: [other ?? (named.length === 0 ? anything : [])].flat(),
  };
}

/** If no valid value can be guessed, assume that some exists. */
const anything = '…';

function guesses(field: Field, named: readonly string[]): readonly string[] {
  const { min_length: least = 0, max_length: most, min, max, value = [], placeholder = '' } = field;
  const plain = ['other', '1', '0', 'other@example.com', 'https://other.example.com/', '2030-01-01'];
  const near = named.flatMap((one) => [`${one}1`, `${one}x`, one.replace(/.$/su, otherLast)]);
  const bounds = [min, max].filter((bound) => bound !== undefined).map(String);
  return [...plain, ...value, placeholder, ...bounds, ...near]
    .map((text) => text.padEnd(least, '1').slice(0, most))
    .filter((text) => text !== '');
}

/** A value of the same shape: `10116` for `10115`, `10110` for `10119`. */
const otherLast = (last: string) =>
  /[0-9]/.test(last) ? String((Number(last) + 1) % 10) : last === 'a' ? 'b' : 'a';

interface Budget {
  left: number;
}

/** `chosen`: the values of the fields before; `undefined` for hidden fields. */
function search(
  [first, ...rest]: readonly Asked[],
  chosen: ReadonlyMap<string, readonly string[] | undefined>,
  budget: Budget,
): Example | undefined {
  if (!first) {
    const shown = [...chosen].flatMap(([name, values]) => (values ? [[name, values] as const] : []));
    return new Map(shown.map(([name, values]) => [name, values.filter((value) => value !== '')]));
  }
  const { field, whens } = first;
  const { name, visible_when: when } = field;
  const decider = when && chosen.get(when.field);
  const isShown = !when || (decider !== undefined && when.holds(decider));
  for (const values of isShown ? statesOf(first) : [undefined]) {
    if (budget.left <= 0) return undefined;
    budget.left -= 1 + whens.length;
    const held = new Map(values && [[name, values]]);
    if (whens.some((one) => applies(one, held))) continue;
    const found = search(rest, new Map([...chosen, [name, values]]), budget);
    if (found) return found;
  }
  return undefined;
}

/** The possible values of a visible field, simplest first. */
function* statesOf({ field, values: { named, others } }: Asked): Generator<readonly string[]> {
  const { possibleValues: options = [] } = field;
  if (!field.takesSeveral) {
    if (others[0] !== undefined) yield [others[0]];
    // Browsers send an empty text for an empty control, and nothing for boxes and radio buttons.
    if (!field.required) yield field.layout === 'labelled' ? [''] : [];
    for (const value of named) yield [value];
    return;
  }
  if (!field.required) yield [];
  for (let size = 0; size <= named.length; size += 1) {
    for (const some of subsetsOf(named, size)) {
      // Use as few additional options as possible: a field may require several.
      const beside = [[], ...others.slice(0, mostOthers).map((_, index) => others.slice(0, index + 1))];
      const taken = beside.find((more) => isTaken(field, [...some, ...more]));
      const all = taken && new Set([...some, ...taken]);
      if (all) yield options.filter((option) => all.has(option));
    }
  }
}

const isTaken = (field: Field, values: readonly string[]) =>
  values.length > 0 && field.check(values) === undefined;

function* subsetsOf(values: readonly string[], size: number, from = 0): Generator<readonly string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = from; index <= values.length - size; index += 1) {
    for (const rest of subsetsOf(values, size - 1, index + 1)) yield [values[index] as string, ...rest];
  }
}
