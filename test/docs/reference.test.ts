/** Each key in docs/reference.md has a valid example, unless its kind or its keys say everything. */
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { oauth2Grants } from '../../packages/more-outputs/src/oauth2_keys.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';
import { Diagnostics, Report } from '../../packages/schema/src/diagnostics.ts';
import {
  type JsonSchema,
  jsonSchemaOf,
  type Properties,
  type Property,
} from '../../packages/schema/src/schema.ts';
import { signalTypes } from '../../packages/spam/src/signals/index.ts';
import { read } from './papers.ts';

interface Key extends Property<unknown> {
  readonly name: string;
}

const shown = /(?:: |such as |usually |often |or |\()(?:`` (.+?) ``|`([^`]+)`|“([^”]+)”)/g;
const examplesIn = (doc: string) =>
  [...doc.matchAll(shown)].map(([, ...spans]) => spans.find((one) => one !== undefined) ?? '');

/** Keys whose values have headings of their own in the reference. */
const withHeading = new Set(['fields', 'outputs', 'through', 'provider', 'type']);

function* keysIn(properties: Properties, around: string): Iterable<Key> {
  for (const [key, property] of Object.entries(properties)) {
    const name = `${around} ${key}`;
    if (!withHeading.has(key)) yield { ...property, name };
    // An example of a list of maps shows their keys.
    if (jsonSchemaOf(property.schema).items && examplesIn(property.doc).length > 0) continue;
    const { properties: held = {}, kinds = new Map<string, Properties>() } = property.schema;
    for (const inner of [held, ...kinds.values()]) yield* keysIn(inner, name);
  }
}

const registry = await bundledRegistry();
const all = registry.plugins.flatMap(
  ({ fields = [], outputs = [], signals = [], fieldExtensions = [], outputExtensions = [] }) => [
    ...[...fields, ...outputs].map(({ type, keys }) => [type, keys] as const),
    ...signals.map(({ name, keys = {} }) => [name, keys] as const),
    ...[...fieldExtensions, ...outputExtensions].map(({ keys }) => ['all', keys] as const),
  ],
);
const keys = [
  ['config', registry.config.properties ?? {}] as const,
  ['form', registry.form.properties ?? {}] as const,
  ...all,
  ...[...oauth2Grants, ...signalTypes].map(({ name, keys }) => [name, keys] as const),
].flatMap(([name, properties]) => [...keysIn(properties, name)]);

/** Kinds that the page explains, with an example. */
const explained = new Map(
  [...read('docs/reference.md').matchAll(/\*\*([\w -]+):\*\* (?:`([^`]+)`)?/g)].map(
    ([, kind = '', example]) => [kind, example] as const,
  ),
);

/** Whether a key needs no example: it has choices, a number, an explained kind, or documented keys. */
function isPlain({ title = '', type, ...json }: JsonSchema): boolean {
  if (json.enum || json.const !== undefined || json.properties || json.allOf || json.anyOf?.some(isPlain))
    return true;
  if (json.items && (json.items.properties || json.items.allOf)) return true;
  if (typeof json.additionalProperties === 'object' && json.additionalProperties.properties) return true;
  return (
    /^(true or false|(whole )?number.*|rate|template.*)$/.test(title) ||
    explained.has(title) ||
    type === 'boolean'
  );
}

const schemaIsText = (schema: Key['schema']) => [jsonSchemaOf(schema).type].flat().includes('string');

function isTaken({ schema }: Key, example: string): boolean {
  const value =
    /^[[{].*[\]}]$/.test(example) && !schemaIsText(schema)
      ? load(example, { schema: FAILSAFE_SCHEMA })
      : example;
  const at = new Diagnostics([], new Report(value));
  return schema(value, at) !== undefined && !at.isWrong;
}

test('each key has a valid example', () => {
  expect(keys.length).toBeGreaterThan(300);
  const lacking = keys.filter(
    (key) =>
      key.fallback === undefined &&
      !isPlain(jsonSchemaOf(key.schema)) &&
      !examplesIn(key.doc).some((example) => isTaken(key, example)),
  );
  expect([...new Set(lacking.map(({ name, doc }) => `${name}: ${doc}`))]).toEqual([]);
});

test('the examples of kinds match their kind', () => {
  for (const [kind, example] of explained) {
    const some = keys.filter(({ schema }) => jsonSchemaOf(schema).title === kind);
    if (example !== undefined && some.length > 0)
      expect([kind, some.some((key) => isTaken(key, example))]).toEqual([kind, true]);
  }
});
