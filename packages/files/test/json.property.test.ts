/** JSON bodies of any content and any bytes. */
import fc from 'fast-check';
import { holds, property } from '../../../test/support/fuzz.ts';
import type { ParsedBody } from '../../core/src/plugin.ts';
import { jsonReader } from '../src/json.ts';

const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n');
const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
  fc.constantFrom(...'"\\/:,{}[]1-', '\\"', 'true', '🙂', '\u2028', '\uFEFF'),
);
const text = fc
  .array(character, { maxLength: 5 })
  .map((all) => all.join(''))
  .filter((some) => !/[\ud800-\udfff]/u.test(some));
/** Text as JSON, with or without unnecessary escapes. */
const quoted = (some: string, isEscaped: boolean) =>
  isEscaped
    ? `"${[...Array(some.length).keys()].map((at) => `\\u${some.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(some);

/** A JSON source, and the text that it stands for; empty if it stands for no value. */
type Written = readonly [source: string, value: string];
const scalar: fc.Arbitrary<Written> = fc.oneof(
  fc.tuple(text, fc.boolean()).map(([some, isEscaped]): Written => [quoted(some, isEscaped), some]),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.constantFrom('', '.50', 'e5', 'E-400', '.0e+3'),
    )
    .map(([sign, digits, rest]): Written => [`${sign}${digits}${rest}`, `${sign}${digits}${rest}`]),
  fc.constantFrom<Written>(['true', 'true'], ['false', ''], ['null', '']),
);
type Member = readonly [source: string, values: readonly string[], isList: boolean];
const member: fc.Arbitrary<Member> = fc.oneof(
  scalar.map(([source, value]): Member => [source, [value], false]),
  fc
    .tuple(fc.array(scalar, { maxLength: 4 }), space)
    .map(
      ([all, gap]): Member => [
        `[${gap}${all.map(([source]) => source).join(`${gap},`)}${gap}]`,
        all.map(([, value]) => value),
        true,
      ],
    ),
);
const members = fc.array(
  fc.tuple(fc.oneof(text, fc.constantFrom('__proto__', '0', 'a')), fc.boolean(), member, space),
  { maxLength: 6 },
);
const written = (all: readonly (readonly [string, boolean, Member, string])[]) =>
  `{${all.map(([name, isEscaped, [source], gap]) => `${gap}${quoted(name, isEscaped)}${gap}:${gap}${source}${gap}`).join(',')}}`;

const readBody = jsonReader([]);
const read = (body: string | Uint8Array) => readBody(typeof body === 'string' ? Buffer.from(body) : body);
const sorted = (entries: Iterable<readonly [string, unknown]>) =>
  [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
const valuesOf = ({ values, lists = new Map() }: ParsedBody) => ({
  values: sorted(values),
  lists: sorted(lists),
});

test('every text, number and list is read back, and a repeated name is rejected', () =>
  holds(100, [members], (all) => {
    const parsed = read(written(all));
    const names = new Set(all.map(([name]) => name));
    if (names.size < all.length) {
      expect(parsed).toMatchObject({ ok: false, error: { code: 'json_repeated' } });
      return;
    }
    const places = (values: readonly string[]) => values.flatMap((value, at) => (value === '' ? [] : [at]));
    expect(parsed.ok && valuesOf(parsed.value)).toEqual({
      values: sorted(all.map(([name, , [, values]]) => [name, values])),
      lists: sorted(all.flatMap(([name, , [, values, isList]]) => (isList ? [[name, places(values)]] : []))),
    });
  }));

const damaged = fc
  .tuple(
    members,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 4 }),
        fc.oneof(character, fc.constantFrom('{', '[[', '}', ']', '\\ud800', '"a":')),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([all, changes]) =>
    changes.reduce((body, [place, length, some]) => {
      const at = place % (body.length + 1);
      return body.slice(0, at) + some + body.slice(at + length);
    }, written(all)),
  );
const anyBody = fc.oneof(
  damaged.map((some) => Buffer.from(some)),
  fc.json().map((some) => Buffer.from(some)),
  fc.uint8Array({ maxLength: 40 }),
);

/** Anything but text, numbers and lists was reported. */
const isFlat = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) =>
    [one].flat().every((inner) => typeof inner !== 'object' || inner === null),
  );

property('any bytes are read like JSON.parse does, or rejected', 200, [anyBody], (body) => {
  const parsed = read(body);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    expect(parsed).toEqual({ ok: false, error: { code: 'json_malformed' } });
    return;
  }
  if (parsed.ok) {
    expect(isFlat(value)).toBe(true);
    expect([...parsed.value.values.keys()].toSorted()).toEqual(Object.keys(value as object).toSorted());
  } else if (parsed.error.code === 'json_too_deep') {
    expect(isFlat(value)).toBe(false);
    const pointer = String(parsed.error.params?.pointer);
    const steps = pointer
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const found = steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value);
    expect(found).toBeTypeOf('object');
  } else {
    expect(parsed.error.code).toMatch(/^json_(?:malformed|repeated)$/);
  }
});
