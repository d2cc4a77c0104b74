/** Controls for blocks inside blocks: a map, a list of maps, a flag with settings, a mail server. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json, Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { keysAt } from '../../relay.ts';
import { isMap, listOf, words } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { decides } from '../fields/palette.tsx';
import { nextTest } from './condition.tsx';
import { BooleanControl, type ControlProps, nameOf, put, Select } from './controls.tsx';
import { change } from './draft.ts';
import { AsText, Frame, Help, ProblemCount } from './frame.tsx';
import { emptiest, fieldsOf, held, isPending, pathText, problemsAt, problemsWithin } from './places.ts';
import { RemoveButton } from './rows.tsx';

interface BlockProps extends ControlProps {
  /** The settings of the block at a path. */
  readonly inside: (path: Path) => ComponentChildren;
}

/** A map inside a map, in a fold. */
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

/** A list of maps: settings for each. */
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

/** A new item begins with a condition that follows from those above it. */
function startOfItem(path: Path, items: readonly Json[]): Json {
  const has = keysAt([...path, items.length], config.value.value).some(({ name }) => name === 'when');
  const fields = fieldsOf(path).filter(decides);
  return has && fields.length > 0
    ? {
        when: nextTest(
          fields,
          items.map((item) => (isMap(item) ? item.when : undefined)),
        ),
      }
    : {};
}

/** A box to tick, and once it is ticked, the settings that may stand instead of `true`. */
export function FlagControl({ inside, ...props }: BlockProps) {
  const { path, label = words(String(path.at(-1))) } = props;
  const isOn = !/^(undefined|null|false)$/i.test(String(held(path)));
  return (
    <>
      <BooleanControl {...props} />
      {isOn && keysAt(path, config.value.value).length > 0 && (
        <Nested path={path} label={`${label}: settings`} inside={inside} />
      )}
    </>
  );
}

/** The server that carries a mail to visitors, whose settings are the children. */
export function ThroughControl({
  children,
  ...props
}: ControlProps & { readonly children: ComponentChildren }) {
  const { path } = props;
  const stored = held(path) ?? undefined;
  const own = { smtp: 'A mail server of its own', email: 'The mail server of the environment' };
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
              put(
                path,
                value && {
                  type: value,
                  ...(value === 'smtp' && { host: 'smtp.example.com', from: 'website@example.com' }),
                },
                nameOf(props),
              )
            }
          />
        )}
      </Frame>
      {isMap(stored) && children}
    </>
  );
}
