/** Controls for nested blocks: a map, a list of maps, a flag with settings, a mail server. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isMap, type Json, listOf, mapOf, type Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { words } from '../../schema_nodes.ts';
import { decides } from '../fields/palette.tsx';
import { nextTest } from './condition.tsx';
import { BooleanControl, type ControlProps, nameOf, put, Select } from './controls.tsx';
import { change } from './draft.ts';
import { AsText, Frame, Help, ProblemCount } from './frame.tsx';
import {
  emptiest,
  fieldsOf,
  held,
  isPending,
  keysHere,
  pathText,
  problemsAt,
  problemsWithin,
} from './places.ts';
import { RemoveButton } from './rows.tsx';

interface BlockProps extends ControlProps {
  /** Renders the settings of the block at a path. */
  readonly inside: (path: Path) => ComponentChildren;
}

/** A nested map in a collapsible section. */
export function Nested({ isNew = false, inside, ...props }: BlockProps & { readonly isNew?: boolean }) {
  const { path, help = '', label = words(String(path.at(-1))) } = props;
  const [isOpen, setOpen] = useState(isNew);
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isNew) fold.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, []);
  return (
    <details
      class="set-nested"
      data-path={pathText(path)}
      ref={fold}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => setOpen(open)}
    >
      <summary>
        {label} <code class="set-key">{path.at(-1)}</code>
        {isPending(path) ? (
          <span class="set-isset">not in the config yet</span>
        ) : (
          held(path) !== undefined && <span class="set-isset">set</span>
        )}
        <ProblemCount of={problemsWithin(path)} />
      </summary>
      {isOpen && (
        <>
          <ProblemList problems={problemsAt(path)} />
          {help && <Help text={help} of={label} />}
          {inside(path)}
        </>
      )}
    </details>
  );
}

/** A list of maps, with settings for each. */
export function Items({ inside, ...props }: BlockProps) {
  const { path } = props;
  const name = props.label ?? words(String(path.at(-1)));
  const items = listOf(held(path));
  const [added, setAdded] = useState<number>();
  const remove = (index: number) => {
    setAdded(undefined);
    change(
      { do: 'remove', path: items.length > 1 ? [...path, index] : emptiest(path) },
      `Removed ${name} ${index + 1}`,
    );
  };
  const add = () => {
    const value = startOfItem(path, items);
    setAdded(items.length);
    change({ do: 'insert', path, index: items.length, value }, `Added to ${name}`);
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          {items.map((item, index) =>
            isMap(item) ? (
              <div key={index} class="set-row">
                <Nested
                  path={[...path, index]}
                  label={`${name} ${index + 1}`}
                  isNew={index === added}
                  inside={inside}
                />
                <RemoveButton of={`${name} ${index + 1}`} onClick={() => remove(index)} />
              </div>
            ) : (
              <AsText key={index} path={[...path, index]} />
            ),
          )}
          <button type="button" onClick={add}>
            Add to {name}
          </button>
          {held(path) !== undefined && !Array.isArray(held(path)) && <AsText path={path} />}
        </>
      )}
    </Frame>
  );
}

/** A new item starts with a condition derived from the items above it. */
function startOfItem(path: Path, items: readonly Json[]): Json {
  const has = keysHere([...path, items.length]).some(({ name }) => name === 'when');
  const fields = fieldsOf(path).filter(decides);
  const above = items.map((item) => mapOf(item).when);
  return has && fields.length > 0 ? { when: nextTest(fields, above) } : {};
}

/** A checkbox; when checked, shows settings that can replace `true`. */
export function FlagControl({ inside, ...props }: BlockProps) {
  const { path, label = words(String(path.at(-1))) } = props;
  const isOn = !/^(undefined|null|false)$/i.test(String(held(path)));
  return (
    <>
      <BooleanControl {...props} />
      {isOn && keysHere(path).length > 0 && (
        <Nested path={path} label={`${label}: settings`} inside={inside} />
      )}
    </>
  );
}

/** The server that sends mails to visitors; its settings are the children. */
export function ThroughControl({ children, ...props }: ControlProps & { children: ComponentChildren }) {
  const { path } = props;
  const stored = held(path) ?? undefined;
  const own = { smtp: 'A mail server of its own', email: 'The mail server of the environment' };
  const example = { host: 'smtp.example.com', from: 'website@example.com' };
  return (
    <>
      <Frame {...props}>
        {(named) => (
          <Select
            {...named}
            choices={Object.keys(own)}
            inWords={own}
            value={isMap(stored) ? stored.type : stored}
            empty="The first output that sends mails"
            onPick={(value) =>
              put(path, value && { type: value, ...(value === 'smtp' && example) }, nameOf(props))
            }
          />
        )}
      </Frame>
      {isMap(stored) && children}
    </>
  );
}
