/** The initial value of a field: text, or some of its options. */
import type { Path } from '../../../edit/index.ts';
import { ChoiceControl, type ControlProps, named, nameOf, put, TextControl } from './controls.tsx';
import { change } from './draft.ts';
import { Frame } from './frame.tsx';
import { type Field, fieldOf, held } from './places.ts';

export const isInitialValue = (path: Path): boolean =>
  path[0] === 'forms' && path.at(-3) === 'fields' && path.at(-1) === 'value';

export function InitialValue(props: ControlProps) {
  const { path } = props;
  const [field] = fieldOf(held(path.slice(0, -1)) ?? null);
  const options = field?.options ?? [];
  if (field?.type === 'checkboxes' || Array.isArray(held(path)))
    return <Boxes {...props} options={options} />;
  if (field?.type === 'country')
    return <ChoiceControl {...props} {...named([...path.slice(0, -1), 'countries', 0])} />;
  if (options.length === 0) return <TextControl {...props} />;
  return (
    <ChoiceControl
      {...props}
      choices={options.map(({ value }) => value)}
      inWords={Object.fromEntries(options.map(({ value, label }) => [value, label]))}
    />
  );
}

function Boxes({ options, ...props }: ControlProps & Pick<Field, 'options'>) {
  const { path } = props;
  const ticked = [held(path) ?? []].flat().map(String);
  const tick = (value: string, isOn: boolean) => {
    const next = options
      .map((one) => one.value)
      .filter((one) => (one === value ? isOn : ticked.includes(one)));
    if (next.length === 0) put(path, undefined, nameOf(props));
    else change({ do: 'set', path, value: next }, `Changed ${nameOf(props)}`);
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <span class="set-boxes">
          {options.map(({ value, label }) => (
            <label key={value} data-value={value}>
              <input
                type="checkbox"
                checked={ticked.includes(value)}
                onChange={({ currentTarget: { checked } }) => tick(value, checked)}
              />
              {label}
            </label>
          ))}
        </span>
      )}
    </Frame>
  );
}
