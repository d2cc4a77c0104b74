import { expect, test } from 'vitest';
import { captchaProviders } from '../../src/captchas/index.ts';
import { commonKeys as captchaKeys } from '../../src/captchas/provider.ts';
import { configKeys, formKeys, scanKeys, spamKeys } from '../../src/config/schema.ts';
import { commonKeys as fieldKeys } from '../../src/fields/field.ts';
import { fieldTypes } from '../../src/fields/index.ts';
import { things, thingsCalled } from '../../src/other_words.ts';
import { outputTypes } from '../../src/outputs/index.ts';
import { oauth2Kinds } from '../../src/outputs/oauth2_keys.ts';
import { commonKeys as outputKeys } from '../../src/outputs/output.ts';
import { meantBy } from '../../src/suggestion.ts';
import { functions } from '../../src/template/functions.ts';
import { references } from '../../src/template/scope.ts';

const keys = [
  ...[configKeys, formKeys, spamKeys, scanKeys, captchaKeys, fieldKeys, outputKeys],
  ...oauth2Kinds.map(({ keys }) => keys),
  ...[captchaProviders, fieldTypes(), outputTypes()].flatMap((kinds) => kinds.map((kind) => kind.keys)),
].flatMap((entries) => Object.keys(entries));
const kinds = [
  ...captchaProviders.map(({ provider }) => provider),
  ...[...fieldTypes(), ...outputTypes()].map(({ type }) => type),
];
const others = [
  'grant',
  'provider',
  'type',
  'field',
  'is',
  'is_not',
  'filled',
  'fail',
  'continue',
  'opportunistic',
];

test('only what there is is suggested', () => {
  const known: readonly string[] = [
    ...[...keys, ...kinds, ...others],
    ...[...functions, ...references].map(({ name }) => name),
  ];
  expect(things.filter((thing) => !known.includes(thing))).toEqual([]);
});

test.each(['email_to', 'emailTo', 'EmailTo', 'email-to', 'Email to', '_email_to'])('%s is to', (word) => {
  expect(thingsCalled(word)).toEqual(['to']);
});

test.each(['', '_', 'constructor', '__proto__', 'toString'])('%j stands for nothing', (word) => {
  expect(thingsCalled(word)).toEqual([]);
});

test('a word means what there is at its place', () => {
  expect(meantBy('name', Object.keys(formKeys))).toBe('title');
  expect(meantBy('name', ['field', 'is', 'is_not', 'filled'])).toBe('field');
  expect(meantBy('server', ['host', 'port'])).toBe('host');
  expect(meantBy('server', ['url', 'headers'])).toBe('url');
  expect(meantBy('hots', ['host', 'port'])).toBe('host');
  expect(meantBy('banana', ['host', 'port'])).toBeUndefined();
});
