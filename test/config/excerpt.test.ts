import { expect, test } from 'vitest';
import { excerpt, spotFinder } from '../../packages/relay/src/config/excerpt.ts';

/** Each line: the promise, the text with the mistake in «», what is shown. */
const excerpts: readonly (readonly [string, string, string])[] = [
  ['the mistake has a caret under each letter', 'a: «bad»\nb', '    1 | a: bad\n      |    ^^^'],
  ['a line of its own number', 'a\n\nb: «bad» # c\nd', '    3 | b: bad # c\n      |    ^^^'],
  ['an empty line at the start is one', '\n\nb: «bad»', '    3 | b: bad\n      |    ^^^'],
  ['the last line needs no line break', 'a\nb: «bad»', '    2 | b: bad\n      |    ^^^'],
  ['what is missing has one caret', 'a:«»\nb', '    1 | a:\n      |   ^'],
  ['at the end of the text, too', 'a:«»', '    1 | a:\n      |   ^'],
  ['an empty text has a line', '«»', '    1 | \n      | ^'],
  ['a mistake that goes on ends with its line', 'a: «bad\nb»', '    1 | a: bad\n      |    ^^^'],
  ['carriage returns are no part of a line', 'a\r\nb: «bad»\r\nc', '    2 | b: bad\n      |    ^^^'],
  ['nor at the end of the text', 'b: «bad»\r\n', '    1 | b: bad\n      |    ^^^'],
  ['a carriage return that ends no line shows as a space', 'b: «bad»\r', '    1 | b: bad \n      |    ^^^'],
  [
    'what moves a terminal shows as a space',
    'a\x1b[0m\u202e\t: «bad»',
    '    1 | a [0m  : bad\n      |          ^^^',
  ],
];

test.each(excerpts)('%s', (_, marked, shown) => {
  const offset = marked.indexOf('«');
  const length = marked.indexOf('»') - offset - 1;
  const text = marked.replaceAll(/[«»]/g, '');
  expect(excerpt(spotFinder(text)(offset), length)).toBe(shown);
});

const numbered = (length: number) => Array.from({ length }, (_, index) => index % 10).join('');
const shownAt = (length: number, column: number, marked = 3) => {
  const [line = '', carets = ''] = excerpt(spotFinder(numbered(length))(column), marked).split('\n');
  return { line: line.slice(8), under: line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1) };
};

test('a line of 160 characters is shown whole', () => {
  expect(shownAt(160, 157)).toEqual({ line: numbered(160), under: '789' });
});

test.each([
  // Length, column, from, to: an ellipsis stands for what is left out on each side.
  [161, 0, 0, 160],
  [161, 80, 0, 160],
  [161, 81, 1, 161],
  [500, 40, 0, 160],
  [500, 200, 120, 280],
  [500, 419, 339, 499],
  [500, 420, 340, 500],
  [500, 490, 410, 500],
])('of a line of %i characters, around %i, those from %i to %i are shown', (length, column, from, to) => {
  const { line, under } = shownAt(length, column);
  expect(line).toBe((from > 0 ? '…' : '') + numbered(length).slice(from, to) + (to < length ? '…' : ''));
  expect(under).toBe(numbered(length).slice(column, column + 3));
});

test('no caret stands beyond what is shown', () => {
  expect(shownAt(500, 200, 300).under).toBe(`${numbered(500).slice(200, 280)}…`);
});
