import { answerOf } from '../../../test/support/chat_suite.ts';
import { httpSink, relayWith, smtpSink } from '../../../test/support/index.ts';
import { sampleMails, withoutHead } from '../../../test/support/sample_mails.ts';
import { slack } from '../../../test/support/slack.ts';
import { type MailBody, renderMail } from '../src/html_mail.ts';

/** Edge cases: at the start or end of a line, of a paragraph, of an apparent address. */
const edges: MailBody = {
  language: 'en',
  direction: 'ltr',
  title: 'Two\nlines,\tand  spaces \u202eturned',
  intro: [
    '\n\n  \nAfter empty lines, ',
    { href: 'https://acme.example/a' },
    '\n',
    'mailto:office@acme.example, office@acme.example\n \n\t\n',
    { href: 'https://acme.example/?to=mailto:office' },
    '.\n\n',
  ],
  entries: [
    { label: 'Nothing', values: [] },
    { label: 'Nothing but space', values: [' \t', '\u200e'] },
    { label: 'One of two', values: ['', 'one'] },
    { label: 'A\nlabel: of lines?', values: ['yes'] },
    { label: 'Ends with a colon:', values: ['a\tb', ' c \n\n \n\n\td\r\ne\u2028f'] },
    { label: '100 characters', values: [`${'ten chars '.repeat(9)}ten chars.`] },
    { label: '101 characters', values: [`${'ten chars '.repeat(10)}.`] },
    { label: '102 characters', values: [`${'ten chars '.repeat(10)}..`] },
    { label: '200 characters', values: [`${'ten chars '.repeat(19)}ten chars.`] },
    { label: 'A long word alone', values: ['x'.repeat(150)] },
    { label: 'A long word first', values: [`${'x'.repeat(150)} and ${'y'.repeat(100)}`] },
    { label: 'A long word after a space', values: [`a\n ${'x'.repeat(120)} b`] },
    { label: 'Addresses', values: ['see www.evil.example and  evil.example\n<ada@b.example>, ftp://c'] },
    { label: 'Letters', values: ['<b>"&amp;"</b> é 👩‍👩‍👧 \ud83d ~\x7f'] },
  ],
  page: { label: 'The\npage', url: 'https://acme.example/a?b=1&c="2"', isLink: false },
  footer: ['One\n\nTwo ', { href: 'https://acme.example/' }, '\nThree'],
};

const bare: MailBody = { ...edges, title: '', intro: [], entries: [], page: undefined, footer: [] };

/** Compares every byte, so that any change of a mail's appearance is seen. `-u` rewrites the files; look at them in a browser. */
test.each(Object.entries({ ...sampleMails, edges, bare }))('%s: as text and as HTML', async (name, mail) => {
  const { text, html } = renderMail(mail);
  await expect(text).toMatchFileSnapshot(`letters/${name}.txt`);
  const written = name === 'english' ? html : withoutHead(html);
  await expect(written).toMatchFileSnapshot(`letters/${name}.html`);
});

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

/** Compares every byte, so that any change of what is sent is seen. `-u` rewrites the files. */
test.each(Object.entries(mails))('%s: what is sent', async (name, output) => {
  const smtp = await smtpSink();
  const ses = await httpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
  const server = name.startsWith('smtp') ? { host: smtp.host, port: smtp.port } : {};
  const form = { title: 'Ask <us>', page: true, fields, outputs: [{ ...output, ...server }] };
  const relay = await relayWith({
    config: JSON.stringify({ forms: { contact: form } }),
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL: ses.origin,
      MAIL_FROM_ADDRESS: 'default@firm.test',
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'secret',
      ALLOWED_ORIGINS: 'https://firm.test',
      OTHERS: 'a@firm.test, Bea <b@firm.test>, OFFICE@firm.test',
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

const fieldsSlackMessage = `
    title: Ask us
    page: true
    fields:
      - {name: name, label: Your name}
      - {name: topics, type: checkboxes, options: [{value: r, label: The roof}, {value: w, label: Walls}]}
      - {name: consent, label: "I agree", type: checkbox}
      - {name: message, type: textarea}
      - {name: code, type: textarea}`;

const sentSlackMessage: [string, string][] = [
  ['name', 'Ada *Lovelace* <ada@visitor.test>'],
  ['topics', 'w'],
  ['topics', 'r'],
  ['consent', 'on'],
  ['message', 'The roof\n\n- leaks_badly'],
  ['code', 'a ``b`` and `c`'],
  ['_page_url', 'https://firm.test/boots?a=1'],
];

/** Compares every byte, so that any change of a message's appearance is seen. `-u` rewrites the files; look at them in Slack. */
test('sent messages', async () => {
  const sink = await httpSink({ answer: (request) => answerOf(slack, request) });
  const address = `url: "${slack.keys(sink.origin).url}"`;
  const outputs = [
    `{type: slack, ${address}}`,
    `{type: slack, ${address}, title: "From {{ .fields.name }}", mapping: {Who: name, Code: code}}`,
    `{type: slack, ${address}, title: Somebody wrote, mapping: {}}`,
  ];
  const relay = await relayWith({
    config: `forms:\n  contact:${fieldsSlackMessage}\n    outputs:\n${outputs.map((output) => `      - ${output}\n`).join('')}`,
  });
  expect((await relay.submit('contact', sentSlackMessage)).status).toBe(200);
  const requests = sink.requests.map(({ method, url, headers, bytes }) =>
    [
      `${method} ${url.replace(/[\w-]{20,}$/, 'ID')}`,
      `content-type: ${headers['content-type']}`,
      '',
      JSON.stringify(JSON.parse(bytes.toString()), undefined, 2),
      '',
    ].join('\n'),
  );
  await expect(requests.toSorted().join('\n')).toMatchFileSnapshot('slack_message.txt');
});
