import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseLanguage, writtenLanguages } from '../../packages/relay/src/messages/languages.ts';
import { acceptedAmong } from '../../packages/relay/src/pages/visitors_language.ts';
import { runs } from '../support/fuzz.ts';

const offered = fc.uniqueArray(
  fc.constantFrom(...writtenLanguages, 'pt-BR', 'zh-Hant', 'de-AT', 'sr-Latn', 'eo', 'en-GB'),
  { minLength: 1 },
);
const tag = fc.oneof(
  fc.constantFrom(
    'de',
    'DE-de',
    'zh-TW',
    'zh-Hans',
    'pt',
    'en-US',
    '*',
    'x',
    'i-klingon',
    'de-',
    '-',
    'sr',
    '',
  ),
  fc.string(),
);
const quality = fc.constantFrom(
  '',
  ';q=1',
  ';q=0',
  '; q=0.5',
  ';q=',
  ';q=x',
  ';Q=0.3',
  ';q=-1',
  ';q=Infinity',
  ';x',
);
const header = fc.oneof(
  fc.array(fc.tuple(tag, quality).map((one) => one.join(''))).map((ranges) => ranges.join(',')),
  fc.string({ unit: 'binary' }),
);

test('whatever a browser says, what is chosen is offered, or nothing is', () => {
  fc.assert(
    fc.property(header, offered, (said, tags) => {
      const chosen = acceptedAmong(said, tags);
      expect([undefined, ...tags]).toContain(chosen);
    }),
    runs(2_000),
  );
});

test('whoever names an offered language gets it', () => {
  fc.assert(
    fc.property(offered, fc.nat(), (tags, at) => {
      const one = tags[at % tags.length] ?? '';
      expect(chooseLanguage([one], tags)).toBe(one);
      expect(acceptedAmong(one.toUpperCase(), tags)).toBe(one);
      expect(acceptedAmong(`${one};q=0`, tags)).not.toBe(one);
    }),
    runs(500),
  );
});

test.each([
  ['de-AT', ['en', 'de'], 'de'],
  ['de', ['en', 'de-AT'], 'de-AT'],
  ['de-CH', ['en', 'de-AT'], 'de-AT'],
  ['pt', ['pt-BR', 'en'], 'pt-BR'],
  // Another script is better than another language, and worse than anything asked for.
  ['zh-TW', ['en', 'zh'], 'zh'],
  ['zh-TW, en;q=0.1', ['en', 'zh'], 'en'],
  ['zh-SG', ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
  ['zh-HK', ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
  ['sr', ['sr-Latn', 'sr-Cyrl'], 'sr-Cyrl'],
  ['fr, de;q=0.7, en;q=0.9', ['de', 'en'], 'en'],
  ['*', ['de', 'en'], undefined],
  ['fr;q=0.5, *;q=0.1', ['de', 'en'], undefined],
  ['', ['de'], undefined],
])('%s among %j is %s', (said, tags, expected) => {
  expect(acceptedAmong(said, tags)).toBe(expected);
});
