/** Controls made from the config's schema, for the map at a path. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Path } from '../../../edit/model.ts';
import { type Key, keysAt, nodeAt, type SchemaNode } from '../../relay.ts';
import { isByLanguage, isMap, isScalar, words } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { requiring } from '../fields/form_model.ts';
import { FlagControl, Items, Nested, ThroughControl } from './blocks.tsx';
import { ConditionEditor } from './condition.tsx';
import {
  BooleanControl,
  ChoiceControl,
  ColourControl,
  type ControlProps,
  NumberControl,
  TextControl,
} from './controls.tsx';
import { AsText, OtherKinds, TextOnly } from './frame.tsx';
import {
  fieldsOf,
  held,
  holdsTemplates,
  holdsTexts,
  isFlat,
  named,
  problemsWithin,
  typesOf,
} from './places.ts';
import { ListControl, MapControl } from './rows.tsx';
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
      {found.length === 0 && <p class="set-help">No setting matches.</p>}
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
        <Items {...props} inside={inside} />
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
  if (keysAt(path, config.value.value).length > 0) return <Nested {...props} inside={inside} />;
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
  if (types.includes('boolean') && !types.includes('array'))
    return <FlagControl {...props} inside={inside} />;
  if (isMap(value))
    return keysAt(path, config.value.value).length > 0 ? (
      <Nested {...props} inside={inside} />
    ) : (
      <TextOnly {...props} />
    );
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

/** The field by whose value each is taken once, or whose address gets a mail. */
function FieldControl(props: ControlProps) {
  const { path } = props;
  const isAddress = path.at(-1) === 'to';
  const fields = fieldsOf(path).filter(({ type }) => (isAddress ? type === 'email' : type !== 'file'));
  return (
    <ChoiceControl
      {...props}
      choices={fields.map(({ name }) => name)}
      also={(value) =>
        isAddress && path[2] !== 'double_opt_in' ? [] : requiring(path.slice(0, 2), value, config.value.value)
      }
    />
  );
}

/** The settings of a block inside another one. Few keys need no fold of their own. */
function inside(path: Path) {
  const keys = keysAt(path, config.value.value).map(({ name }) => name);
  return <Settings path={path} first={keys.length > 3 ? usualIn(path) : keys} />;
}

/** The keys of a large block that most people set. */
const usualIn = (path: Path): readonly string[] =>
  path.at(-1) === 'look' ? ['name', 'logo', 'cover', 'accent', 'corner', 'font', 'mode', 'footer'] : [];
