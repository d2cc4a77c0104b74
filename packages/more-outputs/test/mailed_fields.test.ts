/** Fields whose values are addresses that mails or replies are sent to, tested through a relay. */
import { relayWith, smtpScript, smtpSink } from '../../../test/support/index.ts';

const unusable = 'No mail can be sent to this address. Enter another one.';

/** A form with one mail output. */
async function contact(fields: string, keys: string, more = '') {
  const sink = await smtpSink();
  const output = `{type: smtp, host: 127.0.0.1, port: ${sink.port}, from: site@example.com, mapping: "*", retries: 0, ${keys}}`;
  const relay = await relayWith({
    config: `forms: {contact: {fields: ${fields}, outputs: [${output}]${more}}}`,
    env: { FORM_TOKEN_SECRET: 'f'.repeat(40), PUBLIC_URL: 'https://forms.example.com' },
  });
  const send = async (...values: [string, string][]) => {
    const { status, json } = await relay.submit('contact', values, { accept: 'application/problem+json' });
    return { status, errors: (json as { errors?: readonly object[] }).errors };
  };
  return { send, sink, mails: () => sink.mails.map(({ envelope }) => envelope.to) };
}

const email = '[{name: email, type: email}]';
const text = '[{name: email}]';
const toVisitor = "to: '{{ .fields.email }}'";
const office = 'to: office@example.com';

const never = [
  ...['a b@example.org', '"a b"@example.org', 'a@b,c', '<a>@b', 'user..x@docomo.ne.jp', 'a@b_c.example'],
  ...['a@-b.example', 'a..b@example.org', '.a@example.org', 'a@192.0.2.1', '-oQ@example.org'],
  ...['a@example.org\r\nBcc: b@example.org'],
];

describe('an address that cannot receive mail is an error of its field', () => {
  test.each([
    ['an output’s only recipient', email, toVisitor, ''],
    ['a recipient with a name', email, "to: 'Customer <{{ .fields.email }}>'", ''],
    ['a recipient in lower case', email, "to: '{{ lower (trim .fields.email) }}'", ''],
    ['a recipient by `values`', email, `to: '{{ values "email" }}'`, ''],
    ['a recipient with a default', email, `to: '{{ default "office@example.com" .fields.email }}'`, ''],
    [
      'beside others that are empty',
      `${email.slice(0, -1)}, {name: cc}]`,
      `${toVisitor.slice(0, -1)}, {{ .fields.cc }}'`,
      '',
    ],
    [
      'a part of one of several fields',
      '[{name: email}, {name: at}]',
      `to: '{{ .fields.email }}{{ .fields.at }}'`,
      '',
    ],
    ['a field of type text', text, toVisitor, ''],
    [
      'the address to confirm',
      '[{name: email, type: email, required: true}]',
      office,
      ', double_opt_in: {to: email, subject: A, text: B}',
    ],
  ])('where it is %s', async (_, fields, keys, more) => {
    const { send, sink } = await contact(fields, keys, more);
    for (const address of never) {
      const { status, errors } = await send(['email', address]);
      const isEmail = fields.includes('type: email');
      const code = isEmail && !/^[^@]+@[^@]+$/.test(address) ? 'not_an_email' : 'no_mail_address';
      expect([status, errors], address).toMatchObject([422, [{ field: 'email', code }]]);
      if (code === 'no_mail_address') expect(errors).toMatchObject([{ message: unusable }]);
    }
    expect(sink.mails).toEqual([]);
    expect((await send(['email', 'info@bücher.example'])).status).toBeLessThan(300);
  });

  test.each([
    ['part of the only recipient', '[{name: dept}]', "to: '{{ .fields.dept }}@example.com'", 'a b', 'sales'],
    ['the only one, missing', '[{name: dept, type: email}]', "to: '{{ .fields.dept }}'", '', 'a@b.example'],
    [
      'the only recipient, and no choice',
      '[{name: dept, type: select, options: [a@b.example]}]',
      "to: '{{ .fields.dept }}'",
      '',
      'a@b.example',
    ],
  ])('where it is %s', async (_, fields, to, wrong, right) => {
    const { send, sink } = await contact(fields, to);
    expect(await send(['dept', wrong])).toMatchObject({ status: 422, errors: [{ field: 'dept' }] });
    expect(sink.mails).toEqual([]);
    expect((await send(['dept', right])).status).toBe(200);
    expect(sink.mails).toHaveLength(1);
  });
});

const utf8 = (latin1: string) => Buffer.from(latin1, 'latin1').toString();

type Offer = 'offered' | 'refused' | 'missing';

/** A form whose outputs send mail to a server with or without SMTPUTF8. In the YAML, `SMTP` stands for the server's keys. */
async function mailing(outputs: string, offer: Offer, more = '') {
  const offers = [
    '250-mail.test',
    ...(offer === 'missing' ? [] : ['250-SMTPUTF8', '250-8BITMIME']),
    '250 SIZE',
  ];
  const server = await smtpScript({
    EHLO: offers.join('\r\n'),
    MAIL: (socket, command) => {
      const isRefused = offer === 'refused' && command.includes('SMTPUTF8');
      socket.write(isRefused ? '550 5.6.7 no\r\n' : '250 2.1.0 ok\r\n');
    },
  });
  const smtp = `type: smtp, host: 127.0.0.1, port: ${server.port}, from: site@example.com, mapping: {a: name}`;
  const relay = await relayWith({
    config:
      `forms: {contact: {fields: [{name: email, type: EMAIL, required: true}, {name: name}], outputs: [${outputs}]${more}}}`
        .replaceAll('SMTP', smtp)
        .replace('EMAIL', more === '' ? 'text' : 'email'),
    env: { FORM_TOKEN_SECRET: 'f'.repeat(40), PUBLIC_URL: 'https://forms.example.com' },
  });
  return async (address: string) => {
    const [known, logged] = [server.commands.length, relay.logged.length];
    server.wire = '';
    const { status } = await relay.submit('contact', Object.entries({ email: address, name: 'Ада' }));
    if (more.includes('confirmation_mail'))
      await expect
        .poll(() => relay.logged.slice(logged))
        .toContainEqual(expect.objectContaining({ event: expect.stringMatching(/^confirmation_mail_/) }));
    const lines = utf8(server.wire).split('\r\n');
    const header = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const to = server.commands.slice(known).flatMap((line) => /^RCPT TO:<(.*)>$/.exec(utf8(line))?.[1] ?? []);
    const news = relay.logged.slice(logged);
    expect(JSON.stringify(news)).not.toContain(address);
    return {
      status,
      to: to.sort(),
      isUtf8: lines.some((line) =>
        /^MAIL FROM:<site@example\.com> SIZE=\d+ BODY=8BITMIME SMTPUTF8$/.test(line),
      ),
      toHeader: header('To'),
      replyTo: header('Reply-To'),
      warned: news.some(({ level, reason }) => level !== 'info' && reason !== undefined),
    };
  };
}

describe('a bad reply address does not cost a lead', () => {
  const visitor = "'{{ .fields.email }}'";
  const outputs = {
    reply_to: `{SMTP, to: office@example.com, reply_to: ${visitor}}`,
    'reply_to with a name': `{SMTP, to: office@example.com, reply_to: ${visitor}, reply_to_name: '{{ .fields.name }}'}`,
    'to, beside another': "{SMTP, to: 'office@example.com, {{ .fields.email }}'}",
    'to, beside cc': `{SMTP, to: ${visitor}, cc: office@example.com}`,
    'to, beside bcc': `{SMTP, to: ${visitor}, bcc: office@example.com}`,
    'to, with on_error: continue': `{SMTP, to: office@example.com}, {SMTP, to: ${visitor}, on_error: continue}`,
    confirmation_mail: '{SMTP, to: office@example.com}',
  };
  const more = (key: string) =>
    key === 'confirmation_mail' ? ', confirmation_mail: {to: email, subject: A, text: B}' : '';
  const bad = [
    ...never,
    ...['free text', 'почта @пример.рф', 'a\u037eb@example.org', `${'я'.repeat(33)}@example.org`],
  ];

  test.each(Object.entries(outputs))('%s', async (key, yaml) => {
    const send = await mailing(yaml, 'offered', more(key));
    for (const address of bad) {
      if (key === 'confirmation_mail' && !/^[^@]+@[^@]+$/.test(address)) continue;
      const sent = await send(address);
      const header = key.endsWith('bcc') ? 'undisclosed-recipients:;' : 'office@example.com';
      const expected = {
        status: 200,
        to: ['office@example.com'],
        replyTo: undefined,
        isUtf8: false,
        warned: true,
      };
      expect(sent, address).toMatchObject(key.endsWith(' cc') ? expected : { ...expected, toHeader: header });
    }
  });

  test.each(Object.entries(outputs))('%s, where it needs SMTPUTF8', async (key, yaml) => {
    const address = 'почта@xn--e1afmkfd.xn--p1ai';
    const isReply = key.startsWith('reply_to');
    for (const offer of ['offered', 'refused', 'missing'] as const) {
      const isOffered = offer === 'offered';
      const send = await mailing(yaml, offer, more(key));
      const sent = await send('почта@пример.рф');
      const to = ['office@example.com', ...(isOffered && !isReply ? [address] : [])];
      expect(sent, offer).toMatchObject({ status: 200, to, isUtf8: offer !== 'missing', warned: !isOffered });
      const name = key.endsWith('name') ? '=?UTF-8?Q?=D0=90=D0=B4=D0=B0?= ' : '';
      if (isReply)
        expect(sent.replyTo).toBe(isOffered ? (name ? `${name}<${address}>` : address) : undefined);
      // Only the domain is not ASCII.
      expect(await send('info@пример.рф')).toMatchObject({ status: 200, isUtf8: false, warned: false });
    }
  });

  test.each([
    ['to', `{SMTP, to: ${visitor}}`, ''],
    ['double_opt_in', '{SMTP, to: office@example.com}', ', double_opt_in: {to: email, subject: A, text: B}'],
  ])('but is an error if %s needs SMTPUTF8, and the server lacks it', async (_, yaml, more) => {
    expect(await (await mailing(yaml, 'missing', more))('почта@пример.рф')).toMatchObject({
      status: 422,
      to: [],
    });
    expect(await (await mailing(yaml, 'offered', more))('почта@пример.рф')).toMatchObject({
      status: 200,
      isUtf8: true,
    });
  });
});

test('several values of a field become one recipient each where the config lists them', async () => {
  const fields =
    '[{name: dept, type: checkboxes, options: [sales@example.com, support@example.com, hr@example.com]}]';
  const { send, mails } = await contact(fields, "to: '{{ .fields.dept }}'");
  expect((await send(['dept', 'sales@example.com'], ['dept', 'hr@example.com'])).status).toBe(200);
  expect(mails()).toEqual([['sales@example.com', 'hr@example.com']]);
  expect((await send(['dept', 'sales@example.com'], ['dept', 'eve@example.org'])).status).toBe(422);
});
