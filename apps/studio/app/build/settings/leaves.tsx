/** JSON of any shape, such as the body of a webhook: a control for each text in it. */
import type { Json, Path } from '../../../edit/index.ts';
import { isMap } from '../../schema_nodes.ts';
import { ChoiceControl, NumberControl, TextControl } from './controls.tsx';
import { AsText, Frame, type FrameProps } from './frame.tsx';
import { fieldsOf, held, isScalar } from './places.ts';

/** The scalars below a path, with the paths of `{$field: NAME}`, which sends a field's value in its own type. */
export const leavesOf = (value: Json, path: Path): readonly Path[] => {
  if (isMap(value) && Object.keys(value).length === 1 && '$field' in value) return [[...path, '$field']];
  if (Array.isArray(value)) return value.flatMap((one: Json, index) => leavesOf(one, [...path, index]));
  if (isMap(value)) return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
  return [path];
};

const inWords = (path: Path): string =>
  path
    .filter((one) => one !== '$field')
    .map((one) => (typeof one === 'number' ? String(one + 1) : one))
    .join(' › ');

export function LeavesControl(props: FrameProps) {
  const { path } = props;
  const value = held(path);
  const leaves = value === undefined ? [] : leavesOf(value, path);
  return (
    <Frame {...props} isGroup>
      {() => (
        <div class="set-leaves">
          {leaves.map((leaf) => (
            <Leaf key={JSON.stringify(leaf)} path={leaf} label={inWords(leaf.slice(path.length))} />
          ))}
          <AsText path={path} why="Its structure." />
        </div>
      )}
    </Frame>
  );
}

function Leaf({ path, label }: { path: Path; label: string }) {
  const value = held(path);
  if (path.at(-1) === '$field') {
    const fields = fieldsOf(path).map(({ name }) => name);
    return <ChoiceControl path={path} label={label} choices={fields} isKept hidesKey />;
  }
  if (typeof value === 'boolean')
    return <ChoiceControl path={path} label={label} choices={[true, false]} isKept hidesKey />;
  if (typeof value === 'number') return <NumberControl path={path} label={label} isKept hidesKey />;
  return isScalar(value) ? (
    <TextControl path={path} label={label} isTemplate isKept hidesKey />
  ) : (
    <AsText path={path} />
  );
}
