import { expect, test } from 'vitest';
import { configKeys, formKeys, spamKeys } from '../../packages/relay/src/config/schema.ts';
import { captchaProviders } from '../../packages/relay/src/features/captcha/index.ts';
import { commonKeys as captchaKeys } from '../../packages/relay/src/features/captcha/provider.ts';
import { scanKeys } from '../../packages/relay/src/features/scan.ts';
import { commonKeys as fieldKeys } from '../../packages/relay/src/fields/field.ts';
import { fieldTypes } from '../../packages/relay/src/fields/index.ts';
import { outputTypes } from '../../packages/relay/src/outputs/index.ts';
import { oauth2Kinds } from '../../packages/relay/src/outputs/oauth2.ts';
import { commonKeys as outputKeys } from '../../packages/relay/src/outputs/output.ts';
import { things, thingsCalled } from '../../packages/relay/src/schema/aliases.ts';
import { meantBy } from '../../packages/relay/src/schema/suggestion.ts';
import { functions } from '../../packages/relay/src/schema/template/functions.ts';
import { references } from '../../packages/relay/src/schema/template/scope.ts';

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
