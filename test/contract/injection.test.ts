import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../packages/runtimes/src/log.ts';
import { runs } from '../support/fuzz.ts';
import { type HttpSink, startHttpSink } from '../support/http_sink.ts';
import { decodeMail, decodeWords } from '../support/mail.ts';
import { startRawServer } from '../support/raw_server.ts';
import { startRelay, type TestRelay } from '../support/relay.ts';
import { type SmtpSink, type SunkMail, startSmtpSink } from '../support/smtp_sink.ts';

/** An HTTP request as its bytes came, one character each. */
interface RawPost {
  readonly head: string;
  readonly body: string;
}

/** Takes requests without an HTTP parser, which would hide what it forgives: one a connection. */
async function startRawSink() {
  const posts: RawPost[] = [];
  const { port, close } = await startRawServer({
    post: (socket, body, head) => {
      posts.push({ head: head.slice(0, -4), body });
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    },
  });
  return { port, posts, close };
}

let http: Awaited<ReturnType<typeof startRawSink>>;
let smtp: SmtpSink;
let ses: HttpSink;
let relay: TestRelay;
let written = '';
const { log, flush } = createLog(Date.now, 'info', (bytes) => {
  written += bytes;
  return bytes.length;
});

beforeAll(async () => {
  http = await startRawSink();
  smtp = await startSmtpSink();
  ses = await startHttpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
  const visitor = 'to: "office@firm.test, {{ .fields.a }}", reply_to: "{{ .fields.a }}", mapping: {id: id}';
  const config = `forms:
  contact:
    fields: [{name: id}, {name: a}, {name: b}]
    outputs:
      - type: http_post
        url: http://127.0.0.1:${http.port}/
        headers: {X-Visitor: "<{{ .fields.a }}>", X-Fixed: fixed}
        mapping: {id: id, a: a, b: b}
        static: {t: "<{{ .fields.a | trim }}>"}
      - type: email
        to: office@firm.test
        subject: "<{{ .fields.a }}>"
        mapping: {id: id, a: a, b: b}
        static: {t: "<{{ .fields.a | trim }}>"}
      - type: smtp
        host: 127.0.0.1
        port: ${smtp.port}
        from: relay@forms.test
        to: office@firm.test
        subject: "<{{ .fields.a }}>"
        mapping: {id: id, a: a, b: b}
        static: {t: "<{{ .fields.a | trim }}>"}
  mailed:
    fields: [{name: id}, {name: a}]
    outputs:
      - {type: email, ${visitor}}
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: relay@forms.test, ${visitor}}
`;
  const env = {
    KEY: 'S3CRET',
    MAIL_FROM_ADDRESS: 'relay@forms.test',
    AWS_ENDPOINT_URL_SESV2: ses.origin,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'S3CRET',
  };
  relay = await startRelay({ config, env, effects: { log } });
});
afterAll(async () => {
  await relay.close();
  await ses.close();
  await smtp.close();
  await http.close();
});

async function expectHarmless(values: readonly string[]) {
  await expectOwnText(values);
  await expectOwnAddress(values);
}

/** Mails and calls to SES from the given places on, by the id that each carries. */
const mailsFrom = (start: number) =>
  new Map(smtp.mails.slice(start).map((mail) => [/^id=(.*)$/m.exec(decodeMail(mail.raw).text)?.[1], mail]));
const callsFrom = (start: number) =>
  new Map(
    ses.requests.slice(start).map(({ bytes }) => {
      const call = JSON.parse(bytes.toString()) as SesCall;
      return [/^id=(.*)$/m.exec(call.Content.Simple.Body.Text.Data)?.[1], call];
    }),
  );

/** A form that mails its visitor: a value is one address that gets a mail, or it is refused and nobody gets any. */
async function expectOwnAddress(values: readonly string[]) {
  const before = { mails: smtp.mails.length, calls: ses.requests.length };
  written = '';
  const answers = await Promise.all(
    values.map((value, index) =>
      relay.submit('mailed', [
        ['id', `n${index}`],
        ['a', value],
      ]),
    ),
  );
  for (const [index, { status }] of answers.entries()) expect([200, 422], values[index]).toContain(status);
  const accepted = new Map(
    values.flatMap((value, index) => (answers[index]?.status === 200 ? [[`n${index}`, value] as const] : [])),
  );
  const [mails, calls] = [mailsFrom(before.mails), callsFrom(before.calls)];
  expect([...mails.keys()].sort()).toEqual([...accepted.keys()].sort());
  expect([...calls.keys()].sort()).toEqual([...accepted.keys()].sort());
  for (const [id, value] of accepted) {
    const { envelope, raw } = mails.get(id) as SunkMail;
    const { Destination, ReplyToAddresses = [] } = calls.get(id) as SesCall;
    const header = Object.fromEntries(decodeMail(raw).headers);
    checkRecipients(envelope.to, value);
    checkRecipients((header.To ?? '').split(/, */), value);
    checkRecipients(['office@firm.test', ...[header['Reply-To'] ?? []].flat()], value);
    checkRecipients(Destination.ToAddresses, value);
    checkRecipients(['office@firm.test', ...ReplyToAddresses], value);
  }
  flush();
  checkLog(values);
}

/** Submits values as a visitor's bytes, all at the same time, and holds every delivery to what no visitor may do. */
async function expectOwnText(values: readonly string[]) {
  const before = { posts: http.posts.length, mails: smtp.mails.length, calls: ses.requests.length };
  written = '';
  const answers = await Promise.all(
    values.map((value, index) =>
      relay.submit('contact', [
        ['id', `n${index}`],
        ['a', value],
        ['b', 'safe'],
        [`undeclared ${value.slice(0, 99)}`, value.slice(0, 99)],
      ]),
    ),
  );
  flush();
  expect(written.split('\n').filter((line) => line.includes('"delivery_failed"'))).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
  const posts = new Map(
    http.posts.slice(before.posts).map((post) => [new URLSearchParams(post.body).get('id'), post]),
  );
  const [mails, calls] = [mailsFrom(before.mails), callsFrom(before.calls)];
  for (const [index, value] of values.entries()) {
    const id = `n${index}`;
    checkPost(posts.get(id) as RawPost, value, id);
    checkMail(mails.get(id) as SunkMail, value, id);
    checkCall(calls.get(id) as SesCall, value, id);
  }
  expect(http.posts.length - before.posts).toBe(values.length);
  expect(smtp.mails.length - before.mails).toBe(values.length);
  expect(ses.requests.length - before.calls).toBe(values.length);
  checkLog(values);
}

function checkPost({ head, body }: RawPost, value: string, id: string) {
  expect(head).not.toMatch(/(?<!\r)\n|\r(?!\n)|\0/);
  const [requestLine, ...lines] = head.split('\r\n');
  expect(requestLine).toBe('POST / HTTP/1.1');
  expect(lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()).sort()).toEqual([
    ...[
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'form-relay-hops',
      'host',
      'idempotency-key',
      'traceparent',
      'user-agent',
      'x-fixed',
      'x-visitor',
    ],
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^x-fixed: fixed$/i));
  const visitor = lines.find((line) => /^x-visitor: /i.test(line)) ?? '';
  // Each character is a byte: the bytes of UTF-8 may look like C1 controls, but the ASCII ones are gone.
  expect([...visitor].filter((byte) => byte < ' ' || byte === '\x7f')).toEqual([]);
  expect(visitor).toMatch(/^x-visitor: <.*>$/is);
  const sent = [
    ['a', value],
    ['b', 'safe'],
    ['id', id],
    ['t', `<${value.trim()}>`],
  ].filter(([, text]) => text !== '');
  expect([...new URLSearchParams(body)]).toEqual(sent);
}

const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

function checkMail({ envelope, raw }: SunkMail, value: string, id: string) {
  expect(raw).not.toMatch(/(?<!\r)\n|\r(?!\n)|\0/);
  const { headers, text } = decodeMail(raw);
  const names = headers.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter((name) => !/^(From|To|Reply-To|Subject|Date|Message-ID|Auto-Submitted)$/.test(name)).sort(),
  ).toEqual([...['Content-Transfer-Encoding', 'Content-Type', 'MIME-Version']]);

  expect(envelope.from).toBe('relay@forms.test');
  expect(envelope.to).toEqual(['office@firm.test']);
  const header = Object.fromEntries(headers);
  expect([header.To, header['Reply-To']]).toEqual(['office@firm.test', undefined]);
  expect(header.From).toBe('relay@forms.test');
  checkSubject(decodeWords(header.Subject ?? ''));
  checkText(text, value, id);
}

/** A request to SES. SES writes the headers itself. */
interface SesCall {
  readonly FromEmailAddress: string;
  readonly Destination: { readonly ToAddresses: readonly string[] };
  readonly ReplyToAddresses?: readonly string[];
  readonly Content: {
    readonly Simple: {
      readonly Subject: { readonly Data: string };
      readonly Body: { readonly Text: { readonly Data: string } };
    };
  };
}

function checkCall(call: SesCall, value: string, id: string) {
  const { FromEmailAddress, Destination, Content, ...more } = call;
  expect(more).toEqual({});
  expect(Destination).toEqual({ ToAddresses: ['office@firm.test'] });
  expect(FromEmailAddress).toBe('relay@forms.test');
  checkSubject(Content.Simple.Subject.Data);
  checkText(Content.Simple.Body.Text.Data, value, id);
}

/** A value that is one bare address is what `to` asks for; anything else is nobody's address. */
function checkRecipients([office, ...others]: readonly string[], value: string) {
  const isAddress = /^[^\s\p{C}()<>[\]\\,;:"@]+@[^\s\p{C}()<>[\]\\,;:"@]+$/u.test(value.trim());
  expect(office).toBe('office@firm.test');
  expect(isAddress ? [inAscii(value.trim())] : []).toEqual(
    expect.arrayContaining(others.map((one) => inAscii(fromBytes(one)))),
  );
  expect(others.length).toBeLessThanOrEqual(1);
}

/** Sinks read an address beyond ASCII as text, or as bytes of UTF-8, one character each. */
function fromBytes(address: string): string {
  const read = Buffer.from(address, 'latin1').toString();
  return read.includes('\ufffd') ? address : read;
}

function checkSubject(subject: string) {
  expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  expect(subject).toMatch(/^<.*>$/);
}

/** Only the config's own keys begin a line. */
function checkText(text: string, value: string, id: string) {
  const lines = text.split(lineBreaks).filter((line) => line !== '' && !line.startsWith('\t'));
  const keys = [...(value === '' ? [] : ['a=']), 'b=', 'id=', 't='];
  expect(lines.map((line) => line.slice(0, line.indexOf('=') + 1))).toEqual(keys);
  expect(lines).toContain('b=safe');
  expect(lines).toContain(`id=${id}`);
}

/** Domains beyond ASCII travel as Punycode. */
const inAscii = (address: string) => {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain) || domain}`.toLowerCase();
};

/** Each line is a JSON object, none of them of the visitor's making. */
function checkLog(values: readonly string[]) {
  const lines = written.split('\n').slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const known = ['config_loaded', 'delivery_warning', 'submission'];
  expect(events.filter(({ event }) => !known.includes(String(event)))).toEqual([]);
  expect(events.filter(({ event }) => event === 'submission')).toHaveLength(values.length);
  expect(written).not.toContain('S3CRET');
  for (const value of values.filter((some) => some.length > 7)) {
    expect(written).not.toContain(value);
    expect(written).not.toContain(JSON.stringify(value).slice(1, -1));
  }
}

test('the classics of injection harm nobody', async () => {
  const breaks = [
    '\r',
    '\n',
    '\r\n',
    '\n\r',
    '\0',
    '\v',
    '\f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\x1b[2J',
    '%0d%0a',
    '\\r\\n',
  ];
  await expectHarmless([
    ...breaks.flatMap((mark) => [
      mark,
      `x${mark}Bcc: evil@x.test`,
      `x${mark}b=forged`,
      `x${mark}${mark}forged body`,
      `a@b.test${mark}Bcc: evil@x.test`,
      `x${mark}{"level":"info","event":"forged"}`,
      `x${mark} folded: evil`,
      `x${mark}.${mark}MAIL FROM:<evil@x.test>${mark}RCPT TO:<evil@x.test>${mark}DATA${mark}x${mark}.${mark}`,
      `x${mark}Content-Length: 0${mark}${mark}POST /smuggled HTTP/1.1`,
    ]),
    ...['%0d%0aBcc:evil@x.test', 'a@b.test, evil@x.test', 'a@b.test;evil@x.test', 'a@b.test>', '<a@b.test>'],
    ...[
      'a@b.test> <evil@x.test',
      'a@b.test,evil@x.test',
      'group: a@b.test, evil@x.test;',
      '"a@b.test, x" <evil@x.test>',
    ],
    ...[
      'a@b.test (evil@x.test)',
      'a@b@evil.test',
      '@evil.test:a@b.test',
      'a@[127.0.0.1]',
      'a@b.test NOTIFY=SUCCESS',
      'evil@x.test',
    ],
    ...[
      'ä@b.test',
      '.a@b.test',
      'a.@b.test',
      'a..b@b.test',
      'a@bücher.test',
      'a@b.test\u00a0',
      'a@b\u2028.test',
      'a\u200b@b.test',
      'a@b。test',
      'a@b，evil@x.test',
    ],
    ...[
      '=?utf-8?Q?x=0D=0ABcc:_evil@x.test?=',
      '=?utf-8?B?DQpCY2M6IGV2aWxAeC50ZXN0?=',
      '=?x',
      '?=',
      ' =?utf-8?Q?x=0D=0ABcc:_evil@x.test?= ',
    ],
    ...['{{ env "KEY" }}', '{{', '}}', '{{ .fields.b }}', '{{/*', '{{ values "b" }}', '\\{{ env "KEY" }}'],
    ...[
      '.',
      '..',
      '\r\n.\r\n',
      '\n.\n',
      '__proto__',
      'b=forged',
      '=forged',
      '\tb=x',
      ' ',
      '\ufeff',
      '\ufffe',
      '🙂'.repeat(50),
    ],
    `${'x'.repeat(9_000)}\r\nBcc: evil@x.test`,
    `${'word '.repeat(1_500)}\r\nb=forged`,
    'ü'.repeat(4_000),
  ]);
});

test('no text at all harms anybody', async () => {
  const mark = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\0',
    '\u0085',
    '\u2028',
    '.',
    ',',
    '@',
    ':',
    '=',
    '<',
    '>',
    '"',
    '=?',
    '?=',
    '{{',
    '}}',
    ' ',
    '\t',
  );
  const word = fc.constantFrom(
    'Bcc',
    'evil@x.test',
    'a@b.test',
    'b=forged',
    'utf-8',
    'Q',
    'env "KEY"',
    '%0d%0a',
    'ü',
    '🙂',
    'x',
  );
  const value = fc.oneof(
    fc.array(fc.oneof(mark, word), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 24, maxLength: 32 }), expectHarmless),
    runs(3, 0.001),
  );
});
