/** The JSON Schema and the relay agree on types of values. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { memoized } from '../../packages/base/src/maybe_promise.ts';
import type { JsonSchema } from '../../packages/schema/src/schema.ts';
import { holds } from '../support/fuzz.ts';
import { mistakesIn } from '../support/parse_config.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Path = readonly (string | number)[];

const root: JsonSchema = JSON.parse(readFileSync('docs/webform.schema.json', 'utf8'));
const isValid = new Ajv().compile<Json>(root);

/** All alternatives of a schema, with references and conditions resolved. */
const shapes = memoized((node: JsonSchema): readonly JsonSchema[] => {
  const { $ref = '', anyOf, oneOf, allOf, if: _, then, else: other, ...own } = node;
  const referred = root.definitions?.[$ref.replace('#/definitions/', '')];
  const variants = allOf?.map((one) => one.then ?? one);
  return [referred && [referred], anyOf, oneOf, variants, then && other && [then, other]].reduce<
    readonly JsonSchema[]
  >(
    (all, more) => (more ? all.flatMap((one) => more.flatMap(shapes).map((two) => both(one, two))) : all),
    [own],
  );
});

function both(own: JsonSchema, one: JsonSchema): JsonSchema {
  const properties = { ...own.properties };
  for (const [key, below] of Object.entries(one.properties ?? {}))
    if (Object.keys(below).length > 0 || !(key in properties)) properties[key] = below;
  const required = [...new Set([...(own.required ?? []), ...(one.required ?? [])])];
  const isMap = own.properties || one.properties;
  return { ...own, ...one, ...(isMap && { properties, required }) };
}

const texts = 'x X https://a.example 10s 5MB 2030-01-01 5 true a@b.example s3://forms'.split(' ');
texts.push('1 per 1h', '#0f766e');

type Choose = <T>(among: readonly T[]) => T;
const first: Choose = ([one]) => one as never;

/** A value for the schema: the smallest one with `first`. */
function sample(node: JsonSchema, choose = first, depth = 0): Json {
  const shape = choose(shapes(node)) ?? {};
  const inner = (one: JsonSchema = {}) => sample(one, depth > 7 ? first : choose, depth + 1);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return choose(shape.enum);
  if (shape.type === 'array') return shape.minItems || choose([false, true]) ? [inner(shape.items)] : [];
  if (shape.type === 'null') return null;
  if (shape.type === 'boolean') return choose([true, false]);
  if (shape.type === 'number' || shape.type === 'integer') return shape.minimum ?? 1;
  if (shape.type !== 'object')
    return choose(texts.filter((one) => new RegExp(shape.pattern ?? '').test(one)));
  const { properties = {}, additionalProperties: others } = shape;
  const keys = Object.keys(properties).filter(
    (key) =>
      shape.required?.includes(key) ||
      shapes(properties[key] ?? {})[0]?.const ||
      choose([false, false, true]),
  );
  const map = Object.fromEntries(keys.map((key) => [key, inner(properties[key])]));
  return typeof others === 'object' ? { ...map, en: inner(others) } : map;
}

interface Place {
  readonly path: Path;
  readonly node: JsonSchema;
  /** A config with this value in that place. */
  configWith(value: Json): Json;
}

/** Every key, each in a minimal config. */
function* places(
  node: JsonSchema,
  path: Path,
  configWith: Place['configWith'],
  seen = new Set<string>(),
): Iterable<Place> {
  for (const shape of shapes(node)) {
    const text = JSON.stringify(shape);
    if (seen.has(text)) continue;
    seen.add(text);
    if (shape.items) yield* places(shape.items, [...path, 0], (value) => configWith([value]), seen);
    const others = typeof shape.additionalProperties === 'object' && { de: shape.additionalProperties };
    const around = shape.type === 'object' ? (sample(shape) as object) : {};
    for (const [key, below] of Object.entries({ ...shape.properties, ...others })) {
      const inMap = (value: Json) => configWith({ ...around, [key]: value });
      yield { path: [...path, key], node: below, configWith: inMap };
      yield* places(below, [...path, key], inMap, seen);
    }
  }
}

test('each key accepts the same types of values in editors and in the relay', async () => {
  const differences: string[] = [];
  const tried = new Set<string>();
  for (const { path, node, configWith } of places(root, [], (value) => value)) {
    const key = String(path.at(-1));
    const id = `${key} ${JSON.stringify(node)}`;
    if (tried.has(id) || !isValid(configWith(sample(node)))) continue;
    tried.add(id);
    for (const value of [true, 3, 1.5, 'x', null, [], {}]) {
      const config = configWith(value);
      const mistakes = await mistakesIn(JSON.stringify(config));
      const here = mistakes.filter((one) => path.every((step, index) => one.path[index] === step));
      const isOfKind = ({ path: at, message }: (typeof here)[0]) =>
        at.length === path.length && /^found/.test(message);
      const isRefused = !isValid(config);
      if (isRefused ? here.length === 0 : value !== 'x' && here.some(isOfKind))
        differences.push(`${key}: ${JSON.stringify(value)} ${isRefused ? 'in editors' : here[0]?.message}`);
    }
  }
  expect(tried.size).toBeGreaterThan(300);
  expect([...new Set(differences)].filter((one) => !exceptions.test(one))).toEqual([]);
});

/** An output of an unknown type loads. Some rules concern more than types. */
const exceptions =
  /^type: .* in editors$|found 3; expected at most the number|expected the name of a bucket|expected a month/;

test.each([
  ['range', 'step', '5', 'x'],
  ['number', 'min', 'été', '#'],
])('editors accept only numbers and names: %s, %s', (type, key, right, wrong) => {
  const configWith = (value: string) => ({
    forms: {
      a: {
        fields: [{ name: 'a', type, [key]: value }],
        outputs: [{ type: 'webhook', url: 'https://a.example' }],
      },
    },
  });
  expect([right, wrong].map((value) => isValid(configWith(value)))).toEqual([true, false]);
});

test('the relay accepts all types of values in a config that the schema accepts', async () => {
  const isOfKind =
    /^found (?!"5"|"1 per 1h"; expected a number).*; expected (text|true or false|a (list|map|URL|duration|size|(whole )?number))\b/;
  await holds(100, [fc.gen()], async (draw) => {
    const config = sample(root, (among) => among[draw(fc.nat, { max: among.length - 1 })] as never);
    fc.pre(isValid(config));
    const mistakes = await mistakesIn(JSON.stringify(config));
    expect(mistakes.filter(({ message }) => isOfKind.test(message))).toEqual([]);
  });
});
