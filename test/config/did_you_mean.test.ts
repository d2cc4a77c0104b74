import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../packages/relay/src/schema/suggestion.ts';

const options = ['url', 'on_error', 'mapping', 'mappings', 'static', 'to', 'type', 'timeout', 'subject'];

/** Each line: what was written, what was meant. */
test.each([
  // Letters left out, put in, mistaken, swapped with their neighbour
  ['maping', 'mapping'],
  ['mmapping', 'mapping'],
  ['mapqing', 'mapping'],
  ['mapipng', 'mapping'],
  ['amppign', 'mapping'],
  ['usbject', 'subject'],
  ['bject', 'subject'],
  ['tpye', 'type'],
  ['ulr', 'url'],
  ['Static', 'static'],
  ['ON_ERROR', 'on_error'],
  // A letter repeated, however often and however short the word
  ['typpeee', 'type'],
  ['urlll', 'url'],
  ['maaapping', 'mapping'],
  // The beginning of it
  ['sub', 'subject'],
  ['time', 'timeout'],
  // The nearest of several, the first of equals
  ['mappingss', 'mappings'],
  ['mappin', 'mapping'],
  ['mapping', 'mapping'],
])('%s means %s', (word, meant) => {
  expect(didYouMean(word, options)).toBe(` (did you mean ${meant}?)`);
});

test.each([
  // Three mistakes; letters swapped with others than their neighbour; two mistakes in a short word
  ['mppng_'],
  ['mapgnip'],
  ['tcejbus'],
  ['uxbjecx'],
  ['xsbjecx'],
  ['uuu'],
  ['yte'],
  ['ti'],
  ['t'],
  ['su'],
  ['ject'],
  ['subjectline'],
  ['emit'],
  [''],
])('%j means nothing', (word) => {
  expect(didYouMean(word, options)).toBe('');
});

test('what is written in another case is nearer than what it begins', () => {
  expect(didYouMean('Mapping', ['mappings', 'mapping'])).toBe(' (did you mean mapping?)');
});

test('without options nothing is meant', () => {
  expect(didYouMean('url', [])).toBe('');
});

test('the nearest comes alone too', () => {
  expect(nearest('tpye', options)).toBe('type');
  expect(nearest('colour', options)).toBeUndefined();
});
