/** The messages for an empty or invalid field: fixed sentences by type and `autocomplete`, in each language. */
import { relayWith } from '../../../test/support/index.ts';
import { loadTexts } from '../../../test/support/languages.ts';
import { formatProblem } from '../../yaml/src/problem.ts';

const htmx = { 'hx-request': 'true' };
const script = { accept: 'application/problem+json' };
const withFields = (fields: string, more = '') =>
  `${more}\nforms:\n  contact:\n    fields: [${fields.replaceAll('\n', ' ')}]\n    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]\n`;

/** The message for the only field, if it is sent empty or with this value. */
async function messageAt(field: string, value = '', more = ''): Promise<string | undefined> {
  const { submit } = await relayWith({ config: withFields(`{name: a, required: true, ${field}}`, more) });
  const { text } = await submit('contact', value === '' ? [] : [['a', value]], htmx);
  return /<p class="field-error"[^>]*>(.*?)<\/p>/.exec(text)?.[1];
}

describe('the message for an empty field asks for its purpose', () => {
  test.each([
    ['autocomplete: name', 'Enter your name.'],
    ['type: email', 'Enter an e-mail address like name@example.com.'],
    ['type: tel', 'Enter a telephone number.'],
    ['autocomplete: Section-x SHIPPING address-line1', 'Enter your street address.'],
    ['type: select, autocomplete: country, options: [CH, NO]', 'Choose your country.'],
    ['type: date', 'Enter a date.'],
    ['type: number', 'Enter a number.'],
    ['type: radios, options: [x, y]', 'Choose an option.'],
    ['type: checkboxes, options: [x, y]', 'Choose at least one option.'],
    ['type: checkbox', 'Tick this box.'],
    ['type: file', 'Choose a file.'],
    // The field's purpose is unknown.
    ['label: First name', 'Enter a value.'],
    ['autocomplete: "off"', 'Enter a value.'],
  ])('%s: %s', async (field, sentence) => expect(await messageAt(field)).toBe(sentence));
});

test.each([
  ['pattern: "[0-9]{5}", autocomplete: postal-code', '12', 'Enter a valid postal code.'],
  ['pattern: "[0-9]{5}", type: tel', '12', 'Enter a valid telephone number.'],
  ['pattern: "[0-9]{5}"', '12', 'Enter a value in the expected format.'],
  ['pattern: "[0-9]{5}", autocomplete: postal-code, help: Digits', '12', 'Use the expected format: Digits'],
  ['type: date, autocomplete: bday', 'x', 'Enter your date of birth, such as 1985-03-27.'],
  ['type: email, autocomplete: email', 'x', 'Enter an e-mail address like name@example.com.'],
])('an invalid value for {%s}, "%s": %s', async (field, value, sentence) =>
  expect(await messageAt(field, value)).toBe(sentence),
);

const everything = `
  {name: n, required: true, autocomplete: name, label: Name}, {name: e, type: email, required: true, label: E-mail},
  {name: v, required: true, label: Code}, {name: d, type: date, required: true, label: Day},
  {name: s, required: true, autocomplete: shipping street-address, label: Ship to},
  {name: b, required: true, autocomplete: billing street-address, label: Bill to}`;
const asListed = [
  'Enter your name.',
  'Enter an e-mail address like name@example.com.',
  // Any field could have this label.
  'Code: Enter a value.',
  'Day: Enter a date.',
  // There are two such fields.
  'Ship to: Enter your street address.',
  'Bill to: Enter your street address.',
];

test('a list of errors names each field, in its sentence or by its label', async () => {
  const { submit } = await relayWith({ config: withFields(everything) });
  const { text } = await submit('contact', [], htmx);
  expect([...text.matchAll(/<a href="#form-contact--\w">(.*?)<\/a>/g)].map(([, words]) => words)).toEqual(
    asListed,
  );
});

test('scripts and programs get the same texts; codes and the log are not translated', async () => {
  const { submit, logged } = await relayWith({ config: withFields(everything) });
  const { detail, errors } = (await submit('contact', [], script)).json as {
    detail: string;
    errors: { field: string; code: string; label: string; message: string; summary?: string }[];
  };
  expect(errors.map(({ label, message, summary }) => summary ?? `${label}: ${message}`)).toEqual(asListed);
  expect(errors.map(({ code }) => code)).toEqual([
    ...['missing', 'missing_email', 'missing', 'missing_date', 'missing', 'missing'],
  ]);
  const plain = (await submit('contact', [])).json as { error: string };
  expect(plain.error).toBe(errors.map(({ field, message }) => `${field}: ${message}`).join(' '));
  expect(detail).toBe(plain.error);
  expect(JSON.stringify(logged)).not.toContain('Enter your name');
});

describe('the owner’s own texts take precedence', () => {
  const own = (texts: string, field = 'autocomplete: name') => messageAt(field, '', `messages: ${texts}`);

  test('in place of the neutral sentence', async () => {
    expect(await own('{missing: Please fill this in.}')).toBe('Please fill this in.');
    expect(await own('{en: {missing: Please fill this in.}}')).toBe('Please fill this in.');
  });

  test('and in a list of errors the label precedes them, if any field may have them', async () => {
    const config = withFields(everything, 'messages: {missing: Please fill this in., missing_email: Where?}');
    const { text } = await (await relayWith({ config })).submit('contact', [], htmx);
    expect(text).toContain('>Name: Please fill this in.</a>');
    expect(text).toContain('>E-mail: Where?</a>');
  });
});

test('a language of the owner’s own needs no such sentences, and then shows its neutral one', async () => {
  const { missing_name, missing_city, ...texts } = await loadTexts('en');
  const words = JSON.stringify({ ...texts, missing: 'Plenigu.' });
  const config = withFields(
    '{name: a, required: true, autocomplete: name}',
    `language: eo\nmessages: {eo: ${words}}`,
  );
  const { submit, relay } = await relayWith({ config });
  expect((await submit('contact', [], htmx)).text).toContain('>Plenigu.</p>');
  expect(await (await relay.config.get())?.warnings()).toEqual([]);
});

const form =
  '{fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}';

test('a language of the owner’s own stands in messages', async () => {
  const texts = '{submit: Sendu, too_short: {one: litero, other: literoj}}';
  const config = `language: eo\nmessages: {eo: ${texts}}\nforms: {contact: ${form}}`;
  const { get, relay } = await relayWith({ config });
  const { text } = await get('/api/v1/form/contact');
  expect(text).toContain('lang="eo" dir="ltr"');
  expect(text).toContain('>Sendu</button>');
  // Missing texts are in English, and the owner gets a warning.
  expect(text).toContain('* means required.');
  const warnings = (await (await relay.config.get())?.warnings()) ?? [];
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringMatching(
      /config:2:12: warning: messages.eo: "eo" is missing \d+ texts, which appear in English: form_name_missing, .* and \d+ more$/,
    ),
  ]);
});

test('a mistake in a language of a plug-in is a warning', async () => {
  const config = `language: eo\nforms: {contact: ${form}}`;
  const eo = {
    sumbit: 'Sendi',
    own_code: 'Propra.',
    too_short: { one: 'litero', other: '{minn} literoj', count: 'min' },
  };
  const { relay } = await relayWith({
    config,
    plugins: [{ name: 'esperanto', messages: { eo, pt_BR: {} } as never }],
  });
  const warnings = (await (await relay.config.get())?.warnings()) ?? [];
  expect(warnings.map(formatProblem).filter((one) => !one.includes('is missing'))).toEqual(
    [
      'has a mistake in messages.eo.sumbit: the relay has no text with this name (did you mean submit?)',
      'has a mistake in messages.eo.too_short.other: there is no {minn} in this message (did you mean min?)',
      'has messages.pt_BR, which is not a language tag (did you mean pt-BR?)',
    ].map((says) => `config:1:1: warning: plugins: "esperanto" ${says}`),
  );
});

test('a tag in lower case names its language', async () => {
  const config = `language: eo-BR\nmessages: {eo-br: {submit: Sendu}}\nforms: {contact: ${form}}\n`;
  expect((await (await relayWith({ config })).get('/api/v1/form/contact')).text).toContain('>Sendu</button>');
});
