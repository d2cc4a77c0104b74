/** A condition on a field's value: `visible_when` of fields and steps, `when` of outputs. */
import type { Json, Path } from '../../../edit/index.ts';
import { type Field, isScalar } from '../../fields_in.ts';
import { Options } from '../../options.tsx';
import { isMap } from '../../schema_nodes.ts';
import { act } from '../../store.ts';
import { decides } from '../fields/picture.tsx';
import { type ControlProps, nameOf, put, TextInput } from './controls.tsx';
import { change, useDraft } from './draft.ts';
import { AsText, Frame } from './frame.tsx';
import { fieldsOf, held, inWords } from './places.ts';

const tests = {
  is: 'is one of',
  is_not: 'is none of',
  filled: 'is filled in',
  empty: 'is empty',
} as const;
type Test = keyof typeof tests;

export interface ConditionProps extends ControlProps {
  /** In words, without a condition. Default: `Always`. */
  readonly always?: string;
  /** Fields that cannot decide, such as the field itself. */
  readonly without?: readonly string[];
}

/** Writes `{field: …, is: …}`. A condition with several tests is left to the text. */
export function ConditionEditor(props: ConditionProps) {
  const { path, always = 'Always', without = [] } = props;
  const condition = held(path) ?? undefined;
  const fields = fieldsOf(path).filter(
    (field) => !without.includes(field.name) && (path[2] === 'outputs' || decides(field)),
  );
  const why = whyAsText(condition);
  const name = nameOf(props);
  if (why !== undefined) {
    return (
      <Frame {...props} isGroup>
        {() => <AsText path={path} why={why} />}
      </Frame>
    );
  }
  const chosen = isMap(condition) ? String(condition.field ?? '') : '';
  const field = fields.find((one) => one.name === chosen);
  const isGone = chosen !== '' && !field;
  return (
    <Frame {...props} isGroup>
      {(named) => (
        <div class="set-condition">
          <select
            aria-label={`${name}: field`}
            aria-describedby={named['aria-describedby']}
            aria-invalid={named['aria-invalid']}
            value={chosen}
            onChange={({ currentTarget: { value } }) => {
              const first = fields.find((one) => one.name === value);
              put(path, first && ({ field: value, ...firstTest(first) } as Json), name);
            }}
          >
            <option value="">{always}</option>
            {isGone && <option value={chosen}>{chosen} (no such field)</option>}
            <Options of={fields.map((one) => [one.name, `If ${inWords(one)}`])} />
          </select>
          {isMap(condition) && <TestOf path={path} name={name} condition={condition} field={field} />}
        </div>
      )}
    </Frame>
  );
}

/** The tests that a condition of these keys makes. */
const testOf = (condition: { readonly [key: string]: Json }): Test => {
  if ('is' in condition) return 'is';
  if ('is_not' in condition) return 'is_not';
  return condition.filled === false ? 'empty' : 'filled';
};

const firstTest = ({ type, options }: Field): { readonly [key: string]: Json } =>
  options[0] === undefined || type === 'grid' ? { filled: true } : { is: options[0].value };

function whyAsText(condition: Json | undefined): string | undefined {
  if (condition === undefined) return undefined;
  if (!isMap(condition)) return 'This is not a condition yet.';
  const keys = Object.keys(condition).filter((key) => key !== 'field');
  const isKnown = keys.every((key) => ['is', 'is_not', 'filled'].includes(key));
  const isFlat = keys.every((key) => [condition[key]].flat().every((one) => isScalar(one as Json)));
  return keys.length > 1 || !isKnown || !isFlat ? 'The condition has more than one test.' : undefined;
}

interface TestProps {
  readonly path: Path;
  readonly name: string;
  readonly condition: { readonly [key: string]: Json };
  readonly field: Field | undefined;
}

function TestOf({ path, name, condition, field }: TestProps) {
  const test = testOf(condition);
  const isListed = test === 'is' || test === 'is_not';
  const values = isListed ? [condition[test] ?? []].flat().map(String) : [];
  const changeTest = (to: Test) => {
    const tested = { field: condition.field ?? '' };
    const next: Json =
      to === 'filled' || to === 'empty'
        ? { ...tested, filled: to === 'filled' }
        : { ...tested, [to]: asOne(values.length > 0 ? values : [field?.options[0]?.value ?? '']) };
    act({ do: 'set', path, value: next }, `Changed ${name}`);
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
        <Options of={Object.entries(tests)} />
      </select>
      {isListed &&
        (field && field.options.length > 0 ? (
          <span class="set-boxes">
            {field.options.map(({ value, label }) => (
              <label key={value} data-value={value}>
                <input
                  type="checkbox"
                  checked={values.includes(value)}
                  disabled={values.length === 1 && values[0] === value}
                  onChange={({ currentTarget: { checked } }) =>
                    setValues(checked ? [...values, value] : values.filter((one) => one !== value))
                  }
                />
                {label}
              </label>
            ))}
          </span>
        ) : (
          <ValuesInput of={`${name}: value`} values={values} write={setValues} />
        ))}
    </>
  );
}

const asOne = (values: readonly string[]): Json => (values.length === 1 ? (values[0] ?? '') : values);

interface ValuesProps {
  readonly of: string;
  readonly values: readonly string[];
  readonly write: (values: readonly string[]) => void;
}

/** A value, or several with commas between them. */
function ValuesInput({ of, values, write }: ValuesProps) {
  const draft = useDraft(values.join(', '), (text) =>
    write(
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    ),
  );
  return <TextInput draft={draft} aria-label={of} hint="A value, or several with commas" />;
}
