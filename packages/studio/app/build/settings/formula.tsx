/** A formula, or several of which the first counts whose condition holds. */
import type { Json, Path } from '../../../edit/index.ts';
import { isMap } from '../../schema_nodes.ts';
import { ConditionEditor } from './condition.tsx';
import { type ControlProps, nameOf, put, TextControl } from './controls.tsx';
import { change, focusWithin } from './draft.ts';
import { Entry } from './entry.tsx';
import { AsText, Frame } from './frame.tsx';
import { fieldsOf, held } from './places.ts';

export function FormulaControl(props: ControlProps) {
  const { path } = props;
  const stored = held(path);
  const deciding = decidingFor(path);
  if (Array.isArray(stored)) return <Cases {...props} cases={stored} />;
  const split = () => {
    const value = stored ?? '';
    const when = { field: deciding ?? '', filled: true };
    if (change({ do: 'set', path, value: [{ when, value }, { value }] }, `${nameOf(props)} by conditions`))
      focusWithin(path);
  };
  return (
    <TextControl
      {...props}
      isFormula
      others={
        deciding !== undefined && (
          <p>
            <button type="button" onClick={split}>
              Another formula under a condition
            </button>
          </p>
        )
      }
    />
  );
}

/** The field itself, which cannot decide. */
const ownName = (path: Path): string => String(held([...path.slice(0, -1), 'name']) ?? '');
const decidingFor = (path: Path) => fieldsOf(path).find(({ name }) => name !== ownName(path))?.name;

function Cases({ cases, ...props }: ControlProps & { readonly cases: readonly Json[] }) {
  const { path } = props;
  const last = cases.at(-1);
  const isClosed = isMap(last) && (last.when ?? undefined) === undefined;
  const add = () => {
    const value = isMap(last) ? (last.value ?? '') : '';
    const when = { field: decidingFor(path) ?? '', filled: true };
    // The last formula holds without a condition.
    const index = cases.length - (isClosed ? 1 : 0);
    change({ do: 'insert', path, index, value: { when, value } }, 'Added a case');
  };
  const remove = (index: number) => {
    const [left, ...others] = cases.filter((_, at) => at !== index);
    // A formula that is left alone needs no cases, unless it has a condition.
    const isAlone = others.length === 0 && (!isMap(left) || (left.when ?? undefined) === undefined);
    if (isAlone) {
      if (put(path, isMap(left) ? left.value : undefined, nameOf(props), true)) focusWithin(path);
    } else change({ do: 'remove', path: [...path, index] }, `Removed case ${index + 1}`);
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          {cases.map((one, index) => {
            const name = `Case ${index + 1}`;
            const at = [...path, index];
            return (
              <Entry
                key={index}
                list={path}
                index={index}
                count={cases.length}
                canBeEmpty
                title={name}
                onRemove={() => remove(index)}
              >
                {isMap(one) ? (
                  <>
                    <ConditionEditor
                      path={[...at, 'when']}
                      label="Condition"
                      always="Otherwise"
                      without={[ownName(path)]}
                    />
                    <TextControl path={[...at, 'value']} label="Formula" isRequired isFormula />
                  </>
                ) : (
                  <AsText path={at} />
                )}
              </Entry>
            );
          })}
          <p>
            <button type="button" onClick={add}>
              Add a case
            </button>
          </p>
        </>
      )}
    </Frame>
  );
}
