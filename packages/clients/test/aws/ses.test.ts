import { httpSink, reasons, relayWith, type SinkAnswer, smtpSink } from '../../../../test/support/index.ts';
import { readStrictly } from '../../../../test/support/strict_mail.ts';
import { account, startSes } from './aws.ts';

const config = (output: string, more = '') => `
forms:
  contact:
    fields:
      - {name: name}
      - {name: email, type: email}
      - {name: topics, type: checkboxes, options: [sales, press]}
      - {name: message, type: textarea}
    outputs:
      - {type: email, mapping: "*", ${output}}
      ${more}
`;

const from = { ...account, MAIL_FROM_ADDRESS: 'forms@example.com' };

test('aws-ses-v2-local receives the mail as intended', async () => {
  const ses = await startSes();
  const relay = await relayWith({
    config: config(
      'to: "office@example.com, boss@example.com", reply_to: "{{ .fields.email }}", subject: "Grüße von {{ .fields.name }} 😀"',
    ),
    env: { ...from, AWS_ENDPOINT_URL_SESV2: ses.origin },
  });
  const answer = await relay.submit('contact', [
    ['name', 'Ärger & Söhne'],
    ['email', 'ada@example.org'],
    ['topics', 'press'],
    ['topics', 'sales'],
    ['message', 'Zeile 1\r\nZeile 2 😀'],
  ]);
  expect(answer.status).toBe(200);
  expect(await ses.mails()).toMatchObject([
    {
      from: 'forms@example.com',
      destination: { to: ['office@example.com', 'boss@example.com'] },
      replyTo: ['ada@example.org'],
      subject: 'Grüße von Ärger & Söhne 😀',
      body: {
        text: 'email=ada@example.org\nmessage=Zeile 1\n\tZeile 2 😀\nname=Ärger & Söhne\ntopics=press\ntopics=sales\n',
      },
    },
  ]);
});

describe('aws-ses-v2-local, for mails that SES cannot compose itself', () => {
  const values: [string, string][] = [
    ['name', 'Ärger, "Söhne"'],
    ['email', 'ada@example.org'],
    ['message', 'Zeile 1\r\n<b>Zeile 2</b> 😀'],
  ];

  test('receives the same bytes as over SMTP, with all recipients in its Destination', async () => {
    const sent = await smtpSink();
    const api = await httpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
    const keys = `to: 'Büro <office@example.com>', cc: a@example.com, bcc: b@example.com, from: Formulare <forms@example.com>, html: true`;
    const relay = await relayWith({
      config: config(keys, `- {type: smtp, host: 127.0.0.1, port: ${sent.port}, mapping: "*", ${keys}}`),
      env: { ...from, AWS_ENDPOINT_URL_SESV2: api.origin },
    });
    expect((await relay.submit('contact', values)).status).toBe(200);
    const { Content, ...rest } = JSON.parse(api.requests[0]?.bytes.toString() ?? '');
    expect(rest).toEqual({
      Destination: {
        ToAddresses: ['office@example.com'],
        CcAddresses: ['a@example.com'],
        BccAddresses: ['b@example.com'],
      },
    });
    const raw = Buffer.from(Content.Raw.Data, 'base64').toString('latin1');
    // The ids end with the index of the output.
    const id = (text: string) => text.replaceAll(/([\da-f]{12})-\d\b/g, '$1');
    expect(id(raw)).toBe(id(sent.mails[0]?.raw ?? ''));
    expect(readStrictly(raw).parts.map(({ type }) => type)).toEqual(['text/plain', 'text/html']);
    expect(raw).not.toContain('b@example.com');
  });
});

describe('a fake SES', () => {
  interface Stage {
    readonly output?: string;
    readonly more?: string;
    readonly env?: Record<string, string>;
    readonly answer?: () => SinkAnswer | Promise<SinkAnswer>;
  }

  async function stage({ output = 'to: office@example.com', more, env, answer }: Stage) {
    const sent = { status: 200, body: '{"MessageId":"1"}' };
    const sink = await httpSink({ answer: answer ?? (() => sent) });
    const relay = await relayWith({
      config: config(output, more),
      env: { ...from, AWS_ENDPOINT_URL: sink.origin, ...env },
    });
    return {
      relay,
      sink,
      /** The requests to SES, as JSON. */
      requests: () => sink.requests.map(({ bytes }) => JSON.parse(bytes.toString())),
    };
  }

  test('is called as the SES v2 API says', async () => {
    const { relay, sink } = await stage({ env: { AWS_SESSION_TOKEN: 'a-token' } });
    await relay.submit('contact', 'name=Ann');
    expect(sink.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v2/email/outbound-emails',
      headers: {
        'content-type': 'application/json',
        'x-amz-security-token': 'a-token',
        authorization: expect.stringContaining('/eu-central-1/ses/aws4_request'),
      },
    });
  });

  test.each([
    ['ann@grün.example', 'ann@xn--grn-ioa.example'],
    ["o'hara+x@example.com", "o'hara+x@example.com"],
  ])('a reply goes to %s', async (address, replyTo) => {
    const output = 'to: office@example.com, reply_to: "{{ .fields.name }}"';
    const { relay, requests } = await stage({ output });
    expect((await relay.submit('contact', [['name', address]])).status).toBe(200);
    expect(requests()[0].ReplyToAddresses).toEqual([replyTo]);
  });

  test.each([
    ['forms@grün.example', 'forms@xn--grn-ioa.example'],
    ['Doe, Jane (EU) <forms@example.com>', '"Doe, Jane (EU)" <forms@example.com>'],
    ['<forms@example.com>', 'forms@example.com'],
    ['Büro "Nord" <forms@example.com>', '=?UTF-8?B?QsO8cm8gIk5vcmQi?= <forms@example.com>'],
  ])('MAIL_FROM_ADDRESS=%s reaches SES as ASCII', async (MAIL_FROM_ADDRESS, header) => {
    const { relay, requests } = await stage({ env: { MAIL_FROM_ADDRESS } });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(200);
    expect(requests()[0].FromEmailAddress).toBe(header);
  });

  test('more recipients than SES accepts in a message are reported in the log', async () => {
    const to = Array.from({ length: 51 }, (_, n) => `a${n}@example.com`).join(', ');
    const { relay, sink } = await stage({ output: `to: "${to}"` });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(500);
    expect(reasons(relay)).toEqual(['SES accepts at most 50 recipients; `to` has 51']);
    expect(sink.requests).toHaveLength(0);
  });

  test.each([
    ['to: office@example.com, reply_to: "{{ .fields.email }}"', 200],
    ['to: "office@example.com, {{ .fields.email }}"', 200],
    ['to: "{{ .fields.email }}", cc: office@example.com', 200],
    ['to: "{{ .fields.email }}"', 422],
  ])('a non-ASCII address is left out (%s)', async (output, status) => {
    const sink = await httpSink();
    const env = { ...from, AWS_ENDPOINT_URL_SESV2: sink.origin };
    const relay = await relayWith({ config: config(output), env });
    expect((await relay.submit('contact', [['email', 'почта@пример.рф']])).status).toBe(status);
    const mails = sink.requests.map(({ body }) => body.replace(/"Content":.*?\}\},?/, ''));
    expect(mails.map((body) => body.includes('office@example.com'))).toEqual(status === 200 ? [true] : []);
    expect(mails.join('')).not.toMatch(/xn--|почта/);
    expect(reasons(relay).join()).toMatch(status === 200 ? /SMTPUTF8/ : /^$/);
  });

  test('without MAIL_FROM_ADDRESS the delivery fails, and nothing is sent', async () => {
    const { relay, sink } = await stage({ env: { MAIL_FROM_ADDRESS: '' } });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(500);
    expect(reasons(relay)).toEqual(['MAIL_FROM_ADDRESS is not set']);
    expect(sink.requests).toHaveLength(0);
  });

  test.each<[what: string, answer: SinkAnswer, reason: string]>([
    ['in a header', { headers: { 'x-amzn-errortype': 'Rejected' } }, 'SES answered 400 (Rejected)'],
    ['in the text', { body: '{"__type":"a.b#NotFoundException"}' }, 'SES answered 400 (NotFoundException)'],
    ['nowhere', { body: 'no JSON' }, 'SES answered 400'],
  ])('an error named %s makes the delivery fail', async (_, answer, reason) => {
    const secret = { message: 'Email address is not verified: ann@example.com' };
    const { relay, sink } = await stage({
      answer: () => ({ status: 400, body: JSON.stringify(secret), ...answer }),
    });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(500);
    expect(reasons(relay)).toEqual([reason]);
    expect(sink.requests).toHaveLength(1);
    expect(JSON.stringify(relay.logged)).not.toContain('ann@example.com');
  });

  test.each([
    [503, 200, 2],
    [500, 500, 1],
    [502, 500, 1],
    [504, 500, 1],
  ])('%i is retried only if SES cannot have accepted the mail', async (status, answered, tries) => {
    const answers = [status, 200];
    const { relay, sink } = await stage({ answer: () => ({ status: answers.shift() ?? 0 }) });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(answered);
    expect(sink.requests).toHaveLength(tries);
  });

  // An account in the sandbox may send one mail a second, and a form may have two `email` outputs.
  test.each<SinkAnswer>([
    { status: 429, headers: { 'x-amzn-errortype': 'TooManyRequestsException' } },
    { status: 400, headers: { 'x-amzn-errortype': 'ThrottlingException' } },
  ])('after throttling by the second, the mail is retried: %j', async (throttled) => {
    const answers = [throttled];
    const { relay, sink } = await stage({ answer: () => answers.shift() ?? { status: 200 } });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(200);
    expect(sink.requests).toHaveLength(2);
    expect(relay.waited).toEqual([expect.toSatisfy((ms: number) => ms >= 1_000)]);
  });

  test('a mail that may have been accepted is not sent again', async () => {
    const { relay, sink } = await stage({
      answer: () => {
        setImmediate(() => sink.closeAll());
        return new Promise(() => {});
      },
    });
    expect((await relay.submit('contact', 'name=Ann')).status).toBe(500);
    expect(reasons(relay)).toEqual(['the connection closed before the server responded']);
    expect(sink.requests).toHaveLength(1);
  });
});
