import { httpSink } from '../../../test/support/index.ts';
import { botToken, humanToken } from '../src/printing.ts';
import type { Sent, SubmissionReport } from '../src/report.ts';
import { stage } from './stage.ts';

const sentBy = (report: SubmissionReport, output = 0): readonly Sent[] => report.outputs[output]?.sent ?? [];
const bytesOf = (sent: Sent | undefined) => {
  if (sent?.kind === 'entry') return sent.text;
  return sent?.kind === 'http' ? sent.bytes : sent?.source;
};

const guarded = `
forms:
  contact:
    fields: [{name: email, type: email, required: true}, {name: kind}, {name: firm, visible_when: {field: kind, is: b}}]
    spam: {honeypot: website, min_fill_seconds: 3, form_ttl: 1h}
    captcha: {provider: recaptcha_v3, secret: '{{ env "CAPTCHA_SECRET" }}', min_score: 0.5}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/hook", mapping: "*"}]
`;

const tokenOf = async ({ handle }: ReturnType<typeof stage>) => {
  const { body } = await handle({
    method: 'GET',
    path: '/api/v1/token/contact',
    query: '',
    headers: {},
    body: undefined,
  });
  return /value="([^"]+)"/.exec(body)?.[1] ?? '';
};
const human = { email: 'a@b.example', 'g-recaptcha-response': humanToken };

const passed = [
  'passed: the decoy field "website" is empty',
  'passed: sent 4 s after the form was shown; the minimum is 3 s',
  'passed: recaptcha_v3 accepts the token in "g-recaptcha-response"',
  'passed: 2 fields are valid; left out, since visible_when does not hold: firm',
];
/** The values, how long the form was shown, the outcome, how many checks passed, and the text of the one that ended it. */
type Case = [sent: Record<string, string>, waitMs: number, outcome: string, passes: number, ended: string];
const decoy =
  'the decoy field "website" is filled in; only bots see this field. The sender sees the usual confirmation';
const fast = 'sent after 1000 ms; the minimum is 3000 ms. The sender sees the usual confirmation';
const bot = { ...human, 'g-recaptcha-response': botToken };
const refused = 'recaptcha_v3 does not accept the token: pretended-bot';
const missing = 'the token in "g-recaptcha-response" is missing';
test.each<Case>([
  [{ ...human, firm: 'x' }, 4_000, 'delivered', 4, ''],
  [{ ...human, website: 'spam' }, 4_000, 'dropped', 0, decoy],
  [human, 1_000, 'dropped', 1, fast],
  [human, 3_600_001, 'expired', 1, 'the form was shown longer ago than 1 h (form_ttl)'],
  [bot, 4_000, 'captcha_failed', 2, refused],
  [{ email: 'a@b.example' }, 4_000, 'captcha_failed', 2, missing],
  [
    { ...human, email: 'nobody' },
    4_000,
    'invalid',
    3,
    'email: Enter an e-mail address like name@example.com.',
  ],
])(
  'the checks of a report: say why they passed or ended a submission: %j after %i ms is %s',
  async (sent, waitMs, outcome, passes, ended) => {
    const staged = stage({ config: guarded });
    const token = await tokenOf(staged);
    staged.clock.now += waitMs;
    const { report } = await staged.send('contact', { ...sent, _ts: token });
    expect(report.outcome).toBe(outcome);
    const active = report.checks.filter(({ verdict }) => verdict !== 'off');
    const rest = [`ended: ${ended}`, ...Array(3).fill('not_reached: ')].slice(0, 4 - passes);
    expect(active.map(({ verdict, says }) => `${verdict}: ${says}`)).toEqual([
      ...passed.slice(0, passes),
      ...rest,
    ]);
    expect(report.outputs.length).toBe(outcome === 'delivered' ? 1 : 0);
  },
);

test.each([
  ['nosuch', 'email=a', 'unknown_form', 'the config has no such form'],
  ['contact', '%zz', 'bad_request', 'the body is not valid application/x-www-form-urlencoded'],
])('a submission to %s with the body %s has a report, too', async (form, body, outcome, says) => {
  const { handle, reports } = stage({ config: guarded });
  await handle({
    method: 'POST',
    path: `/api/v1/submit/${form}`,
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(body),
  });
  expect(reports).toMatchObject([{ form, outcome, says, outputs: [] }]);
});

/** A config with one form, `all`, and these outputs. */
const all = (fields: string, ...outputs: readonly string[]) =>
  `forms: {all: {fields: ${fields}, outputs: [${outputs.map((one) => `{${one}}`)}]}}`;

const everyType = (url: string) =>
  all(
    '[{name: email, type: email}]',
    `type: http_post, url: "${url}", mapping: "*", headers: {Authorization: 'Bearer {{ env "API" }}', X-Api-Key: literal-key, X-Page: home}`,
    `type: crm_web2lead, url: "${url}", mapping: "*", static: {token: literal-token, oid: 00D1}`,
    `type: smtp, host: mail.example.com, to: '{{ env "TEAM" }}', username: u, password: '{{ env "PASS" }}', mapping: "*", static: {key: '{{ env "API" }}'}`,
    `type: email, to: a@example.com, subject: 'From {{ .fields.email }}', mapping: "*"`,
    'type: nosuch, mapping: "*"',
  );
const secrets = { API: 'a p!/secret', PASS: 'pa55word', TEAM: 'team@example.com, boss@example.com' };

test('every output is reported with what it would send, and nothing is sent', async () => {
  const sink = await httpSink();
  const { send } = stage({ config: everyType(`${sink.origin}/hook`), env: secrets });
  const { report, answer } = await send('all', { email: 'ada@example.org' });
  expect(answer.status).toBe(500);
  expect(
    report.outputs.map((one) => [one.type, one.result, one.result === 'failed' ? one.reason : undefined]),
  ).toEqual([
    ['http_post', 'delivered', undefined],
    ['crm_web2lead', 'delivered', undefined],
    ['smtp', 'delivered', undefined],
    ['email', 'delivered', undefined],
    ['nosuch', 'failed', 'no such output type'],
  ]);
  expect(bytesOf(sentBy(report, 0)[0])).toMatch(
    /^POST \/hook HTTP\/1\.1\r\nhost: .*email=ada%40example\.org$/s,
  );
  expect(sentBy(report, 2)[0]).toMatchObject({
    server: 'mail.example.com:587',
    envelope: { from: 'relay@mail.example.com', to: ['team@example.com', 'boss@example.com'] },
    answer: 'accepted (pretended)',
  });
  expect(sentBy(report, 3)[0]).toMatchObject({ server: 'Amazon SES', subject: 'From ada@example.org' });
  expect(bytesOf(sentBy(report, 3)[0])).toContain(
    '"FromEmailAddress":"mail-from-address@is-not-set.example"',
  );
  expect(sink.connections).toBe(0);
});

test.each([
  ['{field: kind, is: sales}', 'kind=press', 'kind is not sales'],
  ['{field: kind, is: [sales, jobs]}', '', 'kind is not sales or jobs'],
  ['{field: kind, is_not: [sales, press]}', 'kind=press', 'kind is press'],
  ['{field: topics, is_not: [a, b, c]}', 'topics=a&topics=c', 'topics is a or c'],
  ['{field: kind, is_not: ["", sales]}', 'kind=', 'kind is empty'],
  ['{field: kind, is: ["", sales]}', 'kind=press', 'kind is not empty or sales'],
  ['{field: kind, filled: true}', 'kind=', 'kind is empty'],
  ['{field: kind, filled: false}', 'kind=press', 'kind is filled in'],
])('an output with when: %s is skipped for %j, since %s', async (when, body, reason) => {
  const rest = '{type: http_post, url: "https://rest.example.com/", mapping: "*"}';
  const { send } = stage({
    config: `forms: {a: {fields: [{name: kind}, {name: topics}], outputs: [{type: folder, path: a, when: ${when}}, ${rest}]}}`,
  });
  const { report } = await send('a', body);
  expect(report.says).toBe('to 1 of 2 outputs, 1 skipped');
  const skipped = { index: 0, type: 'folder', target: 'a', payload: [], sent: [], result: 'skipped', reason };
  expect(report.outputs).toMatchObject([skipped, { index: 1, result: 'delivered' }]);
});

test('a header with a signature is redacted, but not a field that visitors sign', async () => {
  const config = all(
    '[{name: my_signature}, {name: sig}]',
    'type: webhook, url: "https://api.example.com/", mapping: "*", headers: {Signature: literal, X-Hub-Signature-256: literal, Sig: literal}',
    'type: http_post, url: "https://api.example.com/", mapping: "*"',
    'type: smtp, host: mail.example.com, to: a@example.com, mapping: "*", headers: {X-Signature: literal}',
    'type: folder, path: /nowhere, mapping: "*"',
  );
  const { report } = await stage({ config }).send('all', { my_signature: 'Ada', sig: 'Lovelace' });
  expect(JSON.stringify(report)).not.toContain('literal');
  for (const { payload } of report.outputs)
    expect(payload).toEqual([
      ['my_signature', ['Ada']],
      ['sig', ['Lovelace']],
    ]);
  expect(report.outputs.map((_, index) => bytesOf(sentBy(report, index)[0]))).toEqual([
    expect.stringMatching(/signature: \*{3}\r\nx-hub-signature-256: \*{3}\r\nsig: \*{3}\r\n.*:"Lovelace"}$/s),
    expect.stringMatching(/my_signature=Ada&sig=Lovelace$/),
    expect.stringMatching(/X-Signature: \*{3}\r\n.*my_signature=Ada\r\nsig=Lovelace/s),
    expect.stringContaining('Lovelace'),
  ]);
});

test('a token in the path of a webhook is redacted, but not a name or a UUID', async () => {
  const config = all(
    '[{name: email}]',
    'type: http_post, url: "https://hooks.slack.com/services/T0001/B0002/abcdefghijklmnopqrst1234", mapping: "*"',
    'type: http_post, url: "https://x.example/a-b/6a8f1c1e-7d0a-4a39-9c5e-2f4b1c7d9e00", mapping: "*"',
  );
  const { send } = stage({ config });
  const { report } = await send('all', { email: 'ada@example.org' });
  expect(JSON.stringify(report)).not.toContain('abcdefghijklmnopqrst1234');
  expect(report.outputs.map(({ target }) => target)).toEqual([
    'https://hooks.slack.com/services/T0001/B0002/***',
    'https://x.example/a-b/6a8f1c1e-7d0a-4a39-9c5e-2f4b1c7d9e00',
  ]);
  expect(bytesOf(sentBy(report, 0)[0])).toMatch(/^POST \/services\/T0001\/B0002\/\*\*\* HTTP/);
});

test('a run that delivers sends what it shows, and shows the responses', async () => {
  const sink = await httpSink({ answer: () => ({ status: 201 }) });
  const config = all('[{name: email}]', `type: http_post, url: "${sink.origin}/hook", mapping: "*"`);
  const { send } = stage({ config, isDelivering: true });
  const { report } = await send('all', { email: 'ada@example.org' });
  expect(sink.requests.map(({ body }) => body)).toEqual(['email=ada%40example.org']);
  expect(sentBy(report)[0]).toMatchObject({ answer: '201' });
});

test('a mail is shown with all recipients, and with readable MIME even if SES gets it as base64', async () => {
  const config = all(
    '[{name: email, type: email, label: Your address}]',
    `type: smtp, host: mail.example.com, from: f@acme.example, to: '{{ env "TEAM" }}', cc: '"Berg, Anna" <anna@acme.example>', bcc: archive@acme.example, html: true`,
    'type: email, to: a@example.com, html: true, intro: "Größe"',
    'type: email, to: a@example.com, mapping: "*"',
  );
  const env = { TEAM: 'Team <team@example.com>, boss@example.com' };
  const { report } = await stage({ config, env }).send('all', { email: 'ada@example.org' });
  expect(sentBy(report)[0]).toMatchObject({
    to: ['Team <team@example.com>', 'boss@example.com'],
    cc: ['"Berg, Anna" <anna@acme.example>'],
    bcc: ['archive@acme.example'],
    envelope: { to: ['team@example.com', 'boss@example.com', 'anna@acme.example', 'archive@acme.example'] },
  });
  expect(bytesOf(sentBy(report)[0])).not.toContain('archive@acme.example');
  const request = bytesOf(sentBy(report, 1)[0]) ?? '';
  expect(request).toContain('"Raw":{"Data":"(base64 of what follows)"}');
  expect(request).toMatch(/\r\n\r\nFrom: .*Content-Type: multipart\/alternative;.*&#246;/s);
  expect(sentBy(report, 2)[0]).toMatchObject({ html: undefined, text: 'email=ada@example.org\n' });
});

test('addresses that a delivery drops are reported, and not shown', async () => {
  const smtp = 'type: smtp, host: mail.firm.org, from: a@firm.org, mapping: {a: name}';
  const { send } = stage({
    config: `forms: {contact: {fields: [{name: email}, {name: name}], outputs: [
      {${smtp}, to: 'office@firm.org, {{ .fields.email }}', reply_to: '{{ .fields.email }}'},
      {type: email, from: a@firm.org, to: office@firm.org, reply_to: '{{ .fields.email }}', mapping: {a: name}},
      {${smtp}, to: '{{ .fields.email }}', on_error: continue}]}}`,
    env: { AWS_REGION: 'eu-central-1' },
  });
  const sentTo = async (email: string) => {
    const { report } = await send('contact', { email, name: 'x' });
    return report.outputs.map(({ warnings, sent }) => [
      warnings.length,
      sent.map((one) => (one.kind === 'mail' ? [...one.envelope.to, one.replyTo].join(' ') : '')),
      sent.map((one) => (one.kind === 'mail' ? one.source.includes('почта@') : '')),
    ]);
  };
  const office = 'office@firm.org';
  const written = 'почта@xn--e1afmkfd.xn--p1ai';
  expect(await sentTo('user..x@docomo.ne.jp')).toEqual([
    [2, [`${office} `], [false]],
    [1, [`${office} `], [false]],
    [0, [], []],
  ]);
  expect(await sentTo('почта@пример.рф')).toEqual([
    [1, [`${office} ${written} ${written}`], [true]],
    [1, [`${office} `], [false]],
    [1, [`${written} `], [true]],
  ]);
});

test('a message in Slack is shown as people read it', async () => {
  const output = '{type: slack, url: "https://chat.example", title: "{{ .fields.name }}"}';
  const fields = '[{name: name, label: Your name}, {name: message}]';
  const { send } = stage({ config: `forms: {contact: {fields: ${fields}, outputs: [${output}]}}` });
  const { report } = await send('contact', { name: '<!channel> *Zoë*', message: 'Hi\nthere' });
  expect(sentBy(report)).toMatchObject([
    {
      says: {
        title: '<!channel> *Zoë*',
        entries: [
          { label: 'Your name', value: '<!channel> *Zoë*' },
          { label: 'Message', value: 'Hi\nthere' },
        ],
        footer: [],
      },
    },
  ]);
});

test('a URL in a variable stays hidden', async () => {
  const config = 'forms: {contact: {fields: [{name: name}], outputs: [{type: slack, url_env: CHAT}]}}';
  const unset = await stage({ config }).send('contact', { name: 'Ada' });
  expect(unset.report).toMatchObject({ outcome: 'delivered' });
  expect(unset.report.notes).toContainEqual(
    expect.stringMatching(/^CHAT is not set here; this run uses a placeholder/),
  );
  const env = { CHAT: 'https://ntfy.example/topic-1234' };
  const { report } = await stage({ config, env }).send('contact', { name: 'Ada' });
  expect(report.outcome).toBe('delivered');
  expect(JSON.stringify(report)).not.toMatch(/1234|ntfy\.example/);
});

describe('a submission with files', () => {
  const config = (more: string, language = 'en') => `
forms:
  apply:
    language: ${language}
    fields: [{name: name}, {name: cv, type: file, max_size: 5MB}]
    outputs:
      - {type: webhook, url: "https://hooks.example/x", mapping: "*", ${more}}
      - {type: http_post, url: "https://crm.example/x", mapping: "*", when: {field: cv, filled: false}}
`;
  const cv = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1_234_567, 7)]);

  async function apply(more: string, env: Record<string, string> = {}, language?: string) {
    const { handle, reports } = stage({ config: config(more, language), env });
    const form = new FormData();
    form.append('name', 'Ada "Countess"');
    form.append('cv', new File([cv], 'cv "1".pdf', { type: 'application/pdf' }));
    form.append('other', new File(['x'], 'other.txt'));
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    await handle({
      method: 'POST',
      path: '/api/v1/submit/apply',
      query: '',
      headers: Object.fromEntries(request.headers),
      body: new Uint8Array(await request.arrayBuffer()),
    });
    const [report] = reports;
    if (!report) throw new Error('there is no report');
    return { report, bytes: bytesOf(sentBy(report)[0]) ?? '' };
  }

  test('describes what was sent, and shows requests with descriptions of their files', async () => {
    const { report, bytes } = await apply('files: base64');
    expect(report).toMatchObject({
      outcome: 'delivered',
      values: expect.arrayContaining([['cv', [expect.stringMatching(/^cv .*1.*\.pdf \(1.2 MB\)$/)]]]),
      ignored: ['other'],
      outputs: [{ result: 'delivered' }, { result: 'skipped', reason: expect.stringContaining('cv') }],
    });
    const [head = '', body = ''] = bytes.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({
      name: 'Ada "Countess"',
      cv: {
        name: expect.stringMatching(/^cv .*1.*\.pdf$/),
        type: 'application/pdf',
        size: cv.length,
        content: expect.stringMatching(/^\(base64 of cv .*1.*\.pdf \(1\.2 MB\)\)$/),
      },
    });
    const [, length] = /content-length: (\d+)/.exec(head) ?? [];
    expect(Number(length)).toBeGreaterThan((cv.length * 4) / 3);
    expect(bytes.length).toBeLessThan(1_000);
    expect(JSON.stringify(report).length).toBeLessThan(10_000);
  });

  test('shows the real signature', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const { report, bytes } = await apply(`files: base64, sign: {secret: '{{ env "S" }}'}`, { S: secret });
    expect(report.outcome).toBe('delivered');
    expect(bytes).toMatch(/webhook-signature: v1,[\w+/]{43}=\r\n/);
  });
});

test('a PDF is listed among the values of outputs that send it', async () => {
  const config = all(
    '[{name: a}]',
    'type: folder, path: /srv/orders, mapping: "*", pdf: true',
    'type: smtp, host: mail.example.com, to: a@example.com, pdf: true, html: true',
  );
  const { report } = await stage({ config }).send('all', { a: 'tea' });
  const pdf = expect.stringMatching(/^all-20300101T000000000Z-[\w-]+\.pdf \(\S+ KB\)$/);
  expect(report.outputs.map((output) => output.payload)).toEqual([
    [
      ['a', ['tea']],
      ['_pdf', [pdf]],
    ],
    [],
  ]);
});
