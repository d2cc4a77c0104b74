/** `messages` of a field, wherever its errors are shown. */
import { describe, expect, test } from 'vitest';
import { contact, problemsOf, relayWith } from '../../../test/spec/stage.ts';

const fields = `[
  {name: name, required: true, messages: {required: Who are you?}},
  {name: email, type: email, messages: {type: "<b>That</b> is no address.", same_as: Twice.}},
  {name: again, type: email, same_as: email, messages: {same_as: These differ.}},
  {name: guests, type: number, min: 2, max: 9, messages: {min: "{min} guests at least, {not_there}please.", step: Whole guests.}},
  {name: code, pattern: "[A-Z]+", max_length: 3, messages: {pattern: Capital letters.}},
  {name: size, type: radios, options: [S, M], messages: {options: S or M}},
  {name: day, type: date, min: 2030-01-01, messages: {required: Never said.}}]`;

describe('each broken rule says what the owner wrote, others what the relay says', () => {
  test.each([
    ['name', '', 'name: Who are you?'],
    ['email', 'x', 'email: <b>That</b> is no address. again: These differ.'],
    ['guests', '1', 'guests: 2 guests at least, please.'],
    ['guests', '1.5', 'guests: 2 guests at least, please.'],
    ['guests', '2.5', 'guests: Whole guests.'],
    ['guests', '10', 'guests: Enter a number that is 9 or less.'],
    ['code', 'x', 'code: Capital letters.'],
    ['code', 'ABCD', 'code: Enter at most 3 characters.'],
    ['size', 'L', 'size: S or M'],
    ['day', '2029-01-01', 'day: Enter a date that is 2030-01-01 or later.'],
  ])('%s: %s', async (name, value, error) => {
    const form = await contact({ fields });
    const others = name === 'name' ? [] : ([['name', 'Ada']] as const);
    expect(await form.send(...others, [name, value])).toMatchObject({ status: 422, json: { error } });
  });
});

test('fragments, pages and scripts show them, escaped and in the visitor’s language', async () => {
  const relay = await relayWith({
    config: `forms: {contact: {languages: [en, de], title: T, fields: [
      {name: a, required: true, messages: {required: {en: "A & B?", de: "A & B bitte!"}, max_length: "At most {max}."}, max_length: 3},
      {name: guests, type: repeat, fields: [{name: x, required: true, messages: {required: "X?"}}]}],
      outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
  });
  const answer = (query: string, headers: Record<string, string>) =>
    relay.request(`/api/v1/submit/contact?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: 'a=',
    });
  expect((await answer('lang=de', { 'hx-request': 'true' })).text).toContain('>A &amp; B bitte!</p>');
  expect((await answer('lang=en&as=page', { accept: 'text/html' })).text).toContain('>A &amp; B?</p>');
  const { json } = await answer('lang=de', { accept: 'application/problem+json' });
  expect(json).toMatchObject({ errors: [{ field: 'a', code: 'missing', message: 'A & B bitte!' }] });
  const form = (await relay.get('/api/v1/form/contact?lang=en&as=script')).text;
  expect(form).toMatch(/data-parts="[^"]*messages/);
  // Browsers cannot fill in {max}.
  expect(form).toContain('&#34;a&#34;:{&#34;valueMissing&#34;:&#34;A &amp; B?&#34;}');
  expect(form).toContain('&#34;guests.1.x&#34;:{&#34;valueMissing&#34;:&#34;X?&#34;}');
  expect((await relay.get('/api/v1/messages.js')).status).toBe(200);
});

test('forms without messages load nothing for them', async () => {
  const form = await contact({ fields: '[{name: a, required: true}]' });
  expect((await form.get('/api/v1/form/contact')).text).not.toMatch(/data-messages|data-parts/);
});

test('a rule that the field does not have is a mistake', async () => {
  const rules = [
    'name: a, messages: {requierd: x}',
    'name: b, messages: {min: x}',
    'name: c, messages: {required: ""}',
    'name: d, messages: Text',
  ];
  const config = rules.map((one) => `      - {${one}}`).join('\n');
  expect(
    await problemsOf(
      `forms:\n  contact:\n    fields:\n${config}\n    outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]`,
    ),
  ).toMatchInlineSnapshot(`
    "config:4:30: forms.contact.fields[0].messages.requierd: this field has no such rule (did you mean required?)
    config:5:30: forms.contact.fields[1].messages.min: this field has no such rule (did you mean min_length?)
    config:6:41: forms.contact.fields[2].messages.required: found empty text; expected what the visitor reads
    config:7:29: forms.contact.fields[3].messages: found "Text"; expected a map such as {required: Tell us your name.}"
  `);
});
