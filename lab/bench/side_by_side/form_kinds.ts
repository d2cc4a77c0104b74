/** The forms that both builds serve: each way out, and each way in which a delivery ends. */
import type { Sinks } from './sinks.ts';

const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email', required: true },
  { name: 'company' },
  { name: 'topics', type: 'checkboxes', options: ['sales', 'support', 'press'] },
  { name: 'message', type: 'textarea', required: true, max_length: 3_000 },
];

const strict = [
  { name: 'name', min_length: 2, max_length: 20, pattern: '[A-Za-z ]+' },
  { name: 'email', type: 'email' },
  { name: 'url', type: 'url' },
  { name: 'tel', type: 'tel' },
  { name: 'number', type: 'number', min: 1, max: 10, step: 0.5 },
  { name: 'date', type: 'date', min: '2020-01-01' },
  { name: 'kind', type: 'radios', options: ['business', 'private'] },
  { name: 'plan', type: 'select', options: ['small', 'large'] },
  { name: 'topics', type: 'checkboxes', options: ['sales', 'support', 'press'], max_choices: 2 },
  { name: 'terms', type: 'checkbox' },
  { name: 'company', visible_when: { field: 'kind', is: 'business' }, required: true },
  { name: 'source', type: 'hidden' },
];

/** How the sink answers (sinks.ts), where an output of its own stands for each. */
export const endings =
  'created chunked hints nothing last old moved seen astray refused missing broken busy garbage cut silent'.split(
    ' ',
  );

/** The names of forms that take the five fields above. */
export const plainForms = [
  'contact three mapped mail html webhook tree signed crm keeping paged traced confirmed observed'.split(' '),
  endings.map((name) => `to_${name}`),
  'refusing lenient unknown_output'.split(' '),
].flat();

/** The config as JSON, which is YAML. */
export function configFor({ http, smtp }: Sinks, folder: string): string {
  const to = (path: string) => ({ url: `http://127.0.0.1:${http}/${path}`, mapping: '*' });
  const post = { type: 'http_post', ...to('hook') };
  const mail = { type: 'smtp', host: '127.0.0.1', port: String(smtp), from: 'relay@forms.example' };
  const letter = { ...mail, to: 'office@firm.example', mapping: '*', reply_to: '{{ .fields.email }}' };
  const hook = { type: 'webhook', ...to('hook?kind=webhook') };
  const spam = { honeypot: 'website' };
  const form = (outputs: readonly object[], more: object = {}) => ({ fields, spam, outputs, ...more });
  const subject = 'From {{ default "somebody" (trim .fields.name) }} – {{ join ", " (values "topics") }}';
  const mapping = { full_name: 'name', text: 'message', topics: 'topics' };
  const forms = {
    contact: form([post]),
    three: form([post, hook, { ...letter, subject }]),
    mapped: form([
      { ...post, mapping, static: { form: '{{ .form.id }}', name: '{{ upper .fields.name }}' } },
      { ...post, headers: { 'X-Name': '{{ .fields.email }}', Authorization: 'Bearer {{ env "TOKEN" }}' } },
    ]),
    mail: form([{ ...letter, subject, cc: 'second@firm.example' }]),
    html: form([{ ...letter, html: true, intro: 'Somebody wrote:', footer: 'Sent by the website.' }]),
    webhook: form([hook]),
    tree: form([{ ...hook, body: { who: { $field: 'name' }, all: '$fields', at: '{{ .form.id }}' } }]),
    signed: form([{ ...hook, sign: { secret: '{{ env "HOOK_SECRET" }}' } }]),
    crm: form([{ type: 'crm_web2lead', ...to('crm'), mapping: { first_name: 'name', '00N': 'topics' } }]),
    keeping: form([post], { keep: 'failed' }),
    paged: form([{ ...post, static: { page: '{{ .page.url }}' } }], {
      page: true,
      bodies: ['json', 'multipart'],
    }),
    traced: form([post], { receipt: true, confirmation: 'Thanks. [More](https://www.example.com/)' }),
    confirmed: form([letter], { redirect: 'https://www.example.com/thanks' }),
    observed: form([post], { spam: { ...spam, doubt: 'observe' } }),
    ...Object.fromEntries(
      endings.map((name) => [`to_${name}`, form([{ type: 'http_post', ...to(name), retries: 0 }])]),
    ),
    refusing: form([{ ...letter, to: 'nobody@firm.example' }]),
    lenient: form([{ type: 'http_post', ...to('broken'), retries: 0, on_error: 'continue' }, post]),
    unknown_output: form([post, { type: 'pigeon', on_error: 'continue' }]),
    strict: { fields: strict, spam, outputs: [post], bodies: ['json'], language: 'de' },
    timed: form([post], { spam: { ...spam, min_fill_seconds: 1 } }),
    files: {
      fields: [{ name: 'name' }, { name: 'cv', type: 'file', accept: ['text', 'pdf'], max_size: '100KB' }],
      outputs: [letter, { ...hook, files: 'base64' }, { ...hook, files: 'multipart' }],
    },
  };
  return JSON.stringify({ keep: { in: folder }, forms });
}
