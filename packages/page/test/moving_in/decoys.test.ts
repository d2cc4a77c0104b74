import { describe, expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

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
    ['one whose class says so, hidden', '<p class="hp-field" style="opacity:0"><input name="nickname"></p>'],
    [
      'one whose class says so, and the Tab key skips it',
      '<input name="fax" class="ohnohoney" tabindex="-1">',
    ],
    ['WPForms’', '<div class="wpforms-field-hp"><label>Phone <input name="wpforms[hp]"></label></div>'],
    ['Everest Forms’', '<input name="everest_forms[hp]">'],
    [
      'that of Contact Form 7’s honeypot',
      '<span class="wpcf7-form-control-wrap honeypot-12-wrap"><input name="best-time" tabindex="-1"></span>',
    ],
    [
      'Akismet’s',
      '<p class="akismet-fields-container" style="display:none!important"><textarea name="_wpcf7_ak_hp_textarea"></textarea></p>',
    ],
    ['Ninja Forms’', '<div class="hp-container"><input name="nf-field-hp"></div>'],
    ['Formidable’s', '<div class="frm_verify"><label>Mail <input name="frm_verify"></label></div>'],
    [
      'Fluent Forms’',
      '<div class="ff-hpsf-container"><label>Newsletter <input name="item__3__fluent_sf"></label></div>',
    ],
    ['Elementor’s', '<div class="elementor-field-type-honeypot"><input name="form_fields[field_b1]"></div>'],
    ['JotForm’s', '<div>Should be Empty: <input name="simple_spc"></div>'],
    ['TYPO3’s', '<input name="tx_form[c][x9]" tabindex="-1" style="position:absolute;margin:0 0 0 -999em">'],
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
      '<p style="display:none"><input type="checkbox" name="agree"></p>',
    ],
  ])('%s', async (_, markup) => {
    const { honeypot, field, toDo } = await read(markup);
    expect(honeypot).toBeUndefined();
    expect(toDo).toEqual([expect.stringContaining(`people do not see "${field}"`)]);
  });
});
