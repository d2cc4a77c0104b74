/**
 * How long a form takes to render: ten fields with labels, help and constraints, a honeypot, one error. Beside it, what
 * the same markup costs when its parts are joined and escaped by hand, without knowing any config.
 */

import { renderForm } from '../../packages/relay/src/pages/form_view.ts';
import { parseConfig } from '../../test/support/parse_config.ts';
import { contest } from './contest.ts';

const fields = Array.from({ length: 10 }, (_, index) => ({
  name: `field_${index}`,
  type: index % 3 === 0 ? 'email' : 'text',
  required: index % 2 === 0,
  label: `Field <${index}>`,
  help: 'A sentence that helps to fill it in.',
  autocomplete: 'off',
}));
const outputs = [{ type: 'http_post', url: 'http://127.0.0.1:9/' }];
const config = { forms: { bench: { fields, outputs, spam: { honeypot: 'website' } } } };
const parsed = parseConfig(JSON.stringify(config), 'bench.yaml');
const form = parsed.ok && parsed.value.forms.get('bench');
if (!form) throw new Error('the config of this bench does not load');

const values = new Map(fields.map(({ name }) => [name, ['Ada & Co.']]));
const view = {
  base: '',
  values,
  seen: [],
  errors: [{ field: 'field_0', code: 'not_an_email' }],
  messages: [],
  medium: 'fragment',
} as const;
const relay = () => renderForm(form, view).toString();

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => references[character] as string);
const head = relay().slice(0, relay().indexOf('<div class="field">'));
const tail = relay().slice(relay().indexOf('<form-extra'));
function byHand(): string {
  let markup = head;
  for (const { name, type, required, label, help, autocomplete } of fields) {
    const id = `form-bench--${name}`;
    const error = name === 'field_0' ? 'Enter an e-mail address like name@example.com.' : '';
    markup += `<div class="field">\n<label for="${id}">${escaped(label)}`;
    if (required) markup += ' <span class="field-required" aria-hidden="true">*</span>';
    markup += `</label>\n<p class="field-help" id="${id}--help">${escaped(help)}</p>\n`;
    if (error) markup += `<p class="field-error" id="${id}--error">${escaped(error)}</p>\n`;
    markup += `<input type="${type}" id="${id}" name="${escaped(name)}"`;
    if (required) markup += ' required';
    if (error) markup += ' autofocus';
    markup += ` autocomplete="${escaped(autocomplete)}"`;
    if (error) markup += ' aria-invalid="true"';
    markup += ` aria-describedby="${id}--help${error ? ` ${id}--error` : ''}"`;
    markup += ` value="${escaped(values.get(name)?.[0] ?? '')}">\n</div>\n`;
  }
  return markup + tail;
}

contest('A form of ten fields', { relay, 'by hand': byHand });
