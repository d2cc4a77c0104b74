/** Controls made from the config's schema, for the map at a path. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json, Path } from '../../../edit/model.ts';
import { ProblemList } from '../../code/problems.tsx';
import { isScalar, words } from '../../fields_in.ts';
import { type Key, keysAt, nodeAt, type SchemaNode } from '../../relay.ts';
import { isByLanguage, isMap, listOf } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { decides } from '../fields/picture.tsx';
import { ConditionEditor, nextTest } from './condition.tsx';
import {
  BooleanControl,
  ChoiceControl,
  ColourControl,
  type ControlProps,
  NumberControl,
  named,
  TextControl,
} from './controls.tsx';
import { change } from './draft.ts';
import { AsText, Frame, Help, OtherKinds, ProblemCount, TextOnly } from './frame.tsx';
import { FieldControl, ThroughControl } from './other_parts.tsx';
import {
  emptiest,
  fieldsOf,
  held,
  holdsTemplates,
  holdsTexts,
  isFlat,
  isPending,
  pathText,
  problemsAt,
  problemsWithin,
  typesOf,
} from './places.ts';
import { ListControl, MapControl, RemoveButton } from './rows.tsx';
import './settings.css';

export interface SettingsProps {
  readonly path: Path;
  /** Only these keys. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  /** These come first, set or not. */
  readonly first?: readonly string[];
  /** Other labels than the keys in words. */
  readonly labels?: Readonly<Record<string, string>>;
  /** In place of what the schema makes of a key. */
  readonly controls?: Controls;
}

type Controls = Readonly<Record<string, (props: ControlProps) => ComponentChildren>>;

/** Keys that are set or needed come first. A key that gets its value below "More settings" stays there while that is open. */
export function Settings({
  path,
  only,
  without = [],
  first = [],
  labels = {},
  controls = {},
}: SettingsProps) {
  const shown = useRef(new Set<string>());
  const details = useRef<HTMLDetailsElement>(null);
  const why = config.value.whyText(path);
  if (why !== undefined) return <AsText path={path} why={why} />;
  const keys = keysAt(path, config.value.value).filter(
    ({ name }) => (only?.includes(name) ?? true) && !without.includes(name),
  );
  for (const { name, isRequired } of keys) {
    const isUpFront = isRequired || first.includes(name);
    const isSet = held([...path, name]) !== undefined || problemsWithin([...path, name]).length > 0;
    if (isUpFront || (isSet && !details.current?.open)) shown.current.add(name);
  }
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const upFront = keys
    .filter(({ name }) => shown.current.has(name))
    .toSorted((one, other) => place(one.name) - place(other.name));
  const others = keys.filter(({ name }) => !shown.current.has(name));
  return (
    <div class="settings">
      {upFront.map((key) => (
        <Control
          key={key.name}
          path={[...path, key.name]}
          schemaKey={key}
          label={labels[key.name]}
          own={controls[key.name]}
        />
      ))}
      {others.length > 0 && (
        <details class="set-others" ref={details}>
          <summary>
            More settings <span class="set-count">{others.length}</span>
          </summary>
          <Others path={path} keys={others} labels={labels} />
        </details>
      )}
    </div>
  );
}

function Others({
  path,
  keys,
  labels,
}: {
  path: Path;
  keys: readonly Key[];
  labels: SettingsProps['labels'];
}) {
  const [sought, setSought] = useState('');
  const matches = (key: Key) =>
    `${key.name} ${labels?.[key.name] ?? words(key.name)} ${key.description}`
      .toLowerCase()
      .includes(sought.trim().toLowerCase());
  const found = keys.filter(matches);
  return (
    <div>
      {keys.length > 5 && (
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={sought}
          onInput={({ currentTarget: { value } }) => setSought(value)}
        />
      )}
      {found.map((key) => (
        <Control key={key.name} path={[...path, key.name]} schemaKey={key} label={labels?.[key.name]} />
      ))}
      {found.length === 0 && <p class="set-help">No setting has this in its name or text.</p>}
    </div>
  );
}

/** The control that fits a key's kind. */
export function Control({
  path,
  schemaKey: key,
  label,
  own,
}: {
  path: Path;
  schemaKey: Key;
  label?: string | undefined;
  own?: Controls[string] | undefined;
}) {
  const { description, isRequired, placeholder } = key;
  const props: ControlProps = {
    path,
    help: description,
    isRequired,
    ...(label !== undefined && { label }),
    ...(key.default !== undefined && { fallback: key.default }),
    ...(placeholder !== undefined && { placeholder }),
  };
  const why = config.value.whyText(path);
  if (why !== undefined) return <TextOnly {...props} why={why} />;
  if (own) return own(props);
  const value = held(path);
  if (/(^|_)when$/.test(key.name) && (value === undefined || isMap(value)))
    return <ConditionEditor {...props} />;
  if (path.length === 4 && /^(by|to)$/.test(key.name)) return <FieldControl {...props} />;
  if (path.length === 4 && key.name === 'through')
    return (
      <ThroughControl {...props}>
        <Settings path={path} without={['type']} first={['host', 'from', 'username', 'password']} />
      </ThroughControl>
    );
  // A visitor's words have no place in a secret.
  const isTemplate = /template(?! without)/.test(key.kindName) && !/secret|password|username/.test(key.name);
  switch (key.kind) {
    case 'choice':
      return <ChoiceControl {...props} {...named(path)} />;
    case 'boolean':
      return <BooleanControl {...props} />;
    case 'list':
      return isFlat(value) && holdsTexts(key.node) ? (
        <ListControl {...props} {...named([...path, 0])} />
      ) : (
        <Items {...props} />
      );
    case 'map':
      return <OfMap {...props} node={key.node} isTemplate={isTemplate || holdsTemplates(key.node)} />;
    case 'any':
      return <OfAny {...props} node={key.node} isTemplate={isTemplate} />;
    default:
      if (key.kindName === 'colour') return <ColourControl {...props} />;
      if (value !== undefined && value !== null && !isScalar(value) && !isByLanguage(key.node))
        return <TextOnly {...props} />;
      return (
        <TextControl
          {...props}
          isTemplate={isTemplate}
          isNumber={key.kind === 'number'}
          isByLanguage={isByLanguage(key.node)}
          isLong={/^(.*text|footer|note|body|confirmation|.*message)$/.test(key.name)}
        />
      );
  }
}

type OfProps = ControlProps & { readonly node: SchemaNode; readonly isTemplate: boolean };

/** Keys of its own, or names that the owner chooses. */
function OfMap({ node, isTemplate, ...props }: OfProps) {
  const { path } = props;
  const value = held(path);
  if (value !== undefined && value !== null && !isMap(value)) return <TextOnly {...props} />;
  if (keysAt(path, config.value.value).length > 0) return <Nested {...props} />;
  const isDeep = isMap(value) && Object.values(value).some((one) => one !== null && !isScalar(one));
  return isDeep || typeof node.additionalProperties !== 'object' ? (
    <OfAny {...props} node={node} isTemplate={isTemplate} />
  ) : (
    <MapControl {...props} isTemplate={isTemplate} />
  );
}

/** By the value that is there, else by the simplest that could be. */
function OfAny({ node, isTemplate, ...props }: OfProps) {
  const { path } = props;
  const value = held(path) ?? undefined;
  const types = typesOf(nodeAt(path, config.value.value) ?? node).concat(typesOf(node));
  if (types.includes('boolean') && !types.includes('array')) return <FlagControl {...props} />;
  if (isMap(value))
    return keysAt(path, config.value.value).length > 0 ? <Nested {...props} /> : <TextOnly {...props} />;
  if (holdsTexts(node) && isFlat(value))
    return (
      <ListControl
        {...props}
        isTemplate={isTemplate}
        others={types.includes('object') && <OtherKinds path={path} />}
      />
    );
  if (Array.isArray(value)) return <TextOnly {...props} />;
  const all = named(path);
  if (all.choices.length > 0 && (value === undefined || all.choices.includes(value)))
    return <ChoiceControl {...props} {...all} />;
  if (typeof value === 'number' || (value === undefined && /integer|number/.test(types[0] ?? ''))) {
    return <NumberControl {...props} />;
  }
  if (value !== undefined || types.includes('string'))
    return (
      <TextControl
        {...props}
        isTemplate={isTemplate}
        others={types.includes('array') && <OtherKinds path={path} />}
      />
    );
  return <TextOnly {...props} />;
}

/** A box to tick, and once it is ticked, the settings that may stand instead of `true`. */
function FlagControl(props: ControlProps) {
  const { path, label = words(String(path.at(-1))) } = props;
  const isOn = !/^(undefined|null|false)$/i.test(String(held(path)));
  return (
    <>
      <BooleanControl {...props} />
      {isOn && keysAt(path, config.value.value).length > 0 && (
        <Nested path={path} label={`${label}: settings`} />
      )}
    </>
  );
}

/** A map inside a map. Few keys need no fold of their own. */
function Nested({ isNew = false, ...props }: ControlProps & { readonly isNew?: boolean }) {
  const { path, help = '', label = words(String(path.at(-1))) } = props;
  const keys = keysAt(path, config.value.value).map(({ name }) => name);
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
          <Settings path={path} first={keys.length > 3 ? usualIn(path) : keys} />
        </>
      )}
    </details>
  );
}

/** The keys of a large block that most people set. */
const usualIn = (path: Path): readonly string[] =>
  path.at(-1) === 'look' ? ['name', 'logo', 'cover', 'accent', 'corner', 'font', 'mode', 'footer'] : [];

/** A list of maps: settings for each. */
function Items(props: ControlProps) {
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
                <Nested path={[...path, index]} label={`${name} ${index + 1}`} isNew={index === added} />
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
