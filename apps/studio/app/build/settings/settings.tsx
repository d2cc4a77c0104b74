/** Controls for the map at a path, generated from the config's schema. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isMap, isScalar, mapOf, type Path } from '../../../edit/model.ts';
import { Search } from '../../inputs.tsx';
import { isByLanguage, type Key, nodeAt, type SchemaNode, words } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { requiring } from '../fields/form_model.ts';
import { FlagControl, Items, Nested, ThroughControl } from './blocks.tsx';
import { ConditionEditor } from './condition.tsx';
import { BooleanControl, ChoiceControl, ColourControl, type ControlProps, TextControl } from './controls.tsx';
import { AsText, OtherKinds, TextOnly } from './frame.tsx';
import {
  fieldsOf,
  held,
  holdsTemplates,
  holdsTexts,
  isFlat,
  keysHere,
  named,
  problemsWithin,
  typesOf,
} from './places.ts';
import { ListControl, MapControl } from './rows.tsx';
import './settings.css';

interface SettingsProps {
  readonly path: Path;
  /** Shows only these keys. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  /** Shows these first, whether or not they are set. */
  readonly first?: readonly string[];
  /** Labels to use instead of the keys. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Controls to use instead of the schema's. */
  readonly controls?: Controls;
}

type Controls = Readonly<Record<string, (props: ControlProps) => ComponentChildren>>;

/** Set or required keys come first. A key set under "More settings" stays there while it is open. */
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
  const keys = keysHere(path).filter(({ name }) => (only?.includes(name) ?? true) && !without.includes(name));
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
  const show = (key: Key) => (
    <Control
      key={key.name}
      path={[...path, key.name]}
      schemaKey={key}
      label={labels[key.name]}
      own={controls[key.name]}
    />
  );
  return (
    <div class="settings">
      {upFront.map(show)}
      {others.length > 0 && (
        <details class="set-others" ref={details}>
          <summary>
            More settings <span class="set-count">{others.length}</span>
          </summary>
          <Others keys={others} labels={labels} show={show} />
        </details>
      )}
    </div>
  );
}

interface OthersProps {
  readonly keys: readonly Key[];
  readonly labels: Readonly<Record<string, string>>;
  readonly show: (key: Key) => ComponentChildren;
}

function Others({ keys, labels, show }: OthersProps) {
  const [sought, setSought] = useState('');
  const found = keys.filter(({ name, description }) =>
    `${name} ${labels[name] ?? words(name)} ${description}`
      .toLowerCase()
      .includes(sought.trim().toLowerCase()),
  );
  return (
    <div>
      {keys.length > 5 && (
        <Search label="Search settings" placeholder="Search settings" value={sought} onType={setSought} />
      )}
      {found.map(show)}
      {found.length === 0 && <p class="set-help">No setting matches.</p>}
    </div>
  );
}

interface OneProps {
  readonly path: Path;
  readonly schemaKey: Key;
  readonly label: string | undefined;
  readonly own: Controls[string] | undefined;
}

/** The control for a key's kind. */
function Control({ path, schemaKey: key, label, own }: OneProps) {
  const { description: help, isRequired, placeholder, default: fallback } = key;
  const props: ControlProps = { path, help, isRequired, label, fallback, placeholder };
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
  // Visitors' texts do not belong in secrets.
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

/** A map with fixed keys, or with names that the owner chooses. */
function OfMap({ node, isTemplate, ...props }: OfProps) {
  const { path } = props;
  const value = held(path) ?? undefined;
  if (value !== undefined && !isMap(value)) return <TextOnly {...props} />;
  if (keysHere(path).length > 0) return <Nested {...props} inside={inside} />;
  const isDeep = Object.values(mapOf(value)).some((one) => one !== null && !isScalar(one));
  return isDeep || typeof node.additionalProperties !== 'object' ? (
    <OfAny {...props} node={node} isTemplate={isTemplate} />
  ) : (
    <MapControl {...props} isTemplate={isTemplate} />
  );
}

/** Decides by the current value, or else by the simplest possible one. */
function OfAny({ node, isTemplate, ...props }: OfProps) {
  const { path } = props;
  const value = held(path) ?? undefined;
  const types = typesOf(nodeAt(path, config.value.value) ?? node).concat(typesOf(node));
  if (types.includes('boolean') && !types.includes('array'))
    return <FlagControl {...props} inside={inside} />;
  if (isMap(value))
    return keysHere(path).length > 0 ? <Nested {...props} inside={inside} /> : <TextOnly {...props} />;
  const others = (type: string) => types.includes(type) && <OtherKinds path={path} />;
  if (holdsTexts(node) && isFlat(value)) return <ListControl {...props} others={others('object')} />;
  if (Array.isArray(value)) return <TextOnly {...props} />;
  const all = named(path);
  if (all.choices.length > 0 && (value === undefined || all.choices.includes(value)))
    return <ChoiceControl {...props} {...all} />;
  if (typeof value === 'number' || (value === undefined && /integer|number/.test(types[0] ?? '')))
    return <TextControl {...props} isNumber />;
  if (value !== undefined || types.includes('string'))
    return <TextControl {...props} isTemplate={isTemplate} others={others('array')} />;
  return <TextOnly {...props} />;
}

/** The field whose values are limited to one use each, or whose address receives a mail. */
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

/** A nested block's settings. A few keys need no collapsible section of their own. */
function inside(path: Path) {
  const keys = keysHere(path).map(({ name }) => name);
  return <Settings path={path} first={keys.length <= 3 ? keys : path.at(-1) === 'look' ? usualInLook : []} />;
}

const usualInLook = ['name', 'logo', 'cover', 'accent', 'corner', 'font', 'mode', 'footer'];
