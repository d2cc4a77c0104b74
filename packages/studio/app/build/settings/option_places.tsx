/** How often each option can be chosen: a number beside each option of the form. */
import { ProblemList } from '../../problem.tsx';
import { isMap } from '../../schema_nodes.ts';
import { countsOptions } from '../fields/picture.tsx';
import { type ControlProps, NumberControl } from './controls.tsx';
import { AsText, Frame } from './frame.tsx';
import { fieldsOf, held, pathText, problemsWithin } from './places.ts';

export function OptionPlaces(props: ControlProps) {
  const { path } = props;
  const stored = held(path);
  const fields = fieldsOf(path).filter(({ type }) => countsOptions(type));
  const isKnown = (name: string, values: object) =>
    Object.keys(values).every((value) =>
      fields.some((field) => field.name === name && field.options.some((option) => option.value === value)),
    );
  const isWhole = isMap(stored)
    ? Object.entries(stored).every(([name, values]) => isMap(values) && isKnown(name, values))
    : (stored ?? undefined) === undefined;
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          {fields.length === 0 && <p class="set-help">The form has no field with options.</p>}
          {fields.flatMap(({ name, label, options }) =>
            options.map((option) => (
              <NumberControl
                key={`${name} ${option.value}`}
                path={[...path, name, option.value]}
                label={`${label}: ${option.label}`}
                placeholder="not counted"
                hidesKey
              />
            )),
          )}
          {!isWhole && (
            <>
              <ProblemList problems={problemsWithin(path).filter((one) => one.path !== pathText(path))} />
              <AsText path={path} />
            </>
          )}
        </>
      )}
    </Frame>
  );
}
