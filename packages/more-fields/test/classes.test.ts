import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { mistakesIn } from '../../../test/support/validate.ts';
import { everyField } from '../../core/test/html/every_field.ts';

/** Each key's class is the key itself, so that the markup shows which key went where. */
const keys = [
  ...['form', 'field', 'label', 'input', 'select', 'check', 'check_input', 'help', 'error', 'button', 'back'],
];
const every = `{${keys.map((key) => `${key}: "a-${key}"`).join(', ')}}`;

async function staged(config: string) {
  return relayWith({ config, env: { FORM_TOKEN_SECRET: 'not so secret' } });
}

const forms = everyField.replaceAll('$sink', 'http://127.0.0.1:9/');
const small = (more = '') =>
  `small: {${more} fields: [{name: a, required: true}, {name: b, type: checkbox}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`;

/** The tags of some markup that have a class, in order: `div.field.a-field`. */
const classed = (markup: string): readonly string[] =>
  [...markup.matchAll(/<([\w-]+)[^>]*? class="([^"]*)"/g)].map(
    ([, tag, names = '']) => `${tag}.${names.replaceAll(' ', '.')}`,
  );

const token = (markup: string) => /name="_ts" value="([^"]*)"/.exec(markup)?.[1] ?? '';

test('every class arrives where it belongs, next to the relay’s own', async () => {
  const relay = await staged(`classes: ${every}\nforms:${forms}`);
  const { text } = await relay.get('/api/v1/form/every_field');
  expect(await mistakesIn(text)).toEqual([]);
  expect([...new Set(classed(text))].toSorted().join('\n')).toMatchInlineSnapshot(`
    "button.a-button
    button.repeat-add.a-back
    button.repeat-remove.a-back
    div.field-phone
    div.field-row
    div.field-scale
    div.field-slot
    div.field-stars
    div.field.a-field
    div.field.field-third.a-field
    div.field.field-two-thirds.a-field
    div.form-status
    div.grid-choices
    div.grid-head
    div.grid-table
    div.grid-table.grid-several
    div.repeat-items
    fieldset.field.a-field
    fieldset.field.field-parts.field-address.a-field
    fieldset.field.field-parts.field-grid.a-field
    fieldset.field.field-parts.field-repeat.a-field
    fieldset.repeat-item
    form.form-relay.a-form
    input.a-check_input
    input.a-input
    label.a-label
    label.choice.a-check
    legend.a-label
    p.field-help.a-help
    p.form-note
    p.repeat-status
    select.a-select
    span.choice-words
    span.field-required
    span.scale-words
    textarea.a-input"
  `);
});

test('so do those of what went wrong', async () => {
  const relay = await staged(`classes: ${every}\nforms:${forms}\n  ${small()}`);
  const { text } = await relay.get('/api/v1/form/every_field');
  relay.advance(4_000);
  const invalid = await relay.submit('every_field', [['_ts', token(text)]], { 'hx-request': 'true' });
  expect(invalid.status).toBe(422);
  expect(await mistakesIn(invalid.text)).toEqual([]);
  const wrong = classed(invalid.text).filter((tag) => /invalid|error/.test(tag));
  expect(wrong).toEqual([...Array(13).fill('p.field-error.a-error'), 'ul.form-errors']);
});

test('the script gets those of what it makes', async () => {
  const relay = await staged(`
classes: ${every}
forms:
  stepped:
    fields: [{name: a}, {name: b}]
    steps: [{title: One, fields: [a]}, {title: Two, fields: [b]}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]
  ${small()}`);
  const ofScript = { accept: 'text/html;profile=form-relay' };
  const { text } = await relay.get('/api/v1/form/stepped', ofScript);
  expect(await mistakesIn(text)).toEqual([]);
  for (const name of ['error', 'back']) expect(text).toContain(`data-${name}-class="a-${name}"`);
  expect((await relay.get('/api/v1/form/small', ofScript)).text).not.toContain('data-back-class');
});

test('a form’s own keys win one by one, and an empty one means none', async () => {
  const own = 'classes: {input: own, help: ~, field: "", button: ""},';
  const relay = await staged(
    `classes: {input: all, field: all, label: all, button: all}\nforms:\n  ${small(own)}\n  ${small().replace('small', 'other')}`,
  );
  expect(classed((await relay.get('/api/v1/form/small')).text)).toEqual([
    'form.form-relay',
    'p.form-note',
    'div.field',
    'label.all',
    'span.field-required',
    'input.own',
    'div.field',
    'label.choice',
    'div.form-status',
  ]);
  expect(classed((await relay.get('/api/v1/form/other')).text)).toContain('button.all');
});

test('a form without classes gets the same markup as ever', async () => {
  const without = await staged(`forms:\n  ${small()}`);
  const empty = await staged(`classes:\nforms:\n  ${small('classes: {input: ""},')}`);
  const markup = (await without.get('/api/v1/form/small')).text;
  expect((await empty.get('/api/v1/form/small')).text).toBe(markup);
  expect(markup).not.toContain('class=""');
});

test('the classes of Tailwind can be named', async () => {
  const names =
    'mt-1.5 w-[50%] !p-0 -m-2 *:p-4 [&>p]:mt-4 md:hover:bg-(--x)/50 data-[a=b]:c bg-[#fff] grid-cols-[1fr,2fr] @md:p';
  const relay = await staged(`classes: {input: "${names}"}\nforms:\n  ${small()}`);
  const { text } = await relay.get('/api/v1/form/small');
  expect(text).toContain(`class="${names.replaceAll('&', '&amp;').replaceAll('>', '&gt;')}"`);
});
