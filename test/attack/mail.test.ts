/**
 * Values in every templated key of a mail: no value adds a recipient, a header, a link, a style or an
 * element, and even the strictest servers accept each mail. Over SMTP and through SES.
 */
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import {
  type HttpSink,
  readStrictly,
  type SmtpSink,
  type StrictMail,
  startHttpSink,
  startRelay,
  startSmtpSink,
  type TestRelay,
} from '../support/index.ts';

let smtp: SmtpSink;
let ses: HttpSink;
let relay: TestRelay;

const mail = {
  from: '"Acme, Inc." <forms@acme.test>',
  // A field alone is checked as an address before the mail is built, so an empty field `none` follows it.
  to: 'Customer <{{ .fields.a }}{{ .fields.none }}>, "Office, Vienna" <office@acme.test>',
  cc: 'Büro <buero@acme.test>',
  bcc: 'Hidden <hidden@acme.test>',
  subject: '<{{ .fields.a }}>',
  reply_to: '{{ .fields.email }}{{ .fields.none }}',
  reply_to_name: '{{ .fields.a }}',
  headers: { 'X-Topic': '<{{ .fields.a }}>', 'X-Fixed': 'fixed' },
  mapping: '*',
};

/** Lines of `key=value`, the owner's text, and both as HTML. */
const bodies = [
  {},
  { text: 'Dear {{ .fields.a }},\nwe got https://acme.test/ {{ .fields.b }}' },
  {
    html: true,
    intro: 'Hello {{ .fields.a }}',
    footer: 'https://acme.test/ {{ .fields.a }}',
    static: { Static: '{{ .fields.a }}' },
  },
  { html: true, text: 'Hello {{ .fields.a }}, see https://acme.test/' },
];

beforeAll(async () => {
  smtp = await startSmtpSink();
  ses = await startHttpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
  const outputs = bodies.flatMap((body) => [
    { type: 'smtp', host: smtp.host, port: smtp.port, ...mail, ...body },
    { type: 'email', ...mail, ...body },
  ]);
  const fields = [{ name: 'a', type: 'textarea' }, { name: 'b' }, { name: 'none' }, { name: 'email' }];
  relay = await startRelay({
    // JSON is valid YAML.
    config: JSON.stringify({ forms: { contact: { title: 'Contact us', page: true, fields, outputs } } }),
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL: ses.origin,
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
  });
});

afterAll(() => Promise.all([relay.close(), smtp.close(), ses.close()]));

interface Received {
  readonly mail: StrictMail;
  readonly raw: string;
}

function submit(a: string | Uint8Array, email = 'visitor@customer.test') {
  const escaped = [...Buffer.from(a)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return relay.submit('contact', `a=${escaped}&b=${escaped}&email=${encodeURIComponent(email)}`);
}

/** The mails of eight outputs, SMTP first. */
async function received(...values: Parameters<typeof submit>): Promise<readonly Received[]> {
  const [mailsBefore, requestsBefore] = [smtp.mails.length, ses.requests.length];
  expect((await submit(...values)).status).toBe(200);
  const mails = smtp.mails.slice(mailsBefore);
  for (const { envelope } of mails)
    expect(envelope).toEqual({
      from: 'forms@acme.test',
      to: ['office@acme.test', 'buero@acme.test', 'hidden@acme.test'],
    });
  const calls = ses.requests.slice(requestsBefore).map(({ bytes }) => JSON.parse(bytes.toString()));
  for (const { Destination, FromEmailAddress } of calls) {
    expect(FromEmailAddress).toBeUndefined();
    expect(Destination).toEqual({
      ToAddresses: ['office@acme.test'],
      CcAddresses: ['buero@acme.test'],
      BccAddresses: ['hidden@acme.test'],
    });
  }
  expect([mails.length, calls.length]).toEqual([4, 4]);
  const all = [
    ...mails.map(({ raw }) => raw),
    ...calls.map(({ Content }) => Buffer.from(Content.Raw.Data, 'base64').toString('latin1')),
  ];
  return all.map((raw) => ({ raw, mail: readStrictly(raw) }));
}

const ownHeaders = (isMultipart: boolean) => [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'Auto-Submitted'],
  ...['X-Topic', 'X-Fixed'],
  ...(isMultipart
    ? ['MIME-Version', 'Content-Type']
    : ['Content-Transfer-Encoding', 'MIME-Version', 'Content-Type']),
];

const turnsDirection = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const controls = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;

function inspect({ mail, raw }: Received) {
  expect(mail.headers.map(([name]) => name)).toEqual(ownHeaders(mail.parts.length > 1));
  expect(raw).not.toMatch(/hidden@acme\.test/i);
  expect(mail.mailboxes('From')).toEqual([{ name: 'Acme, Inc.', address: 'forms@acme.test' }]);
  expect(mail.mailboxes('To')).toEqual([{ name: 'Office, Vienna', address: 'office@acme.test' }]);
  expect(mail.mailboxes('Cc')).toEqual([{ name: 'Büro', address: 'buero@acme.test' }]);
  const [reply, ...others] = mail.mailboxes('Reply-To');
  expect(others).toEqual([]);
  expect(reply?.address).toBe('visitor@customer.test');
  expect(reply?.name).not.toMatch(turnsDirection);
  expect(reply?.name).not.toMatch(/[<>"\\]/);
  for (const words of [reply?.name, mail.words('Subject'), mail.words('X-Topic')]) {
    expect(words).not.toMatch(controls);
    expect(words).not.toContain('=?');
  }
  expect(mail.header('X-Fixed')).toBe('fixed');
}

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Each kind of element with its attributes, and comments. */
function kindsIn(html: string): ReadonlySet<string> {
  const kinds = new Set<string>();
  const look = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if (node.nodeName === '#comment')
        kinds.add(`<!--${(node as DefaultTreeAdapterTypes.CommentNode).data}`);
      if (!('tagName' in node)) continue;
      kinds.add(`<${node.tagName} ${node.attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}>`);
      // A <style> element's rules are in its text.
      if (node.tagName === 'style') kinds.add(serialize(node));
      look(node.childNodes);
    }
  };
  look(parse(html).childNodes);
  return kinds;
}

const htmlOf = ({ mail }: Received) => mail.parts.find(({ type }) => type === 'text/html')?.text;

/** Legitimate content of a mail: values of one and several lines, and text that looks like addresses. */
const harmless = [
  'Hello',
  'two\nlines  and\n\nmore',
  'see www.acme.test and https://acme.test',
  'word '.repeat(100),
];
let known: ReadonlySet<string>;
beforeAll(async () => {
  const all = [];
  for (const value of harmless) all.push(...(await received(value)));
  known = new Set(all.flatMap((one) => [...kindsIn(htmlOf(one) ?? '')]));
});

async function attack(value: string) {
  for (const one of await received(value)) {
    inspect(one);
    const html = htmlOf(one);
    if (html !== undefined) {
      expect([...kindsIn(html)].filter((kind) => !known.has(kind))).toEqual([]);
      for (const { text } of one.mail.parts) expect(text).not.toMatch(turnsDirection);
    }
  }
}

const lineBreaks = ['\r\n', '\n', '\r', '\r\n ', '\0', '\v', '\u0085', '\u2028', '\u560d\u560a'];

test.each(lineBreaks)('a line break %j adds no header and no recipient', async (mark) => {
  await attack(`x${mark}Bcc: evil@evil.test${mark}To: evil@evil.test${mark}${mark}<b>body</b>`);
  await attack(`office@acme.test>${mark}Bcc: <evil@evil.test`);
});

test.each([
  ...['=?utf-8?Q?=0D=0ABcc:_evil=40evil.test?=', '=?=?utf-8?Q?x?=?=', '=?utf-8?Q?a b?=', 'ü=?utf-8?Q?x?='],
  ...['=0D=0ABcc: evil@evil.test', '=?us-ascii*en?Q?x?=', '=?utf-8?Q?<evil@evil.test>?=', '?='],
])('an encoded word of a visitor’s is not decoded: %j', attack);

test.each([
  ...['Berg, Anna', '"Berg, Anna"', 'Anna "Ann" Berg', 'Anna \\" <evil@evil.test>', 'a\\', '(comment)'],
  ...[';:,'],
  ...['Anna <evil@evil.test>', 'undisclosed: evil@evil.test;', ', evil@evil.test', '@evil.test:x@y.test'],
  ...['x@evil.test>, <evil@evil.test', '"x"@evil.test', 'x%evil.test@relay.test', 'a@b@c.test'],
])('a name stays a name, whatever it contains: %j', attack);

test.each([
  ...['\u202egnp.exe', 'a\u202e<moc.live@live>\u202c', '\u2066x\u2069', '\u200fשלום\u200e', '\ufeff'],
  ...['👩‍👩‍👧‍👦', 'Z̸̢̛̺a̶̧l̵g̷o', '\u{e0001}\u{e0062}', '\uffff', 'ﷺ'.repeat(40)],
])('Unicode is harmless: %j', attack);

test.each([
  ['half a pair of surrogates', [0xed, 0xa0, 0xbd]],
  ['an overlong line break', [0xc0, 0x8d, 0xc0, 0x8a]],
  ['a character that is cut', [0x61, 0xf0, 0x9f, 0x91]],
  ['all bytes', Array.from({ length: 256 }, (_, byte) => byte)],
  ['Latin-1', [0x47, 0x72, 0xfc, 0xdf, 0x65]],
])('invalid UTF-8 reaches no mail: %s', async (_, bytes) => {
  const before = smtp.mails.length;
  expect((await submit(Uint8Array.from(bytes))).status).toBe(400);
  expect(smtp.mails).toHaveLength(before);
});

test.each([
  ...['<script>alert(1)</script>', '"><a href="https://evil.test">x</a>', '</title><script>x</script>'],
  '</td></tr></table><table><tr><td>',
  '</style><b>x</b>',
  '<!-- x',
  '--><b>x</b>',
  '<![endif]--><b>x</b>',
  '<!--[if mso]><b>x</b><![endif]-->',
  "' onmouseover='alert(1)",
  '" style="position:fixed',
  '&#x3c;img src=x&#x3e;',
  '<base href=https://evil.test>',
  'color:red;background:url(https://evil.test)',
  '}} body{display:none} {{',
])('markup becomes text: %j', attack);

test.each([
  ...['https://evil.test/?a=1&b=2', 'www.evil.test', 'evil.test/x', 'javascript:alert(1)'],
  ...['evil@evil.test x', '[words](https://evil.test)', '[Acme](https://acme.test/)'],
  ...['<https://evil.test>', 'mailto:evil@evil.test', 'ｈｔｔｐｓ：／／evil．test', 'https:\\\\evil.test'],
  ...['{{ env "AWS_SECRET_ACCESS_KEY" }}', 'tel:+431234'],
])('an address does not become a link: %j', attack);

test.each([
  ['of one word', 'x'.repeat(9_999)],
  ['of words', 'word '.repeat(1_999)],
  ['of emoji', '👋'.repeat(2_400)],
  ['of line breaks', '\n'.repeat(6_000)],
  ['of dots', '.\n'.repeat(3_000)],
  ['of spaces', `a${' '.repeat(6_000)}b`],
  ['of signs', '=?'.repeat(3_000)],
  ['of quotes', '"\\'.repeat(3_000)],
  ['of markup', '<b>'.repeat(2_000)],
  ['of what looks like boundaries', '\r\n--=_0\r\n'.repeat(800)],
])('long values: %s', (_, value) => attack(value));

test.each([
  ...['visitor@customer.test, evil@evil.test', 'visitor@customer.test\r\nBcc: evil@evil.test'],
  ...['Anna <evil@evil.test>', 'evil@evil.test;', '=?utf-8?q?x?= <evil@evil.test>', 'grp: evil@evil.test;'],
])(
  'a text that is not exactly one address is omitted from Reply-To, and the mail is sent: %j',
  async (email) => {
    for (const { mail } of await received('Anna', email)) expect(mail.header('Reply-To')).toBeUndefined();
  },
);
