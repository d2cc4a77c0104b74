import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/read_form.ts';

/** The result for a field next to another one. A mistake here would drop genuine submissions, or let bots in. */
async function read(markup: string, attributes = '') {
  const page = `<form ${attributes}><input name="email" type="email">${markup}</form>`;
  const { honeypot, fields, remarks } = must(await moveIn(page, undefined));
  const field = fields.find(({ name }) => name !== 'email');
  const toDo = (field?.remarks ?? []).map(({ text }) => text);
  return {
    honeypot,
    field: field?.name,
    toDo,
    remarks: [...toDo, ...remarks.map(({ text }) => text)].join(),
  };
}

test.each<[what: string, markup: string, attributes?: string]>([
  ['one that the form names', '<input name="color">', 'data-netlify-honeypot="color"'],
  ['Formspree’s, Basin’s and Getform’s', '<input name="_gotcha">'],
  ['FormSubmit’s', '<input name="_honey" style="display:none">'],
  ['Web3Forms’, a box', '<input type="checkbox" name="botcheck">'],
  ['Netlify’s usual one', '<p hidden><input name="bot-field"></p>'],
  ['Mailchimp’s', '<div style="position: absolute; left: -5000px"><input name="b_1" tabindex="-1"></div>'],
  ['one whose class says so, hidden', '<p class="hp-field" style="opacity:0"><input name="nickname"></p>'],
  ['one whose class says so, and the Tab key skips it', '<input name="fax" class="ohnohoney" tabindex="-1">'],
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
  ['JotForm’s', '<li style="display:none">Should be Empty: <input name="website" value=""></li>'],
  ['one whose label says so', '<label class="x">Leave this field empty <input name="website"></label>'],
  ['one whose label says so in German', '<label>Bitte nicht ausfüllen <input name="url"></label>'],
  [
    'Gravity Forms’, in another language',
    '<div><label for="p">Phone</label><input id="p" name="input_9"><div class="gfield_description">Dieses Feld dient zur Validierung und sollte nicht verändert werden.</div></div>',
  ],
  ['one whose help says so in French', '<p><input name="web"><span class="hint">Ne pas remplir.</span></p>'],
  [
    'one whose label says so in Japanese',
    '<label>この欄は空白のままにしてください <input name="web"></label>',
  ],
  ['one in a part that is called so', '<div class="honeypot-wrap"><p><input name="phone2"></p></div>'],
  ['an empty one beside one with a value', '<input name="_gotcha" value="1"><input name="_honey">'],
  ['TYPO3’s', '<input name="tx_form[c][x9]" tabindex="-1" style="position:absolute;margin:0 0 0 -999em">'],
  ['the relay’s own', '<form-extra hidden inert><input name="website" tabindex="-1"></form-extra>'],
])('a decoy is: %s', async (_, markup, attributes) => {
  const found = await read(markup, attributes);
  expect(found.field).toBeUndefined();
  expect(found.honeypot).toMatch(/./);
});

/** Each is a known decoy, but here it is filled in for people. */
const known: readonly (readonly [name: string, markup: string])[] = [
  ...['_gotcha', '_honey', 'honeypot', 'frm_verify', '_kb_verify_email', 'x[hp]', 'simple_spc'].map(
    (name) => [name, `<input name="${name}" id="i" VALUE>`] as const,
  ),
  ['botcheck', '<input type="hidden" name="botcheck" id="i" VALUE>'],
  ['fax', '<div class="honeypot"><input name="fax" id="i" VALUE></div>'],
  ['web', '<label hidden>Leave this empty <input name="web" id="i" VALUE></label>'],
];

describe.each<[what: string, value: string, script?: string]>([
  ['a value', 'value="123"'],
  ['a demand', 'required'],
  ['a script that fills it by its id', '', 'document.getElementById("i").value = "12-" + x'],
  ['a script that fills it by a name in parts', '', 'document.getElementById("" + "i").value = "x"'],
  ['a script that keeps it first', '', 'var f = document.querySelector("#i");\nf.value = now()'],
  ['jQuery', '', "$('#i').val('x')"],
  ['jQuery’s attr', '', "$('#i').attr('value', x)"],
  ['a default value', '', 'document.getElementById("i").defaultValue = "x"'],
  ['a value where there is none', '', 'document.getElementById("i").value ||= "x"'],
  ['a tick', '', 'document.getElementById("i").checked = true'],
  ['a tick by jQuery', '', "$('#i').prop('checked', true)"],
  ['a handler of the form', '', 'onsubmit="this.elements.i.value = navigator.language"'],
])('a field is not a decoy with %s:', (_, value, script = '') => {
  test.each(known)('%s', async (name, markup) => {
    const isHandler = script.startsWith('on');
    const page = `${markup.replace('VALUE', value)}${isHandler ? '' : `<script>${script}</script>`}`;
    const { honeypot, field, remarks } = await read(page, isHandler ? script : '');
    expect([honeypot, value === 'required' && field === name ? undefined : field]).toEqual([
      undefined,
      undefined,
    ]);
    if (field === undefined) expect(remarks).toContain(`"${name}" is left out, and is not a honeypot here`);
  });
});

test.each([
  ['empties it', '<script>document.getElementById("i").value = ""</script>'],
  ['unticks it', '<script>document.getElementById("i").checked = false</script>'],
  ['removes its value', "<script>$('#i').attr('value', '')</script>"],
  ['reads its attribute', "<script>$('#i').attr('value')</script>"],
  ['looks at it', '<script>if (document.getElementById("i").value == "x") stop()</script>'],
  ['fills another', '<script>document.getElementById("i"); document.getElementById("o").value = 1</script>'],
])('a decoy remains one if a script %s', async (_, script) =>
  expect(await read(`<input name="_gotcha" id="i">${script}`)).toMatchObject({ honeypot: '_gotcha' }),
);

test('a field that only CSS hides, with a value, is kept', async () => {
  const { honeypot, field, remarks } = await read(
    '<input name="source" style="display:none" tabindex="-1" value="shop">',
  );
  expect([honeypot, field]).toEqual([undefined, 'source']);
  expect(remarks).toContain('not a honeypot');
});

test('a name that people fill in elsewhere is not a decoy', async () => {
  expect(await read('<p hidden><input name="url" tabindex="-1"></p><input name="url">')).toMatchObject({
    honeypot: undefined,
    field: 'url',
  });
});

test('remarks about hidden fields suggest no honeypot if there is one', async () => {
  const { toDo } = await read('<input name="_gotcha"><div class="d-none"><input name="company"></div>');
  expect(toDo.join()).not.toContain('spam: {honeypot');
});

test.each([
  ['a field that a script may show', '<div class="d-none"><input name="company"></div>'],
  ['a later step', '<section hidden><textarea name="story"></textarea></section>'],
  [
    'a box that is drawn by a style, in a hidden part',
    '<p style="display:none"><input type="checkbox" name="agree"></p>',
  ],
])('a field that is reported as not a decoy: %s', async (_, markup) => {
  const { honeypot, field, toDo } = await read(markup);
  expect(honeypot).toBeUndefined();
  expect(toDo).toEqual([expect.stringContaining(`visitors do not see "${field}"`)]);
});
