import { describe, expect, test } from 'vitest';
import { moveIn } from '../../packages/page/src/moving_in/move_in.ts';
import { must } from '../support/must.ts';

/** What becomes of a field beside another one: a mistake here would drop what people send, or let bots in. */
async function read(markup: string, attributes = '') {
  const page = `<form ${attributes}><input name="email" type="email">${markup}</form>`;
  const { honeypot, fields } = must(await moveIn(page, undefined));
  const field = fields.find(({ name }) => name !== 'email');
  return { honeypot, field: field?.name, toDo: (field?.remarks ?? []).map(({ text }) => text) };
}

describe('a decoy is', () => {
  test.each<[what: string, markup: string, attributes?: string]>([
    ['one that the form names', '<input name="color">', 'data-netlify-honeypot="color"'],
    ['Formspree’s, Basin’s and Getform’s', '<input name="_gotcha">'],
    ['FormSubmit’s', '<input name="_honey" style="display:none">'],
    ['Web3Forms’, a box', '<input type="checkbox" name="botcheck">'],
    ['Netlify’s usual one', '<p hidden><input name="bot-field"></p>'],
    ['Mailchimp’s', '<div style="position: absolute; left: -5000px"><input name="b_1" tabindex="-1"></div>'],
    ['one whose label says so', '<label class="x">Leave this field empty <input name="website"></label>'],
    ['one whose label says so in German', '<label>Bitte nicht ausfüllen <input name="url"></label>'],
    ['one whose class says so, hidden', '<p class="hp-field" style="opacity:0"><input name="nickname"></p>'],
    [
      'one whose class says so, and the Tab key skips it',
      '<input name="fax" class="ohnohoney" tabindex="-1">',
    ],
    ['the relay’s own', '<form-extra hidden inert><input name="website" tabindex="-1"></form-extra>'],
  ])('%s', async (_, markup, attributes) => {
    const found = await read(markup, attributes);
    expect(found.field).toBeUndefined();
    expect(found.honeypot).toMatch(/./);
  });
});

describe('no decoy, but told, is', () => {
  test.each([
    ['a field that a script may show', '<div class="d-none"><input name="company"></div>'],
    ['a later step', '<section hidden><textarea name="story"></textarea></section>'],
    [
      'a box that is drawn by a style, in a hidden part',
      '<p style="display:none"><input type="checkbox" name="a"></p>',
    ],
  ])('%s', async (_, markup) => {
    const { honeypot, field, toDo } = await read(markup);
    expect(honeypot).toBeUndefined();
    expect(toDo).toEqual([expect.stringContaining(`people do not see "${field}"`)]);
  });
});

describe('no decoy is', () => {
  test.each([
    ['a field in view', '<input name="website" type="url">'],
    [
      'a box that a style draws',
      '<label><input type="checkbox" name="terms" class="sr-only" style="opacity:0"> I agree</label>',
    ],
    [
      'a radio button that a style draws',
      '<input type="radio" name="size" value="s" style="opacity: 0" tabindex="-1">',
    ],
    ['a field that must be filled in', '<input name="honey_sort" style="display:none" required>'],
    ['a field about honey', '<label>Which honey do you like? <input name="honey"></label>'],
    ['a field that half shines through', '<input name="fade" style="opacity: 0.5" tabindex="-1">'],
    [
      'a field without a border',
      '<input name="plain" style="border-width: 0; max-height: 0.5em" tabindex="-1">',
    ],
    ['a value for the server', '<input type="hidden" name="campaign" value="spring">'],
  ])('%s', async (_, markup) => {
    const { honeypot, field, toDo } = await read(markup);
    expect({ honeypot, toDo }).toEqual({ honeypot: undefined, toDo: [] });
    expect(field).toMatch(/./);
  });
});
