/**
 * What spam filters think of the relay's mails: a table, and exit code 1 where one is no ham, or a rule fires that the
 * relay could do something about.
 *
 *   apt-get install --no-install-recommends spamassassin rspamd python3-dkim
 *   npm run mail:judge                                          # as root; some minutes
 *   npm run mail:judge signed                                   # only those with that word
 *
 * Both filters run as Debian has them, without the network and without what they learn. rspamd asks a DNS that is made up
 * here; its signatures are checked by rspamd and by dkimpy.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { askDkimpy } from '../test/support/judges/dkimpy.ts';
import { startDns } from '../test/support/judges/dns.ts';
import type { Delivered, Verdict } from '../test/support/judges/judge.ts';
import { startRspamd } from '../test/support/judges/rspamd.ts';
import { askSpamAssassin } from '../test/support/judges/spamassassin.ts';
import { startRelay } from '../test/support/relay.ts';
import { type SunkMail, startSmtpSink } from '../test/support/smtp_sink.ts';

const server = { name: 'mail.acme.example', address: '81.2.69.142' };
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
const dkimRecord = `v=DKIM1; k=rsa; p=${publicKey}`;

const dns = await startDns({
  'acme.example A': server.address,
  'acme.example MX': server.name,
  'acme.example TXT': `v=spf1 ip4:${server.address} -all`,
  'web.acme.example A': server.address,
  'web.acme.example TXT': `v=spf1 ip4:${server.address} -all`,
  '_dmarc.acme.example TXT': 'v=DMARC1; p=reject',
  's1._domainkey.acme.example TXT': dkimRecord,
  [`${server.name} A`]: server.address,
  '142.69.2.81.in-addr.arpa PTR': server.name,
  'firm.example A': '81.2.69.144',
  'firm.example MX': 'firm.example',
  'customer.example A': '81.2.69.145',
  'customer.example MX': 'customer.example',
  'gmail.com A': '81.2.69.146',
  'gmail.com MX': 'gmail.com',
});

const lorem = {
  en: `Good morning,

I saw the oak table in your window last Saturday and would like to know whether it also comes with a round top. We are
six at dinner, sometimes eight. Could I see it again before the end of the month?

Kind regards
Ada Byron`,
  de: `Guten Tag,

am Samstag habe ich den Tisch aus Eiche in Ihrem Schaufenster gesehen. Gibt es ihn auch mit runder Platte? Wir sind meist zu
sechst, manchmal zu acht. Könnte ich ihn noch vor Monatsende ansehen?

Schöne Grüße
Käthe Müller`,
  ar: `صباح الخير،

رأيت الطاولة الخشبية في واجهة متجركم يوم السبت، وأود أن أعرف هل تتوفر بسطح مستدير. نحن ستة على العشاء عادة وأحيانا ثمانية.
هل يمكنني رؤيتها مرة أخرى قبل نهاية الشهر؟

مع التحية
ليلى الحسن`,
  ja: `おはようございます。

土曜日にショーウィンドウでオークのテーブルを拝見しました。丸い天板のものもありますか。普段は六人、時々八人で食事をします。
今月末までにもう一度見せていただけますか。

よろしくお願いいたします。
山田花子`,
};

const fields = {
  en: [
    { name: 'name', label: 'Name' },
    { name: 'email', type: 'email', required: true, label: 'E-mail' },
    { name: 'message', type: 'textarea', label: 'Message' },
  ],
  de: [
    { name: 'name', label: 'Name' },
    { name: 'email', type: 'email', required: true, label: 'E-Mail' },
    { name: 'message', type: 'textarea', label: 'Nachricht' },
  ],
  ar: [
    { name: 'name', label: 'الاسم' },
    { name: 'email', type: 'email', required: true, label: 'البريد الإلكتروني' },
    { name: 'message', type: 'textarea', label: 'الرسالة' },
  ],
  ja: [
    { name: 'name', label: 'お名前' },
    { name: 'email', type: 'email', required: true, label: 'メールアドレス' },
    { name: 'message', type: 'textarea', label: 'ご用件' },
  ],
};
const names = { en: 'Ada Byron', de: 'Käthe Müller', ar: 'ليلى الحسن', ja: '山田花子' };
const titles = { en: 'Contact', de: 'Anfrage', ar: 'اتصل بنا', ja: 'お問い合わせ' };
type Language = keyof typeof lorem;

interface Kind {
  readonly what: string;
  readonly language?: Language;
  /** Keys of the output, and of the form. */
  readonly output?: object;
  readonly form?: object;
  readonly values?: Readonly<Record<string, string>>;
  /** Files of a field of their own, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Which of the mails is judged: by default the first. */
  readonly mail?: number;
  readonly isSigned?: boolean;
  /** Rules that fire by nature, whoever composes. */
  readonly byNature?: readonly string[];
}

const dkim = { domain: 'acme.example', selector: 's1', key: '{{ env "DKIM_KEY" }}' };
const html = { html: true };
/** Of mails without an envelope sender, SPF can tell nothing: their server signs them. */
const signed = { output: { dkim }, isSigned: true };
const freemail = ['FREEMAIL_FORGED_REPLYTO', 'FREEMAIL_REPLYTO', 'FREEMAIL_REPLYTO_END_DIGIT'];
const subject = 'New enquiry from {{ .fields.name }}';
const toVisitor = {
  to: 'email',
  subject: 'We have got your enquiry',
  text: `Dear customer,

thank you for your enquiry. We answer within two working days. If it is urgent, please call us: +43 1 234 56 78.

Kind regards
Acme Furniture, 1 Mill Lane, Vienna`,
};

const long = `${lorem.en}\n\n`.repeat(12);
/** As short as one can be. */
const pdf = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>> endobj
trailer <</Root 1 0 R>>
%%EOF
`;
const manyFields = Array.from({ length: 40 }, (_, index) => ({
  name: `item_${index}`,
  label: `Item ${index + 1}`,
}));

const allKinds: readonly Kind[] = [
  { what: 'key=value' },
  { what: 'key=value, German', language: 'de' },
  { what: 'key=value, Arabic', language: 'ar' },
  { what: 'key=value, Japanese', language: 'ja' },
  { what: 'the default subject', output: { subject: undefined } },
  {
    what: 'text',
    output: {
      text: 'Dear colleagues,\n\n{{ .fields.name }} <{{ .fields.email }}> has written:\n\n{{ .fields.message }}',
    },
  },
  { what: 'HTML', output: html },
  { what: 'HTML, German', language: 'de', output: html },
  { what: 'HTML, Arabic', language: 'ar', output: html },
  { what: 'HTML, Japanese', language: 'ja', output: html },
  {
    what: 'HTML with intro, footer and links',
    output: {
      ...html,
      intro:
        'Somebody has filled in the form on [our site](https://acme.example/contact). Please answer within two days.',
      footer:
        'Acme Furniture, 1 Mill Lane, Vienna. How to answer stands in [the handbook](https://acme.example/handbook).',
    },
  },
  {
    what: 'HTML of one short value',
    output: { ...html, reply_to: undefined, subject: undefined },
    form: { fields: [{ name: 'message' }] },
    values: { message: 'Please call me: 4711.' },
  },
  { what: 'text as HTML', output: { ...html, text: 'Dear colleagues,\n\n{{ .fields.message }}' } },
  { what: 'a long message', values: { message: long } },
  { what: 'a long message as HTML', output: html, values: { message: long } },
  { what: 'one long line', values: { message: lorem.en.replaceAll('\n', ' ').repeat(8) } },
  {
    what: 'forty fields',
    form: { fields: [...fields.en, ...manyFields] },
    values: Object.fromEntries(manyFields.map(({ name }, index) => [name, `${index + 3} pieces in oak`])),
  },
  {
    what: 'forty fields as HTML',
    output: html,
    form: { fields: [...fields.en, ...manyFields] },
    values: Object.fromEntries(manyFields.map(({ name }, index) => [name, `${index + 3} pieces in oak`])),
  },
  {
    what: 'names with quotes, commas and umlauts',
    output: {
      from: '"Büro \\"Nord\\", Acme" <forms@acme.example>',
      to: '"Müller, Käthe" <office@firm.example>',
      reply_to_name: '{{ .fields.name }}',
    },
    values: { name: 'Käthe "Kate" Müller, MSc' },
    // Letters with marks in a short name, to rspamd 3.4.
    byNature: ['R_MIXED_CHARSET'],
  },
  {
    what: 'copies, blind ones too',
    output: { cc: 'Sales <sales@firm.example>', bcc: 'archive@firm.example' },
  },
  {
    what: 'headers of one’s own',
    output: { headers: { 'X-Form': 'contact', 'X-Kind': 'Größe {{ .fields.name }}' } },
  },
  { what: 'no Reply-To', output: { reply_to: undefined } },
  {
    what: 'from a domain below that of its recipient',
    output: { from: 'forms@web.acme.example', to: 'office@acme.example' },
  },
  { what: 'to the address that it is from', output: { to: 'forms@acme.example' } },
  {
    what: 'to another address of its domain',
    output: { to: 'office@acme.example' },
    byNature: ['SPOOF_REPLYTO'],
  },
  { what: 'with a file', files: { 'floor plan.pdf': pdf } },
  {
    what: 'with files of any name, HTML',
    output: html,
    files: { 'Grundriß – Küche.pdf': pdf, 'notes.txt': lorem.de, 'notes.csv': 'table;oak;round\n' },
    // To rspamd, of files that are text.
    byNature: ['MIME_BASE64_TEXT', 'MIME_BASE64_TEXT_BOGUS'],
  },
  { what: 'with a file, signed', ...signed, files: { '図面.pdf': pdf } },
  { what: 'signed', ...signed },
  { what: 'signed HTML', output: { dkim, ...html }, isSigned: true },
  { what: 'signed, Japanese', language: 'ja', output: { dkim, ...html }, isSigned: true },
  { what: 'to the visitor: confirmation', ...signed, form: { confirmation_mail: toVisitor }, mail: 1 },
  {
    what: 'to the visitor: confirmation as HTML',
    ...signed,
    form: { confirmation_mail: { ...toVisitor, html: true } },
    mail: 1,
  },
  {
    what: 'to the visitor: a link to confirm',
    ...signed,
    form: { fields: [fields.en[1]], double_opt_in: toVisitor },
  },
  {
    what: 'to the visitor: a link to confirm, as HTML',
    ...signed,
    // It counts different links, not how often they are there.
    byNature: ['URI_COUNT_ODD'],
    form: { fields: [fields.en[1]], double_opt_in: { ...toVisitor, html: true } },
  },
  {
    what: 'answers to a freemail address',
    values: { email: 'ada.byron1815@gmail.com' },
    byNature: freemail,
  },
  {
    what: 'answers to a freemail address, HTML',
    output: html,
    values: { email: 'ada.byron1815@gmail.com' },
    byNature: freemail,
  },
];

const kinds = allKinds.filter(({ what }) => what.includes(process.argv[2] ?? ''));
/** A rule of less says only that it is there: SpamAssassin has one for HTML. */
const leastPoints = 0.01;

const rows: Record<string, object> = {};
let isFine = true;
const sink = await startSmtpSink();
const relay = await startRelay({
  // YAML can be JSON.
  config: JSON.stringify({
    forms: Object.fromEntries(kinds.map((kind, index) => [`form${index}`, formOf(kind)])),
  }),
  env: {
    DKIM_KEY: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e',
    PUBLIC_URL: 'https://forms.acme.example',
  },
});
await relay.get('/readyz');
const problems = relay.logged.find(({ event }) => event === 'config_invalid');
if (problems) throw new Error(JSON.stringify(problems, null, 2));
const rspamd = await startRspamd(dns.port);
try {
  for (const [index, kind] of kinds.entries()) await judge(kind, `form${index}`);
} finally {
  await Promise.all([relay.close(), sink.close(), rspamd.close(), dns.close()]);
}
console.table(rows);
process.exitCode = isFine ? 0 : 1;

function formOf({ language = 'en', output, form, files }: Kind): object {
  const ofFiles = files ? [{ name: 'files', label: 'Files', type: 'file', multiple: true }] : [];
  return {
    ...{ title: titles[language], language, fields: [...fields[language], ...ofFiles] },
    outputs: [
      {
        ...{ type: 'smtp', host: sink.host, port: sink.port, from: 'Acme Furniture <forms@acme.example>' },
        ...{ to: 'office@firm.example', subject, reply_to: '{{ .fields.email }}', mapping: '*', ...output },
      },
    ],
    ...form,
  };
}

async function judge(
  { what, language = 'en', values, files, mail = 0, isSigned, byNature = [] }: Kind,
  form: string,
) {
  const before = sink.mails.length;
  const filled = {
    name: names[language],
    // One for each form: an address gets few mails an hour.
    email: `${form}@customer.example`,
    message: lorem[language],
    ...values,
  };
  const body = new FormData();
  for (const [name, value] of Object.entries(filled)) body.append(name, value);
  for (const [name, text] of Object.entries(files ?? {})) body.append('files', new File([text], name));
  const { status } = files
    ? await relay.request(`/api/v1/submit/${form}`, { method: 'POST', body })
    : await relay.submit(form, Object.entries(filled));
  const sent = await mailAt(before + mail);
  if (status !== 200 || !sent) throw new Error(`${what}: ${status} ${JSON.stringify(relay.logged.at(-1))}`);
  const delivered = deliveredOf(sent);
  const [assassin, daemon] = await Promise.all([askSpamAssassin(delivered), rspamd.ask(delivered)]);
  const signedFor = isSigned ? await askDkimpy(sent.raw, dkimRecord) : '';
  const isTrue =
    !isSigned || (signedFor === 's1._domainkey.acme.example' && daemon.rules.has('R_DKIM_ALLOW'));
  const told = [assassin, daemon].map((verdict) => badRules(verdict, byNature));
  const isAsWanted = assassin.isHam && daemon.isHam && isTrue && told.flat().length === 0;
  rows[what] = {
    SpamAssassin: assassin.score,
    rspamd: Math.round(daemon.score * 100) / 100,
    'by nature': firing([assassin, daemon], byNature),
    'could be better': told.flat().join(' '),
    signature: isSigned ? (isTrue ? 'true' : 'FALSE') : '',
    '': isAsWanted ? 'ham' : 'WRONG',
  };
  isFine &&= isAsWanted;
}

/** What the visitor gets is sent after the answer. */
async function mailAt(index: number): Promise<SunkMail | undefined> {
  for (let tries = 0; tries < 100 && sink.mails.length <= index; tries += 1) await sleep(100);
  return sink.mails[index];
}

/** As the server of its recipient has it: the servers on its way have written who brought it. */
function deliveredOf({ raw, envelope }: SunkMail): Delivered {
  const { name, address } = server;
  const [to = ''] = envelope.to;
  const date = new Date().toUTCString().replace('GMT', '+0000');
  const hop = (from: string, by: string, how: string, id: string) =>
    `Received: from ${from}\r\n by ${by} with ${how} id ${id}\r\n for <${to}>; ${date}\r\n`;
  const received =
    hop(`${name} (${name} [${address}])`, `mx.${to.replace(/.*@/, '')}`, 'ESMTPS', '4ZQ1tc0jd2z1') +
    hop('forms.acme.example (forms.acme.example [81.2.69.143])', name, 'ESMTPSA', '4ZQ1tb6Kx9z2');
  return {
    source: `Return-Path: <${envelope.from}>\r\n${received}${raw}`,
    from: envelope.from,
    to: envelope.to,
    server,
  };
}

/** What speaks against the mail but for what it has by nature. */
function badRules({ rules }: Verdict, byNature: readonly string[]) {
  const bad = [...rules].filter(([name, points]) => points >= leastPoints && !byNature.includes(name));
  return bad.map(([name, points]) => `${name}=${points}`);
}

function firing(verdicts: readonly Verdict[], names: readonly string[]): string {
  const found = verdicts.flatMap(({ rules }) => [...rules]).filter(([name]) => names.includes(name));
  return found.map(([name, points]) => `${name}=${points}`).join(' ');
}
