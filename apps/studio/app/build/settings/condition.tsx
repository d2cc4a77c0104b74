/** Conditions on values: `visible_when` and `required_when` of fields, notes and steps, `when` of outputs. */

import { Options } from '@form-relay/ui/controls';
import {
  type Action,
  isMap,
  isScalar,
  type Json,
  type JsonMap,
  listOf,
  mapOf,
  type Path,
} from '../../../edit/model.ts';
import { Boxes } from '../../inputs.tsx';
import { type Field, fieldOf } from '../../schema_nodes.ts';
import { act } from '../../store.ts';
import { decides } from '../fields/palette.tsx';
import { planOf } from '../fields/plan.ts';
import { type ControlProps, nameOf, put, TextInput } from './controls.tsx';
import { change, useDraft } from './draft.ts';
import { AsText, Frame } from './frame.tsx';
import { emptiest, fieldsOf, held, inWords } from './places.ts';

/** The operand of each test: some options, one or several texts, or nothing. */
const tests = {
  is: { says: 'is one of', with: 'options' },
  is_not: { says: 'is none of', with: 'options' },
  filled: { says: 'is filled in', with: 'nothing' },
  empty: { says: 'is empty', with: 'nothing' },
  contains: { says: 'contains one of', with: 'texts' },
  at_least: { says: 'is at least', with: 'text' },
  at_most: { says: 'is at most', with: 'text' },
  before: { says: 'is before', with: 'text' },
  after: { says: 'is after', with: 'text' },
  matches: { says: 'matches the pattern', with: 'text' },
} as const;
type Test = keyof typeof tests;
const keys: readonly string[] = Object.keys(tests).filter((test) => test !== 'empty');

const combined = {
  all: 'All of these are true',
  any: 'Any of these is true',
  not: 'This is not true',
} as const;
type Combination = keyof typeof combined;
const mostNested = 4;

interface ConditionProps extends ControlProps {
  /** Label for "no condition". Default: `Always`. */
  readonly always?: string;
  /** Fields that cannot be tested, such as the field itself. */
  readonly without?: readonly string[];
  /** Changes to make along with the condition. */
  readonly also?: readonly Action[];
}

export function ConditionEditor(props: ConditionProps) {
  const { path, always = 'Always', without = [], also = [] } = props;
  const excluded = [...without, ...laterThan(path)];
  const fields = fieldsOf(path).filter(
    (field) => !excluded.includes(field.name) && (path[2] === 'outputs' || decides(field)),
  );
  const above = namesAbove(path);
  return (
    <Frame {...props} isGroup>
      {(named) => (
        <Part
          {...named}
          path={path}
          name={nameOf(props)}
          none={always}
          fields={fields}
          nearest={fields.findLast((field) => isChoice(field) && above.includes(field.name))}
          depth={0}
          also={also}
        />
      )}
    </Frame>
  );
}

/** Fields above the field, note or step that has the condition. */
function namesAbove([forms = '', id = '', list = '', index]: Path): readonly string[] {
  const above = listOf(held([forms, id, list])).slice(0, Number(index));
  return list === 'steps'
    ? above.flatMap((step) => listOf(mapOf(step).fields).map(String))
    : above.flatMap(fieldOf).map(({ name }) => name);
}

/** Fields in later steps, which visitors reach only after what the condition shows or hides. */
function laterThan(path: Path): readonly string[] {
  const [forms = '', id = '', list, index, key] = path;
  if (key !== 'visible_when') return [];
  const { items, steps } = planOf(held([forms, id]));
  const last = list === 'steps' ? Number(index) - 1 : items[Number(index)]?.step;
  return last === undefined ? [] : steps.slice(last + 1).flatMap(({ names }) => names);
}

interface PartProps {
  readonly path: Path;
  readonly name: string;
  /** Label for removing this condition. */
  readonly none: string;
  readonly fields: readonly Field[];
  /** The field with options that is tested first. Default: the last one in the form. */
  readonly nearest: Field | undefined;
  /** Nesting depth. */
  readonly depth: number;
  readonly also?: readonly Action[];
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: boolean | undefined;
}

/** A condition, or a part of a combined one. */
function Part({ path, name, none, fields, nearest, depth, also, ...described }: PartProps) {
  const condition = held(path) ?? undefined;
  const why = whyAsText(condition);
  if (why !== undefined) return <AsText path={path} why={why} />;
  const written = mapOf(condition);
  const combination = combinationOf(written);
  const chosen = combination ?? String(written.field ?? '');
  const field = fields.find((one) => one.name === chosen);
  const isGone = chosen !== '' && !field && !combination;
  const choose = (value: string) => {
    const first = fields.find((one) => one.name === value);
    if (value === '') act({ do: 'remove', path: emptiest(withNegation(path)) }, `Removed ${name}`);
    else if (value in combined) {
      const inner = [combination ? (written[combination] ?? []) : (condition ?? [])].flat();
      const parts = inner.length > 0 || fields.length === 0 ? inner : [nextTest(fields, [], nearest)];
      put(path, { [value]: (value === 'not' ? parts[0] : parts) as Json }, name, false, also);
    } else if (first) put(path, startOf(first), name, false, also);
  };
  return (
    <div class="set-condition">
      <select
        aria-label={`${name}: field`}
        {...described}
        value={chosen}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">{none}</option>
        {isGone && <option value={chosen}>{chosen} (no such field)</option>}
        <Options of={fields.map((one) => [one.name, `If ${inWords(one)}`])} />
        {(depth < mostNested || combination) && <Options of={Object.entries(combined)} />}
      </select>
      {combination ? (
        <Parts path={[...path, combination]} depth={depth + 1} {...{ name, fields, nearest }} />
      ) : (
        condition !== undefined && <TestOf path={path} name={name} condition={written} field={field} />
      )}
    </div>
  );
}

/** Parts combined by `all`, `any` or `not`. */
function Parts({ path, name, ...rest }: Pick<PartProps, 'path' | 'name' | 'fields' | 'nearest' | 'depth'>) {
  const { fields, nearest } = rest;
  const parts = held(path);
  const part = (at: Path, of: string) => <Part {...rest} path={at} name={of} none="Remove" />;
  if (!Array.isArray(parts)) return part(path, `${name}, not`);
  return (
    <>
      <ul class="set-rows">
        {parts.map((_, index) => (
          <li key={index}>{part([...path, index], `${name} ${index + 1}`)}</li>
        ))}
      </ul>
      {fields.length > 0 && (
        <button
          type="button"
          onClick={() =>
            act(
              { do: 'insert', path, index: parts.length, value: nextTest(fields, parts, nearest) },
              `Added to ${name}`,
            )
          }
        >
          Add a condition
        </button>
      )}
    </>
  );
}

/** Includes the `not` around a part, which must be removed with it. */
const withNegation = (path: Path): Path => (path.at(-1) === 'not' ? withNegation(path.slice(0, -1)) : path);

const combinationOf = (written: JsonMap) =>
  (Object.keys(combined) as Combination[]).find((key) => Object.hasOwn(written, key));

/** The test that a condition's keys express. */
const testOf = (condition: JsonMap): Test => {
  if (String(condition.filled) === 'false') return 'empty';
  return (keys.find((test) => Object.hasOwn(condition, test)) ?? 'filled') as Test;
};

const isChoice = ({ type, options }: Field) => options.length > 0 && type !== 'grid';

const startOf = (field: Field, taken: readonly string[] = []): JsonMap => {
  const option = field.options.find(({ value }) => !taken.includes(value)) ?? field.options[0];
  return option === undefined || !isChoice(field)
    ? { field: field.name, filled: true }
    : { field: field.name, is: option.value };
};

/**
 * The initial value of a new test: the same field as in the test above with an unused value; else the nearest
 * field with options.
 */
export function nextTest(
  fields: readonly Field[],
  above: readonly (Json | undefined)[],
  nearest = fields.findLast(isChoice),
): JsonMap {
  const tests = above.filter(isMap);
  const same = fields.find(({ name }) => name === String(tests.at(-1)?.field));
  const taken = tests
    .filter(({ field }) => String(field) === same?.name)
    .flatMap(({ is }) => [is ?? []].flat().map(String));
  return startOf(same ?? nearest ?? (fields[0] as Field), taken);
}

function whyAsText(condition: Json | undefined): string | undefined {
  if (condition === undefined) return undefined;
  if (!isMap(condition)) return 'This is not a condition yet.';
  const own = Object.keys(condition).filter((key) => key !== 'field');
  if (own.length === 1 && combinationOf(condition)) return undefined;
  const isFlat = own.every((key) => [condition[key]].flat().every((one) => isScalar(one as Json)));
  return own.length > 1 || !own.every((key) => keys.includes(key)) || !isFlat
    ? 'The condition has more than one test.'
    : undefined;
}

const operands: Partial<Record<Test, RegExp>> = {
  at_least: /^-?\d+(?:\.\d+)?$/,
  at_most: /^-?\d+(?:\.\d+)?$/,
  before: /^\d{4}-\d\d-\d\d|^\d\d:\d\d/,
  after: /^\d{4}-\d\d-\d\d|^\d\d:\d\d/,
};

/** A value with which a new test loads immediately. */
function startOfTest(to: Test, field: Field | undefined): string {
  if (to === 'at_least' || to === 'at_most') return '1';
  if (to !== 'before' && to !== 'after') return field?.options[0]?.value ?? 'x';
  if (field?.type === 'time') return '12:00';
  const today = new Date().toISOString();
  return field?.type === 'datetime' ? today.slice(0, 16) : today.slice(0, 10);
}

interface TestProps {
  readonly path: Path;
  readonly name: string;
  readonly condition: JsonMap;
  readonly field: Field | undefined;
}

function TestOf({ path, name, condition, field }: TestProps) {
  const test = testOf(condition);
  const compared = tests[test].with;
  const values = compared === 'nothing' ? [] : [condition[test] ?? []].flat().map(String);
  const changeTest = (to: Test) => {
    const next = { field: condition.field ?? '' };
    const fits = values.filter((value) => !operands[to] || operands[to].test(value));
    const kept = fits.length > 0 ? fits : [startOfTest(to, field)];
    const value: Json =
      tests[to].with === 'nothing'
        ? { ...next, filled: to === 'filled' }
        : { ...next, [to]: tests[to].with === 'text' ? (kept[0] ?? '') : asOne(kept) };
    act({ do: 'set', path, value }, `Changed ${name}`);
  };
  const setValues = (next: readonly string[]) => {
    if (next.length > 0) change({ do: 'set', path: [...path, test], value: asOne(next) }, `Changed ${name}`);
  };
  return (
    <>
      <select
        aria-label={`${name}: test`}
        value={test}
        onChange={({ currentTarget: { value } }) => changeTest(value as Test)}
      >
        <Options of={Object.entries(tests).map(([key, { says }]) => [key, says])} />
      </select>
      {compared === 'options' && field && field.options.length > 0 ? (
        <span class="set-boxes">
          <Boxes options={field.options} values={values} needsOne onChange={setValues} />
        </span>
      ) : (
        compared !== 'nothing' && (
          <ValuesInput of={`${name}: value`} values={values} write={setValues} isOne={compared === 'text'} />
        )
      )}
    </>
  );
}

const asOne = (values: readonly string[]): Json => (values.length === 1 ? (values[0] ?? '') : values);

interface ValuesProps {
  readonly of: string;
  readonly values: readonly string[];
  readonly write: (values: readonly string[]) => void;
  readonly isOne: boolean;
}

/** A value, or several separated by commas. */
function ValuesInput({ of, values, write, isOne }: ValuesProps) {
  const draft = useDraft(values.join(', '), (text) =>
    write((isOne ? [text] : text.split(',')).map((one) => one.trim()).filter(Boolean)),
  );
  return <TextInput draft={draft} aria-label={of} hint={isOne ? '' : 'A value, or several with commas'} />;
}
