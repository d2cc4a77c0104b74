/** Of what a visitor sends, a form takes what one of its parts reads; the rest is ignored. */
import { expect, test } from 'vitest';
import { parseConfig } from '../support/parse_config.ts';

const url = 'url: "https://example.com/hook"';
const mail = 'type: smtp, host: mail.example.com, to: office@example.com';

test.each([
  ['as it is declared', `{type: http_post, ${url}}`, []],
  ['in a mapping', `{type: http_post, ${url}, mapping: {Name: full_name}}`, ['full_name']],
  ['in a template', `{type: http_post, ${url}, headers: {X-Shop: "{{ .fields.shop }}"}}`, ['shop']],
  [
    'in a body',
    `{type: webhook, ${url}, body: {from: {$field: phone}, to: [{$field: fax}]}}`,
    ['phone', 'fax'],
  ],
  ['as an attachment', `{${mail}, attachments: [cv]}`, ['cv']],
])('a name is used %s', (_, output, names) => {
  expect(used(`outputs: [${output}]`)).toEqual(['email', ...names]);
});

test('what only the relay reads is no name of a field, whoever names it', () => {
  const outputs = `outputs: [{type: http_post, ${url}, mapping: {Trap: website, Token: _ts, Name: full_name}}]`;
  expect(used(`spam: {honeypot: website, min_fill_seconds: 3}, ${outputs}`)).toEqual(['email', 'full_name']);
});

/** What a form with a field `email` and these keys uses. */
function used(keys: string): readonly string[] {
  const config = parseConfig(`forms: {contact: {fields: [{name: email}], ${keys}}}`, 'webform.yaml');
  if (!config.ok) throw new Error(config.error.map(({ message }) => message).join('\n'));
  return [...(config.value.forms.get('contact')?.usedNames ?? [])];
}
