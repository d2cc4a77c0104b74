import fc from 'fast-check';
import { holds, property } from '../../../test/support/fuzz.ts';
import { acceptedAmong, chooseLanguage, writtenLanguages } from '../../../test/support/languages.ts';

const offered = fc.uniqueArray(
  fc.constantFrom(...writtenLanguages, 'pt-BR', 'zh-Hant', 'de-AT', 'sr-Latn', 'eo', 'en-GB'),
  { minLength: 1 },
);
const tag = fc.oneof(
  fc.constantFrom(
    ...['de', 'DE-de', 'zh-TW', 'zh-Hans', 'pt', 'en-US', '*', 'x', 'i-klingon', 'de-', '-', 'sr', ''],
  ),
  fc.string(),
);
const quality = fc.constantFrom(
  ...['', ';q=1', ';q=0', '; q=0.5', ';q=', ';q=x', ';Q=0.3', ';q=-1', ';q=Infinity', ';x'],
);
const header = fc.oneof(
  fc.array(fc.tuple(tag, quality).map((one) => one.join(''))).map((ranges) => ranges.join(',')),
  fc.string({ unit: 'binary' }),
);

test('the choice for any browser is an offered language, or none', () =>
  holds(200, [header, offered], (said, tags) => {
    const chosen = acceptedAmong(said, tags);
    expect([undefined, ...tags]).toContain(chosen);
  }));

property('a browser that prefers an offered language gets it', 50, [offered, fc.nat()], (tags, at) => {
  const one = tags[at % tags.length] ?? '';
  expect(chooseLanguage([one], tags)).toBe(one);
  expect(acceptedAmong(one.toUpperCase(), tags)).toBe(one);
  expect(acceptedAmong(`${one};q=0`, tags)).not.toBe(one);
});
