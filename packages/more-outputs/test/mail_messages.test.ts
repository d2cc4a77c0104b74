import { expect, test } from 'vitest';
import { httpSink, relayWith, smtpSink } from '../../../test/spec/stage.ts';
import { withoutHead } from '../../../test/support/sample_mails.ts';

const fields = [
  { name: 'name', label: 'Your name' },
  { name: 'email', type: 'email' },
  { name: 'topics', type: 'checkboxes', options: [{ value: 'r', label: 'The roof' }, 'walls'] },
  { name: 'ref', type: 'hidden' },
  { name: 'message', type: 'textarea' },
];

const sent: [string, string][] = [
  ['name', 'Ada\r\nLovelace'],
  ['email', 'ada@visitor.test'],
  ['topics', 'r'],
  ['topics', 'walls'],
  ['ref', 'a\nb'],
  ['message', 'The roof\r\n\r\n\r\nleaks.\tVery\vbadly. See https://visitor.test'],
  ['_page_url', 'https://firm.test/boots?a=1'],
];

const addressed = {
  from: 'Website <forms@firm.test>',
  to: 'Büro <office@firm.test>, {{ .fields.email }}, {{ env "OTHERS" }}',
  cc: '"Boss, the" <boss@firm.test>',
  bcc: 'hidden@firm.test',
  subject: '{{ .fields.name }} asks: {{ .labels.topics }}',
  reply_to: '{{ .fields.email }}',
  reply_to_name: '{{ .fields.name }}',
  headers: { 'X-Priority': '1', 'X-Form': '{{ .form.id }}' },
};

const text =
  '{{ .fields.name }} ({{ .fields.ref }}) on {{ .page.url }}:\n\n{{ .fields.message }}\n\n' +
  '{{ .labels.topics }} {{ .labels.ref }}{{ .labels.nobody }} https://firm.test/ours or office@firm.test, https://firm.test.';

const least = { to: 'office@firm.test', mapping: '*' };
const html = { html: true, intro: 'Hello {{ .fields.name }}\n', footer: 'https://firm.test/' };

const mails: Record<string, object> = {
  'smtp with the least keys': { type: 'smtp', ...least },
  'smtp with every key': { type: 'smtp', ...addressed, text },
  'smtp as html': { type: 'smtp', ...addressed, ...html, mapping: { Who: 'name', What: 'message' } },
  'smtp with text as html': { type: 'smtp', ...least, ...html, text },
  'email with the least keys': { type: 'email', ...least },
  'email with every key': { type: 'email', ...addressed, text },
  'email with a text': { type: 'email', ...least, text: 'Hello.' },
  'email as html': { type: 'email', ...least, html: true },
};

/** Each byte, so that a change of what is sent is seen. `-u` rewrites them. */
test.each(Object.entries(mails))('%s: what is sent', async (name, output) => {
  const smtp = await smtpSink();
  const ses = await httpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
  const server = name.startsWith('smtp') ? { host: smtp.host, port: smtp.port } : {};
  const form = { title: 'Ask <us>', page: true, fields, outputs: [{ ...output, ...server }] };
  const relay = await relayWith({
    config: JSON.stringify({ forms: { contact: form } }),
    env: {
      ...{ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: ses.origin, MAIL_FROM_ADDRESS: 'default@firm.test' },
      ...{ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' },
      ...{ ALLOWED_ORIGINS: 'https://firm.test', OTHERS: 'a@firm.test, Bea <b@firm.test>, OFFICE@firm.test' },
    },
    effects: { now: () => Date.parse('2026-03-04T05:06:07Z') },
  });
  const { status } = await relay.submit('contact', sent, { origin: 'https://firm.test' });
  expect(status, JSON.stringify(relay.logged)).toBe(200);
  const [mail] = smtp.mails;
  const said = mail
    ? `${JSON.stringify(mail.envelope, undefined, 2)}\n${mail.raw}`
    : saidToSes(ses.requests[0]?.bytes.toString() ?? '');
  const id = String(relay.logged.find(({ event }) => event === 'submission')?.request_id);
  const file = withoutHead(said.replaceAll(id, 'ID').replaceAll('\r\n', '\n'));
  await expect(file).toMatchFileSnapshot(`mail_messages/${name}.txt`);
});

function saidToSes(body: string): string {
  const { Content, ...about } = JSON.parse(body);
  const bytes = Content.Raw && Buffer.from(Content.Raw.Data, 'base64').toString('latin1');
  return `${JSON.stringify(about, undefined, 2)}\n${bytes ?? JSON.stringify(Content, undefined, 2)}\n`;
}
