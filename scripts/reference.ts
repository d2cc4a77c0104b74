/** Generates docs/reference.md from the schemas' descriptions and defaults. */
import { ownVariables } from '../packages/cli/src/environment.ts';
import { type FieldType, commonFieldKeys as fieldKeys } from '../packages/core/src/fields/field.ts';
import { commonOutputKeys as outputKeys } from '../packages/core/src/outputs/output.ts';
import { settingVariables } from '../packages/core/src/settings.ts';
import { grantKey, oauth2Grants } from '../packages/more-outputs/src/oauth2_keys.ts';
import { bundledRegistry } from '../packages/runtimes/src/inspect.ts';
import { object, type Properties } from '../packages/schema/src/kinds.ts';
import { type JsonSchema, jsonSchemaOf } from '../packages/schema/src/schema.ts';
import { functions, namedPaths, paths } from '../packages/schema/src/template/names.ts';
import { captchaProviders } from '../packages/spam/src/captcha/captcha.ts';
import { signalTypes } from '../packages/spam/src/signals/index.ts';
import { template } from './pages/template.ts';

const registry = await bundledRegistry();
const all = <T>(of: (plugin: (typeof registry.plugins)[number]) => readonly T[] | undefined) =>
  registry.plugins.flatMap((plugin) => of(plugin) ?? []);
const variables = [settingVariables, ownVariables, ...registry.plugins.map((one) => one.variables ?? {})]
  .flatMap((some) => Object.values(some))
  .map(({ name, doc, fallback }) => [
    code(name),
    linked(fallback ? `${doc} Default: ${code(fallback)}.` : doc),
  ]);

/** Keys that plug-ins add to all types, or to this one. */
const further = (
  extensions: readonly { readonly keys: Properties; readonly types?: readonly string[] }[],
  type?: string,
): Properties =>
  Object.assign(
    {},
    ...extensions
      .filter(({ types }) => (type === undefined ? !types : types?.includes(type)))
      .map(({ keys }) => keys),
  );
const fieldExtensions = all(({ fieldExtensions }) => fieldExtensions);
const outputExtensions = all(({ outputExtensions }) => outputExtensions);

const mapOf = (keys: Properties): JsonSchema => jsonSchemaOf(object(keys));
const form: JsonSchema = jsonSchemaOf(registry.form);

/** Keys shared by all captchas, and those specific to one. */
const kinds = [...(registry.form.properties?.captcha?.schema.kinds ?? [])];
const isCommon = ([key]: readonly [string, unknown]) => kinds.every(([, keys]) => Object.hasOwn(keys, key));
const captchaKeys = Object.fromEntries(Object.entries(kinds[0]?.[1] ?? {}).filter(isCommon));
const captchas = kinds
  .map(([name, keys]) => [name, Object.entries(keys).filter((one) => !isCommon(one))] as const)
  .filter(([, keys]) => keys.length > 0);

/** The map at a key of forms. */
function block(key: string): JsonSchema {
  const json = form.properties?.[key] ?? {};
  return [json, ...(json.anyOf ?? [])].find(({ properties }) => properties) ?? {};
}

/** The lists named in scripts/pages/reference.template; other names mean the map at that key of forms. */
const lists: Readonly<Record<string, (heading: string) => string>> = {
  variables: () => table(['Variable', 'Meaning'], variables),
  config: (heading) => keysList(jsonSchemaOf(registry.config), heading),
  form: (heading) => keysList(form, heading),
  fields: (heading) =>
    keysList(mapOf({ ...fieldKeys, ...further(fieldExtensions), ...ofOptions() }), heading),
  'field types': () => sections(all(({ fields }) => fields).map(fieldSection)),
  outputs: (heading) => keysList(mapOf({ ...outputKeys, ...further(outputExtensions) }), heading),
  'output types': () =>
    sections(
      all(({ outputs }) => outputs).map(({ type, summary, keys }) =>
        section(type, summary, { ...keys, ...further(outputExtensions, type) }),
      ),
    ),
  grant: (heading) => keysList(mapOf({ grant: grantKey }), heading),
  grants: () => sections(oauth2Grants.map(({ name, summary, keys }) => section(name, summary, keys))),
  signals: () =>
    sections(
      signalTypes
        .filter(({ keys }) => Object.keys(keys).length > 0)
        .map(({ name, keys }) => section(name, undefined, keys)),
    ),
  'more signals': () =>
    sections(
      all(({ signals }) => signals).map(({ name, summary, keys = {} }) => section(name, summary, keys)),
    ),
  captcha: (heading) => keysList(mapOf(captchaKeys), heading),
  'captcha providers': () =>
    listed(
      Object.entries(captchaProviders).map(([name, { summary, field }]) => ({
        name,
        summary: `${summary} Token field: ${code(field)}`,
      })),
    ),
  captchas: () =>
    sections(captchas.map(([name, keys]) => section(name, undefined, Object.fromEntries(keys)))),
  paths: () =>
    listed([...namedPaths.map(({ name, summary }) => ({ name: `${name}.<name>`, summary })), ...paths]),
  functions: () =>
    functions
      .map(({ name, parameters, result, summary }) => {
        const takes = parameters.map((parameter) => (parameter === 'literal' ? 'quoted text' : parameter));
        return `- ${code(name)} (${takes.join(', ')} → ${result}): ${summary}`;
      })
      .join('\n'),
};

const sections = (all: readonly string[]) => all.join('\n\n');
const listed = (all: readonly { readonly name: string; readonly summary: string }[]) =>
  all.map(({ name, summary }) => `- ${code(name)}: ${summary}`).join('\n');

export function reference(): string {
  placeOf.clear();
  let heading = '';
  return template('reference').replaceAll(/^##+ (.*)$|^@([\w ]+)@$/gm, (line, title, list) => {
    heading = title ?? heading;
    return title ? line : (lists[list] ?? (() => keysList(block(list), heading)))(heading);
  });
}

/** Keys that plug-ins add to entries of `options`. */
const ofOptions = (): Properties =>
  Object.fromEntries(
    fieldExtensions.flatMap(({ optionKeys = {} }) =>
      Object.entries(optionKeys).map(([key, property]) => [`options[].${key}`, property]),
    ),
  );

function fieldSection({ type, summary, keys }: FieldType): string {
  const changed = fieldExtensions.map(({ types, changeKeys }) => types?.includes(type) && changeKeys?.(keys));
  return section(
    type,
    type === 'text' ? `${summary} The default.` : summary,
    Object.assign({}, keys, ...changed, further(fieldExtensions, type)),
  );
}

function section(title: string, summary: string | undefined, keys: Properties): string {
  const list = keysList(mapOf(keys), title);
  return sections([`### ${title}`, linked(summary ?? ''), list].filter((part) => part !== ''));
}

/** Keys listed so far, with the heading of each. */
const placeOf = new Map<string, string>();

/** Keys that no earlier section describes the same way, and a line for each section that describes others. */
function keysList(map: JsonSchema, heading: string): string {
  const own: Key[] = [];
  const elsewhere = new Map<string, string[]>();
  for (const group of Object.values(groupsOf(map))) {
    const place = placeOf.get(JSON.stringify(group));
    if (place === undefined) {
      placeOf.set(JSON.stringify(group), heading);
      own.push(...group);
    } else elsewhere.set(place, [...(elsewhere.get(place) ?? []), group[0]?.name ?? '']);
  }
  const links = [...elsewhere].map(
    ([place, names]) => `in [${place}](#${anchorOf(place)}): ${names.join(', ')}`,
  );
  return [
    ...(own.length > 0 ? [own.map((key) => item(key.name, key.kind, key.description)).join('\n')] : []),
    ...(links.length > 0 ? [`As ${links.join('; ')}.`] : []),
  ].join('\n\n');
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

interface Key {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
}

/** Each key, followed by the keys of its map. */
const groupsOf = (map: JsonSchema): Readonly<Record<string, readonly Key[]>> =>
  Object.fromEntries(
    Object.entries(map.properties ?? {}).map(([key, value]) => [
      key,
      keysIn({ ...map, properties: { [key]: value } }),
    ]),
  );

/** A map's keys; each is followed by the keys of its own map, unless that map has a heading of its own. */
function keysIn({ properties = {}, required = [] }: JsonSchema, prefix = ''): readonly Key[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const demand = required.includes(key) ? '**required**' : unless(schema);
    const name = code(prefix + key);
    const kind = [shortKind(kindOf(schema)), demand].filter((part) => part !== '').join(', ');
    const description = linked(schema.description ?? '').replace(/, as `\{\{ env "NAME" \}\}`/, '');
    if (key in ownHeadings && !prefix.endsWith('[].'))
      return [{ name, kind, description: `${description} ${ownHeadings[key]}` }];
    const choices = [schema.items ?? {}, ...(schema.items?.anyOf ?? [])].flatMap((choice) =>
      keysIn(choice, `${prefix}${key}[].`),
    );
    // `resume: true`, or a map with keys.
    const held = schema.anyOf?.find(({ type, properties }) => type !== 'array' && properties) ?? schema;
    return [{ name, kind, description }, ...keysIn(held, `${prefix}${key}.`), ...choices];
  });
}

/** The default. For text and booleans, the page explains it once. */
function unless({ title, default: fallback }: JsonSchema): string {
  const isUsual = (fallback ?? '') === '' || (title === 'true or false' && `${fallback}` === 'false');
  return isUsual ? '' : `default ${code(fallback)}`;
}

/** Text is the default kind, which the page says once. */
function shortKind(kind: string): string {
  return kind
    .replace(/^(text|class names)$/, '')
    .replace('true or false', 'boolean')
    .replace('template without fields', 'fixed template')
    .replace(/^whole number/, 'integer')
    .replace(/ from (-?\d+) to (\d+)$/, ' $1–$2')
    .replace(/ of at least /, ' ≥ ')
    .replace(/ above /, ' > ');
}

/** Links to pages that a description names. */
function linked(description: string): string {
  return description
    .replaceAll(/\(docs\/([^()\s,]+)\)/g, '([guide]($1))')
    .replaceAll(/(?<=[( ])docs\/(([\w/-]+)\.md)/g, '[$2]($1)');
}

function item(name: string, kind: string, description: string): string {
  return `- ${name}${kind === '' ? '' : ` (${kind})`}: ${description}`;
}

/** Keys with their own heading in the template, which has the key's name, and two others. The key `form` is one of `classes`. */
const ownHeadings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...template('reference').matchAll(/^## (?!Form$)(.*)$/gm)].map(([, heading = '']) => [
      heading.toLowerCase().replaceAll(/[ -]/g, '_'),
      `See [${heading}](#${anchorOf(heading)}).`,
    ]),
  ),
  oauth2: 'See [OAuth 2.0](#oauth-20).',
  through: 'Keys of [smtp](#smtp) or [email](#email).',
};

function kindOf(schema: JsonSchema): string {
  const { enum: choices, const: word, title, type, anyOf, additionalProperties: values } = schema;
  if (title !== undefined) return title;
  if (anyOf) {
    const kinds = [...new Set(anyOf.map(kindOf))];
    return kinds.join(kinds.every((kind) => kind.startsWith('`')) ? '/' : ' or ');
  }
  if (choices) return choices.map(code).join('/');
  if (word !== undefined) return code(word);
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return 'list';
  if ([type].flat()[0] === 'string') return 'text';
  const ofValues = typeof values === 'object' ? (values.title ?? '') : '';
  return ofValues.startsWith('template') ? ofValues.replace('template', 'map of templates') : 'map';
}

function code(value: unknown): string {
  return value === undefined ? '' : `\`${value}\``;
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
