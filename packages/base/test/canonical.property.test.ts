/** All spellings of a value have the same canonical value, and a canonical value is its own canonical form. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { canonical, type Kind, plainText } from '../src/canonical.ts';
import { digitsIn, floatIn } from '../src/unicode.ts';

const kinds: readonly Kind[] = ['text', 'number', 'date', 'time', 'datetime', 'email', 'country', 'relay'];

const part = fc.constantFrom(
  ...'0 1 9 ٣ ۳ ３ ９ 𝟎 ৫ . , ， ٫ ٬ − - + e E x o : h . T am PM a Z ë Å ﷺ ß İ ſ K 가 @ < > " ex.org Bücher.de de DE'.split(
    ' ',
  ),
  ...[' ', '\u00a0', '\r\n', '\r', '\n', '\u0308', '\u0316', '\u0301', '\u034f', '\u200b', '\u200d'],
  ...['\u2060'],
  ...['\ufeff', '\u202e', '\u3000', '\ufe0f', '\u3164', '\u1112\u1161\u11ab', '2027-03-31', '18:30'],
  ...['+02:00'],
);
const written = fc.oneof(
  fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

test.each(kinds)('the canonical form of a canonical value is itself: %s', async (kind) => {
  await holds(500, [written], (text) => {
    const once = canonical(kind, text);
    expect(canonical(kind, once)).toBe(once);
    // A value's canonical form is empty only if the value is.
    expect(once === '').toBe(text === '');
  });
});

test.each(kinds)('no composition, line break or invisible character makes a difference: %s', async (kind) => {
  const invisible = fc.constantFrom('', '', '\u200b', '\u200c', '\u2060', '\ufeff', '\u200e');
  const between = fc.array(invisible, { minLength: 40, maxLength: 40 });
  await holds(300, [fc.array(part, { minLength: 1, maxLength: 12 }), between], (parts, marks) => {
    const text = parts.join('');
    fc.pre(plainText(text).trim() !== '');
    const other = (text.normalize('NFD').match(/\r\n|./gsu) ?? [])
      .map((one, index) => `${marks[index] ?? ''}${one}`)
      .join('');
    expect(canonical(kind, other.replaceAll(/\r?\n/g, '\r\n'))).toBe(canonical(kind, text));
  });
});

const types = {
  number: 'number',
  range: 'number',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  country: 'country',
  email: 'email',
  text: 'text',
  textarea: 'text',
  url: 'text',
  tel: 'text',
} as const;

test('a value compares the same as typed and as the relay stores it', async () => {
  const fields = Object.keys(types).map((type) => `{name: ${type}, type: ${type}}`);
  const config = parseConfig(
    `time_zone: UTC\nforms: {f: {fields: [${fields}], outputs: [{type: http_post, url: 'https://example.org/'}]}}`,
    'webform.yaml',
  );
  const { fields: compiled = [] } = (config.ok && config.value.forms.get('f')) || {};
  await holds(
    1_000,
    [fc.constantFrom(...compiled), written],
    ({ name, type, comparedAs, canonical: own, normalize }, text) => {
      expect(comparedAs).toBe(types[type as keyof typeof types]);
      const [meant = ''] = normalize?.(new Map([[name, [text]]])) ?? [text];
      if (meant !== '') expect(own(meant)).toBe(canonical(comparedAs, text));
    },
  );
});

test.each([
  ['number', '5.0', '5'],
  ['number', '-0', '0'],
  ['number', '1e3', '1000'],
  ['number', '３', '3'],
  ['number', '0x5DC', '0x5DC'],
  ['number', '12345678901234567890', '12345678901234567890'],
  ['number', '\u066c\r\n0', '0'],
  ['time', '6:30 pm', '18:30'],
  ['time', '25:00', '25:00'],
  ['datetime', '2027-03-31 9:05', '2027-03-31T09:05'],
  ['datetime', '2027-03-31T09:05:00+02:00', '2027-03-31T09:05'],
  ['email', ' Ada@Bücher.de', 'ada@xn--bcher-kva.de'],
  ['email', 'T\u0308@a.de', '\u1e97@a.de'],
  ['country', 'de', 'DE'],
  ['text', 'a\r\u202e\nb', 'a\n\nb'],
  ['text', ' Zoe\u0308\u200b ', 'Zoë'],
  ['text', ' ', ' '],
] as const)('%s: %j is %j', (kind, text, meant) => expect(canonical(kind, text)).toBe(meant));

test('a number is a valid HTML floating-point number', () => {
  for (const text of ['0x5DC', '0o7', '0b11', 'Infinity', '1e999', '', ' ', '1,500', '5.', '+5'])
    expect(floatIn(text)).toBeNaN();
  expect(['-.5', '1E2', '007'].map(floatIn)).toEqual([-0.5, 100, 7]);
});

test('digits of all scripts are recognized', () => {
  const others = Array.from({ length: 0x110000 }, (_, point) => point).filter(
    (point) => !/\p{Nd}/u.test(String.fromCodePoint(point)),
  );
  expect(digitsIn(others.map((point) => String.fromCodePoint(point)).join(''))).toBe('');
  // A second opinion that shares no code: the numbering systems of the runtime.
  for (const system of Intl.supportedValuesOf('numberingSystem')) {
    const spelled = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(1234567890);
    if (/^\p{Nd}{10}$/u.test(spelled)) expect([system, digitsIn(spelled)]).toEqual([system, '1234567890']);
  }
  expect(digitsIn('Your code: *217 323*\u200b')).toBe('217323');
});
