import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/read_form.ts';

/** `{1}` stands for a control named f_1. */
const move = async (markup: string) => {
  const controls = markup.replaceAll(/\{(\d)\}/g, '<input name="f_$1">');
  return must(await moveIn(`<form>${controls}<button>Send</button></form>`, undefined));
};

const labelsIn = async (markup: string) => (await move(markup)).fields.map(({ keys }) => keys.label);

describe('a label that no attribute connects to its control', () => {
  test.each([
    ['a label before it', '<div><label>Your company</label>{1}</div>', 'Your company'],
    ['a label behind it', '<div>{1}<label>Your company</label></div>', 'Your company'],
    ['a label for what is not there', '<p><label for="x">Your company</label>{1}</p>', 'Your company'],
    ['a div before it', '<div><div>Your company</div>{1}</div>', 'Your company'],
    ['a span behind it', '<div>{1}<span>Your company</span></div>', 'Your company'],
    ['bold text and a line break', '<b>City</b><br>{1}<br><b>Town</b><br>{2}', 'City, Town'],
    [
      'a grid of two columns',
      '<div class="grid"><div>Name</div><div>{1}</div><div>Mail</div><div>{2}</div></div>',
      'Name, Mail',
    ],
    ['text before a line break', 'Name: {1}<br>Mail: {2}<br>', 'Name, Mail'],
    ['text between two controls', 'Name {1} Mail {2}', 'Name, Mail'],
    ['text behind each control', '{1} Name<br>{2} Town<br>', 'Name, Town'],
    ['a row of a table', '<table><tr><td>Name *<td>{1}<tr><td>Mail<td>{2}</table>', 'Name, Mail'],
    ['a title', '<input name="f_1" title="Your website">', 'Your website'],
    [
      'two elements by their ids',
      '<span id="a">Amount</span> <span id="b">in euros</span><input name="f_1" aria-labelledby="a b">',
      'Amount in euros',
    ],
    [
      'heads of rows and columns',
      '<table><tr><td><th>Day<th>Night<tr><th>Phone<td>{1}<td>{2}</table>',
      'Phone Day, Phone Night',
    ],
    ['heads above a row of fields', '<table><tr><th>Name<th>Mail<tr><td>{1}<td>{2}</table>', 'Name, Mail'],
    [
      'the head of a row, below what its columns are',
      '<table><tr><th>Field<th>Value<tr><td>Name<td>{1}</table>',
      'Name',
    ],
    ['a box in a cell', '<table><tr><td><input type="checkbox" name="f_1"><td>I agree</table>', 'I agree'],
    [
      'a heading for choices with labels of their own',
      '<div>Colour</div><div><label><input type="radio" name="c" value="r">red</label><label><input type="radio" name="c" value="b">blue</label></div>',
      'Colour',
    ],
  ])('%s', async (_, markup, labels) => expect((await labelsIn(markup)).join(', ')).toBe(labels));

  test.each([
    ['a unit', '<p>{1} EUR</p>', 'EUR'],
    ['a sentence above', '<p>We answer within a day.</p><p>{1}</p>', 'We answer within a day.'],
    ['a heading among fields', '<h2>Us</h2><p>{1}</p><h3>Your order</h3>', 'Your order'],
    ['what follows the last field', '<p><input name="f_1" title="T"></p><div>* required</div>', '* required'],
  ])('is not %s', async (_, markup, words) => expect(await labelsIn(markup)).not.toContain(words));
});

test.each([
  ['a label', '<label for="t">Privacy</label><input type="checkbox" name="t" id="t"><label for="t">'],
  ['a text', '<div>Privacy</div><div><input type="checkbox" name="t[]" id="t"><label for="t">'],
])('a consent’s label is the text next to the box, not the heading that is %s', async (_, before) => {
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
])('choices in a grid are labelled by their columns, and the row labels the group: %s', async (_, cell) => {
  const { fields } = await move(rated(cell));
  expect(fields[0]?.keys).toMatchObject({
    label: 'Speed',
    options: [
      { value: '1', label: 'good' },
      { value: '2', label: 'bad' },
    ],
  });
});
