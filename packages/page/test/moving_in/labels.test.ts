import { describe, expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

const move = async (markup: string) =>
  must(await moveIn(`<form>${markup}<button>Send</button></form>`, undefined));

const labelsIn = async (markup: string) => (await move(markup)).fields.map(({ keys }) => keys.label);

describe('a label that names its control by no attribute', () => {
  test.each([
    ['a label before it', '<div><label>Your company</label><input name="f_1"></div>', ['Your company']],
    ['a label behind it', '<div><input name="f_1"><label>Your company</label></div>', ['Your company']],
    [
      'a label for what is not there',
      '<p><label for="x">Your company</label><input name="f_1"></p>',
      ['Your company'],
    ],
    ['a div before it', '<div><div>Your company</div><input name="f_1"></div>', ['Your company']],
    ['a span behind it', '<div><input name="f_1"><span>Your company</span></div>', ['Your company']],
    [
      'bold text and a line break',
      '<b>City</b><br><input name="f_1"><br><b>Town</b><br><input name="f_2">',
      ['City', 'Town'],
    ],
    [
      'a grid of two columns',
      '<div class="grid"><div>Name</div><div><input name="f_1"></div><div>Mail</div><div><input name="f_2"></div></div>',
      ['Name', 'Mail'],
    ],
    [
      'text before a line break',
      'Name: <input name="f_1"><br>Mail: <input name="f_2"><br>',
      ['Name', 'Mail'],
    ],
    ['text between two controls', 'Name <input name="f_1"> Mail <input name="f_2">', ['Name', 'Mail']],
    ['text behind each control', '<input name="f_1"> Name<br><input name="f_2"> Town<br>', ['Name', 'Town']],
    [
      'a row of a table',
      '<table><tr><td>Name *<td><input name="f_1"><tr><td>Mail<td><input name="f_2"></table>',
      ['Name', 'Mail'],
    ],
    ['a title', '<input name="f_1" title="Your website">', ['Your website']],
    [
      'two elements by their ids',
      '<span id="a">Amount</span> <span id="b">in euros</span><input name="f_1" aria-labelledby="a b">',
      ['Amount in euros'],
    ],
    [
      'heads of rows and columns',
      '<table><tr><td><th>Day<th>Night<tr><th>Phone<td><input name="f_1"><td><input name="f_2"></table>',
      ['Phone Day', 'Phone Night'],
    ],
    [
      'heads above a row of fields',
      '<table><tr><th>Name<th>Mail<tr><td><input name="f_1"><td><input name="f_2"></table>',
      ['Name', 'Mail'],
    ],
    [
      'the head of a row, below what its columns are',
      '<table><tr><th>Field<th>Value<tr><td>Name<td><input name="f_1"></table>',
      ['Name'],
    ],
    ['a box in a cell', '<table><tr><td><input type="checkbox" name="f_1"><td>I agree</table>', ['I agree']],
    [
      'a heading for choices with labels of their own',
      '<div>Colour</div><div><label><input type="radio" name="c" value="r">red</label><label><input type="radio" name="c" value="b">blue</label></div>',
      ['Colour'],
    ],
  ])('%s', async (_, markup, labels) => {
    expect(await labelsIn(markup)).toEqual(labels);
  });

  test.each([
    ['a unit', '<p><input name="f_1"> EUR</p>', 'EUR'],
    [
      'a sentence above',
      '<p>We answer within a day.</p><p><input name="f_1"></p>',
      'We answer within a day.',
    ],
    ['a heading among fields', '<h2>Us</h2><p><input name="f_1"></p><h3>Your order</h3>', 'Your order'],
    ['what follows the last field', '<p><input name="f_1" title="T"></p><div>* required</div>', '* required'],
  ])('is not %s', async (_, markup, words) => {
    expect(await labelsIn(markup)).not.toContain(words);
  });
});

test.each([
  ['a label', '<label for="t">Privacy</label><input type="checkbox" name="t" id="t"><label for="t">'],
  ['a text', '<div>Privacy</div><div><input type="checkbox" name="t[]" id="t"><label for="t">'],
])('a consent is the text next to the box, and not the heading that is %s', async (_, before) => {
  const { fields } = await move(
    `<div>${before}I accept the <a href="https://example.com/p">privacy policy</a></label></div></div>`,
  );
  expect(fields[0]?.keys).toMatchObject({
    type: 'checkbox',
    label: 'I accept the [privacy policy](https://example.com/p)',
  });
});

const rated = (cell: (value: string, at: number) => string) => `
  <table role="grid"><tr><td><th id="c1">good<th id="c2">bad
  <tr><th id="r1">Speed${['1', '2'].map((value, at) => `<td>${cell(value, at + 1)}`).join('')}</table>`;

test.each([
  [
    'by their ids',
    (value: string, at: number) =>
      `<input type="radio" name="f_1" value="${value}" aria-labelledby="r1 c${at}">`,
  ],
  ['by heads of a table', (value: string) => `<input type="radio" name="f_1" value="${value}">`],
])(
  'the choices of a grid have the words of their columns, and their row is the label: %s',
  async (_, cell) => {
    const { fields } = await move(rated(cell));
    expect(fields[0]?.keys).toMatchObject({
      label: 'Speed',
      options: [
        { value: '1', label: 'good' },
        { value: '2', label: 'bad' },
      ],
    });
  },
);
