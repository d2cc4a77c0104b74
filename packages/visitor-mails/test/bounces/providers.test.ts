import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { relayWith } from '../../../../test/spec/stage.ts';
import { isFirstUse } from '../../src/bounces/used_tokens.ts';
import {
  mailgun,
  mailgunFailure,
  type Newsletter,
  openNewsletter,
  postmark,
  postmarkBounce,
  resend,
  resendBounce,
  type Signed,
  secrets,
  sendgrid,
  sendgridBounce,
  sesBounce,
  sns,
  subscription,
} from './stage.ts';

const ada = 'ada@visitor.example';

const requestId = '6f5902ac-237d-4d3b-9a3e-6e4d3c1d2e11';

const suppressed = {
  message:
    'Resend has suppressed sending to this address because it is on the account-level suppression list.',
  type: 'OnAccountSuppressionList',
};

const fromSes = (more?: object, recipient?: object) => (ada: string) => sns(sesBounce(ada, more, recipient));
const fromPostmark = (more?: object) => (ada: string) => postmark(postmarkBounce(ada, more));
const fromMailgun = (more?: object) => (ada: string) => mailgun(mailgunFailure(ada, more));
const fromSendgrid = (more?: object) => (ada: string) => sendgrid([sendgridBounce(ada, more)]);
const fromResend = (more?: object, type?: string) => (ada: string) => resend(resendBounce(ada, more, type));

/** What each provider says, as it documents it, and what it means. */
const reports: readonly (readonly [
  provider: string,
  what: string,
  event: (ada: string) => Signed,
  means: string,
])[] = [
  ['ses', 'a permanent bounce', fromSes(), 'hard'],
  ['ses', 'the same with a signature of version 1', (ada) => sns(sesBounce(ada), {}, '1'), 'hard'],
  [
    'ses',
    'a feedback notification',
    (ada) => {
      const { eventType, ...rest } = sesBounce(ada);
      return sns(
        { ...rest, notificationType: eventType },
        { Subject: 'Amazon SES Email Event Notification' },
      );
    },
    'hard',
  ],
  [
    'ses',
    'a transient bounce',
    fromSes({ bounceType: 'Transient', bounceSubType: 'MailboxFull' }),
    'nothing',
  ],
  ['ses', 'an undetermined bounce', fromSes({ bounceType: 'Undetermined' }), 'nothing'],
  [
    'ses',
    'a mail that was refused by a policy',
    fromSes({}, { status: '5.7.1', diagnosticCode: '' }),
    'nothing',
  ],
  [
    'ses',
    'a full mailbox, which only the reply says',
    fromSes({}, { status: '5.0.0', diagnosticCode: 'smtp; 552 5.2.2 Over quota' }),
    'nothing',
  ],
  [
    'ses',
    'a delay',
    (ada) =>
      sns({
        eventType: 'DeliveryDelay',
        deliveryDelay: { delayedRecipients: [{ emailAddress: ada, status: '4.4.1' }] },
      }),
    'nothing',
  ],
  [
    'ses',
    'a complaint',
    (ada) =>
      sns({
        eventType: 'Complaint',
        complaint: { complainedRecipients: [{ emailAddress: ada }], complaintFeedbackType: 'abuse' },
      }),
    'complaint',
  ],
  [
    'ses',
    'that a mail is no spam',
    (ada) =>
      sns({
        eventType: 'Complaint',
        complaint: { complainedRecipients: [{ emailAddress: ada }], complaintFeedbackType: 'not-spam' },
      }),
    'nothing',
  ],
  [
    'ses',
    'its own greeting',
    () => sns('Successfully validated SNS topic for Amazon SES event publishing.'),
    'nothing',
  ],
  [
    'ses',
    'a permanent bounce without a code',
    fromSes({}, { status: undefined, diagnosticCode: undefined }),
    'hard',
  ],
  [
    'ses',
    'a complaint of one of two recipients',
    (ada) =>
      sns({
        eventType: 'Complaint',
        complaint: {
          complainedRecipients: [ada, 'eve@visitor.example'].map((emailAddress) => ({ emailAddress })),
        },
      }),
    'unsure complaint',
  ],
  ['ses', 'a delivery', (ada) => sns({ ...sesBounce(ada), eventType: 'Delivery' }), 'nothing'],
  ['postmark', 'a hard bounce', fromPostmark(), 'hard'],
  [
    'postmark',
    'a full mailbox, which only the reply says',
    fromPostmark({ Details: 'smtp;552 5.2.2 Over quota' }),
    'nothing',
  ],
  [
    'postmark',
    'no such address, which only the reply says',
    fromPostmark({ Type: 'Unknown', Details: 'smtp;550 5.1.1 unknown' }),
    'hard',
  ],
  ['postmark', 'a bounce of nobody', () => postmark(postmarkBounce('')), 'nothing'],
  ['postmark', 'a bounce of a name', () => postmark(postmarkBounce('Ada')), 'nothing'],
  ['postmark', 'a soft bounce', fromPostmark({ Type: 'SoftBounce', TypeCode: 4096 }), 'nothing'],
  ['postmark', 'a refusal as spam', fromPostmark({ Type: 'SpamNotification', TypeCode: 512 }), 'nothing'],
  ['postmark', 'an automatic reply', fromPostmark({ Type: 'AutoResponder', TypeCode: 64 }), 'nothing'],
  [
    'postmark',
    'a complaint',
    fromPostmark({ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }),
    'complaint',
  ],
  ...['Transient', 'DnsError', 'Blocked', 'Undeliverable', 'Unknown', 'DMARCPolicy', 'SMTPApiError'].map(
    (Type) => ['postmark', Type, fromPostmark({ Type }), 'nothing'] as const,
  ),
  ['postmark', 'a wrong address', fromPostmark({ Type: 'BadEmailAddress' }), 'hard'],
  ['postmark', 'a complaint as a bounce', fromPostmark({ Type: 'SpamComplaint' }), 'complaint'],
  [
    'postmark',
    'a complaint with a code of a full mailbox',
    fromPostmark({ RecordType: 'SpamComplaint', Details: '5.2.2' }),
    'complaint',
  ],
  ['postmark', 'that a mail was opened', fromPostmark({ RecordType: 'Open' }), 'nothing'],
  ...(['bounce', 'suppress-bounce'] as const).map(
    (reason) =>
      [
        'mailgun',
        `a failure without a code (${reason})`,
        fromMailgun({ reason, 'delivery-status': {} }),
        'hard',
      ] as const,
  ),
  [
    'mailgun',
    'a temporary failure without a code',
    fromMailgun({ severity: 'temporary', 'delivery-status': {} }),
    'nothing',
  ],
  [
    'mailgun',
    'a permanent failure for another reason',
    fromMailgun({ reason: 'espblock', 'delivery-status': {} }),
    'nothing',
  ],
  [
    'mailgun',
    'a refusal by a policy, which only its code says',
    fromMailgun({ 'delivery-status': { 'enhanced-code': '5.7.1' } }),
    'nothing',
  ],
  [
    'mailgun',
    'a mail it did not send after a complaint',
    fromMailgun({ reason: 'suppress-complaint' }),
    'complaint',
  ],
  ['mailgun', 'a permanent failure', fromMailgun(), 'hard'],
  ['mailgun', 'a temporary failure', fromMailgun({ severity: 'temporary' }), 'nothing'],
  [
    'mailgun',
    'retries that ran out',
    fromMailgun({ reason: 'old', 'delivery-status': { code: 602 } }),
    'nothing',
  ],
  ['mailgun', 'a complaint', fromMailgun({ event: 'complained' }), 'complaint'],
  ['mailgun', 'a click', fromMailgun({ event: 'clicked' }), 'nothing'],
  ['sendgrid', 'a bounce', fromSendgrid(), 'hard'],
  ['sendgrid', 'a block', fromSendgrid({ type: 'blocked' }), 'nothing'],
  [
    'sendgrid',
    'a refusal as spam, which only the reply says',
    fromSendgrid({ status: '5.0.0', reason: '550 5.7.1 Rejected' }),
    'nothing',
  ],
  ['sendgrid', 'a deferral', fromSendgrid({ event: 'deferred', response: '400 try again later' }), 'nothing'],
  [
    'sendgrid',
    'a mail it did not send',
    fromSendgrid({ event: 'dropped', reason: 'Bounced Address' }),
    'hard',
  ],
  [
    'sendgrid',
    'a mail it did not send to a wrong address',
    fromSendgrid({ event: 'dropped', reason: 'Invalid' }),
    'hard',
  ],
  [
    'sendgrid',
    'a mail it did not send after a complaint',
    fromSendgrid({ event: 'dropped', reason: 'Spam Reporting Address' }),
    'complaint',
  ],
  [
    'sendgrid',
    'a mail it did not send to somebody who unsubscribed',
    fromSendgrid({ event: 'dropped', reason: 'Unsubscribed Address' }),
    'nothing',
  ],
  ['sendgrid', 'a complaint', fromSendgrid({ event: 'spamreport' }), 'complaint'],
  ['sendgrid', 'that a mail was opened', fromSendgrid({ event: 'open' }), 'nothing'],
  ['resend', 'a bounce', fromResend(), 'hard'],
  ['resend', 'a bounce without a type', fromResend({ bounce: { message: '' } }), 'hard'],
  ['resend', 'a transient bounce', fromResend({ bounce: { type: 'Transient' } }), 'nothing'],
  ['resend', 'a delay', fromResend({}, 'email.delivery_delayed'), 'nothing'],
  ['resend', 'a complaint', fromResend({}, 'email.complained'), 'complaint'],
  ['resend', 'a delivery', fromResend({}, 'email.delivered'), 'nothing'],
  ['resend', 'a mail it did not send', fromResend({ suppressed }, 'email.suppressed'), 'hard'],
  [
    'resend',
    'a bounce of one of two recipients',
    (ada) => resend(resendBounce([ada, 'eve@visitor.example'])),
    'unsure',
  ],
];

describe('a provider that reports mails that came back', () => {
  it.each(['ses', 'postmark', 'mailgun', 'sendgrid', 'resend'])('is understood: %s', async (provider) => {
    const relay = await openNewsletter();
    const own = reports.filter(([by]) => by === provider);
    for (const [index, [, what, event, means]] of own.entries()) {
      const address = `ada${index}@visitor.example`;
      const before = relay.told.length;
      const { status, json } = await relay.post(provider, event(address));
      expect([status, json], what).toEqual([200, { message: 'ok' }]);
      const kinds = relay.told.slice(before).map(({ kind }) => kind);
      const expected = { nothing: [], unsure: ['hard'], 'unsure complaint': ['complaint'] }[means] ?? [means];
      expect(kinds, what).toEqual(expected);
      expect(await relay.isBlocked(address), what).toBe(means === 'hard' || means === 'complaint');
      const words = {
        event: means === 'complaint' ? 'mail_complained' : 'mail_bounced',
        level: means === 'complaint' ? 'warn' : 'info',
      };
      if (means === 'hard' || means === 'complaint')
        expect(relay.told.at(-1), what).toMatchObject({
          ...words,
          address: expect.stringMatching(/^[0-9a-f]{12}$/),
        });
      // No address is in the log.
      expect(JSON.stringify(relay.logged)).not.toContain(address);
    }
  });

  const messageId = `${requestId}-confirmation@seeds.example`;
  it.each([
    ['ses', () => sns(sesBounce(ada))],
    ['mailgun', () => mailgun(mailgunFailure(ada, { message: { headers: { 'message-id': messageId } } }))],
    ['sendgrid', () => sendgrid([sendgridBounce(ada, { 'smtp-id': ` <${messageId}>` })])],
    ['resend', () => resend(resendBounce(ada, { message_id: `<${messageId}>` }))],
  ])('names the submission by the Message-ID of its mail: %s', async (provider, request) => {
    const relay = await openNewsletter();
    await relay.post(provider, request());
    expect(relay.told).toMatchObject([
      { level: 'info', event: 'mail_bounced', request_id: requestId, blocked: 'now' },
    ]);
  });

  it.each([
    ['ses', () => sns(sesBounce(`Ada Berg <${ada}>`))],
    ['sendgrid', () => sendgrid([sendgridBounce(` ${ada} `)])],
    ['resend', () => resend(resendBounce(`"Berg, Ada" <${ada}>`))],
  ])('may name the recipient as the mail does: %s', async (provider, request) => {
    const relay = await openNewsletter();
    await relay.post(provider, request());
    expect(relay.told).toMatchObject([{ event: 'mail_bounced', blocked: 'now' }]);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  const office = 'office@seeds.example';
  const times50 = Array<string>(50).fill(office);
  const named = (addresses: readonly string[]) => addresses.map((emailAddress) => ({ emailAddress }));
  const complaint = (addresses: readonly string[]) =>
    sns({ eventType: 'Complaint', complaint: { complainedRecipients: named(addresses) } });
  const bounce = (addresses: readonly string[]) =>
    sns(sesBounce(office, { bouncedRecipients: named(addresses) }));
  it.each([
    ['ses', () => bounce([...times50, ada]), 50, 'error'],
    ['ses', () => complaint([...times50, ada]), 1, 'error'],
    ['ses', () => complaint([...times50.slice(1), ada]), 1, 'warn'],
    ['resend', () => resend(resendBounce([...times50, ada])), 1, 'error'],
    ['resend', () => resend(resendBounce([...times50.slice(1), ada])), 1, 'warn'],
  ] as const)('names 50 recipients at most: %s', async (provider, request, count, level) => {
    const relay = await openNewsletter();
    await relay.post(provider, request());
    expect(relay.told).toHaveLength(count);
    expect(relay.told.at(-1)).toMatchObject({ event: 'owner_mail_bounced', level });
  });

  it('takes an event of Mailgun once, whatever its token', async () => {
    const relay = await openNewsletter();
    const failure = mailgunFailure(ada);
    for (const token of ['a', 'b'])
      expect((await relay.post('mailgun', mailgun(failure, { token: token.repeat(50) }))).status).toBe(200);
    expect(relay.told).toHaveLength(1);
  });

  it('takes all events of a request', async () => {
    const relay = await openNewsletter();
    const all = Array.from({ length: 300 }, (_, index) => sendgridBounce(`v${index}@visitor.example`));
    expect((await relay.post('sendgrid', sendgrid(all))).status).toBe(200);
    expect(relay.told).toHaveLength(300);
    expect(await relay.isBlocked('v299@visitor.example')).toBe(true);
  });
});

const unsigned = 'it has no signature or password';
const forged = 'the signature or password is wrong';

describe('a signature', () => {
  const aboutAda = {
    postmark: () => postmark(postmarkBounce(ada)),
    sendgrid: () => sendgrid([sendgridBounce(ada)]),
    resend: () => resend(resendBounce(ada)),
  };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const password = secrets.POSTMARK_PASSWORD;

  it.each([
    ['sendgrid', unsigned, { 'x-twilio-email-event-webhook-signature': '' }],
    ['sendgrid', unsigned, { 'x-twilio-email-event-webhook-timestamp': '' }],
    ['resend', unsigned, { 'svix-id': '' }],
    ['resend', unsigned, { 'svix-timestamp': '' }],
    ['resend', unsigned, { 'svix-signature': '' }],
    ['resend', undefined, { 'svix-signature': `${'v1,x '.repeat(9)}$own` }],
    ['resend', forged, { 'svix-signature': `${'v1,x '.repeat(10)}$own` }],
    ['resend', forged, { 'svix-signature': 'x$own' }],
    ['postmark', undefined, { authorization: basic(`any:${password}`).replace('Basic', 'BASIC') }],
    ['postmark', undefined, { authorization: basic(`:${password}`) }],
    ['postmark', undefined, { authorization: basic(password) }],
    ['postmark', forged, { authorization: basic(`any:one:${password}`) }],
    ['postmark', unsigned, { authorization: `x${basic(`any:${password}`)}` }],
    ['postmark', unsigned, { authorization: `${basic(`any:${password}`)} x` }],
    ['postmark', unsigned, { authorization: basic('x'.repeat(751)) }],
    ['postmark', forged, { authorization: basic('x'.repeat(750)) }],
  ] as const)('of %s is missed or wrong (%s) in the headers %j', async (provider, reason, headers) => {
    const relay = await openNewsletter();
    const request = aboutAda[provider]();
    const own = request.headers?.['svix-signature']?.split(' ')[1] ?? '';
    const changed = Object.entries(headers).map(([name, value]) => [name, value.replace('$own', own)]);
    const { status } = await relay.post(provider, request, { headers: Object.fromEntries(changed) });
    expect(status).toBe(reason ? 401 : 200);
    expect(relay.told).toMatchObject([
      reason ? { event: 'mail_events_refused', reason } : { blocked: 'now' },
    ]);
  });

  it.each(['timestamp', 'token', 'signature'])('of Mailgun needs its %s', async (member) => {
    const relay = await openNewsletter();
    const body = String(mailgun(mailgunFailure(ada)).body).replace(
      new RegExp(`"${member}":"[^"]*"`),
      `"${member}":null`,
    );
    expect((await relay.post('mailgun', { body })).status).toBe(401);
    expect(relay.told).toMatchObject([{ reason: unsigned }]);
  });

  it('of Resend has a key of 16 bytes at least, with spaces around it or not', async () => {
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;
    for (const [secret, status] of [
      [secretOf(15), 401],
      [secretOf(16), 200],
      [` ${secretOf(16)}\n`, 200],
    ] as const) {
      const relay = await openNewsletter({ env: { RESEND_SECRET: secret } });
      expect((await relay.post('resend', resend(resendBounce(ada), { secret: secret.trim() }))).status).toBe(
        status,
      );
    }
  });
});

describe('a signature of joined texts proves one way to split them', () => {
  const at = Math.floor(Date.now() / 1_000);
  const mailgunBody = (timestamp: string | number, token: string) =>
    JSON.stringify({
      signature: {
        timestamp,
        token,
        signature: createHmac('sha256', secrets.MAILGUN_KEY).update(`${timestamp}${token}`).digest('hex'),
      },
      'event-data': mailgunFailure(ada),
    });
  const hex = 'ab'.repeat(25);

  it.each<readonly [what: string, timestamp: string | number, token: string, status: number]>([
    ['ten and fifty digits', `${at}`, hex, 200],
    ['a timestamp that is a number', at, hex, 200],
    ['an exponent from the token', `${at}e0`, hex.slice(2), 401],
    ['a digit from the token', `${at}0`, hex.slice(1), 401],
    ['a digit to the token', `${at}`.slice(0, -1), `${at % 10}${hex}`, 401],
    ['a fraction', `${at}.0`, hex.slice(2), 401],
    ['white space before the timestamp', ` ${at}`, hex, 401],
    ['white space after the timestamp', `${at}\n`, hex, 401],
    ['a hexadecimal timestamp', `0x${at.toString(16)}`, hex, 401],
    ['a sign', `+${at}`, hex, 401],
    [
      'wide digits',
      `${at}`.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
      hex,
      401,
    ],
    ['a token with a line break', `${at}`, `${hex}\n`, 401],
    ['a token in capitals', `${at}`, hex.toUpperCase(), 401],
    ['a short token', `${at}`, hex.slice(1), 401],
    ['a long token', `${at}`, `${hex}a`, 401],
  ])('Mailgun: %s', async (_, timestamp, token, status) => {
    const relay = await openNewsletter();
    expect((await relay.post('mailgun', { body: mailgunBody(timestamp, token) })).status).toBe(status);
    expect(await relay.isBlocked(ada)).toBe(status === 200);
  });

  it('SendGrid: the timestamp has ten digits', async () => {
    const relay = await openNewsletter();
    const bounce = [sendgridBounce(ada)];
    for (const form of [`${at}.`, `${at}.0`, `${at}e0`, `0x${at.toString(16)}`, `+${at}`, `0${at}`])
      expect((await relay.post('sendgrid', sendgrid(bounce, { timestamp: form }))).status, form).toBe(401);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it('Resend: no dot is in the id, and the timestamp has ten digits', async () => {
    const relay = await openNewsletter();
    const bounce = resendBounce(ada);
    for (const form of [`${at}.`, `${at}.0`, `${at}e0`, `0x${at.toString(16)}`, `+${at}`])
      expect((await relay.post('resend', resend(bounce, { timestamp: form }))).status, form).toBe(401);
    for (const id of [`msg_1.${at}`, '.'])
      expect((await relay.post('resend', resend(bounce, { id }))).status, id).toBe(401);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it('Amazon SNS: only the message has lines', async () => {
    const relay = await openNewsletter();
    const { Signature, ...envelope } = JSON.parse(
      String(sns(sesBounce(ada), { MessageId: 'one', Subject: 'Bounce' }).body),
    );
    const { MessageId: _, ...unnamed } = envelope;
    const { Subject: __, ...bare } = envelope;
    for (const moved of [
      { ...bare, MessageId: 'one\nSubject\nBounce' },
      { ...unnamed, Message: `${envelope.Message}\nMessageId\none` },
    ])
      expect((await relay.post('ses', { body: JSON.stringify({ Signature, ...moved }) })).status).toBe(401);
    expect((await relay.post('ses', { body: JSON.stringify({ Signature, ...envelope }) })).status).toBe(200);
  });
});

/** Each provider with a good event, and another that says the same about somebody else. */
const signed: readonly (readonly [string, (address: string) => Signed])[] = [
  ['ses', (address) => sns(sesBounce(address))],
  ['postmark', (address) => postmark(postmarkBounce(address))],
  ['mailgun', (address) => mailgun(mailgunFailure(address))],
  ['sendgrid', (address) => sendgrid([sendgridBounce(address)])],
  ['resend', (address) => resend(resendBounce(address))],
];

describe.each(signed)('an event of %s', (provider, event) => {
  const isRefused = async (relay: Newsletter, request: Signed, reason: string) => {
    const { status, json, headers } = await relay.post(provider, request);
    expect([status, json]).toEqual([401, { error: 'not accepted' }]);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(await relay.isBlocked(ada)).toBe(false);
    expect(relay.told).toMatchObject([{ event: 'mail_events_refused', level: 'warn', provider, reason }]);
  };

  it('is refused without its signature', async () => {
    const { body } = event(ada);
    const relay = await openNewsletter();
    const without = String(body)
      .replace(/"signature":\{.*?\},/, '')
      .replace(/"Signature":".*?",/, '');
    await isRefused(relay, { body: without }, provider === 'ses' ? forged : unsigned);
  });

  it('is refused with the signature of another event', async () => {
    const relay = await openNewsletter();
    const other = event('eve@visitor.example');
    const changed = String(other.body).replaceAll('eve@visitor.example', ada);
    if (provider === 'postmark')
      return isRefused(relay, postmark(postmarkBounce(ada), 'a-password-of-postmarl'), forged);
    // The signature of Mailgun covers its token alone.
    const body = provider === 'mailgun' ? changed.replace('"token":"a', '"token":"b') : changed;
    await isRefused(relay, { ...other, body }, forged);
  });

  it('counts once when it comes again, in any process', async () => {
    const relay = await openNewsletter();
    const request = event(ada);
    expect((await relay.post(provider, request)).status).toBe(200);
    expect((await relay.post(provider, request)).status).toBe(200);
    expect(relay.told.filter((one) => one.event === 'mail_bounced')).toHaveLength(1);
    const another = await relay.again();
    expect((await another.post(provider, request)).status).toBe(200);
    expect(another.told).toMatchObject([{ event: 'mail_bounced', blocked: 'before' }]);
  });

  it('is refused where no config asks for it', async () => {
    const other =
      provider === 'resend'
        ? 'mailgun: {signing_key_env: MAILGUN_KEY}'
        : 'resend: {secret_env: RESEND_SECRET}';
    const relay = await openNewsletter({ bounces: `\n  ${other}` });
    expect((await relay.post(provider, event(ada))).status).toBe(404);
  });

  it('is answered 503 while the list cannot be written, so that it comes again', async () => {
    const relay = await openNewsletter();
    rmSync(relay.folder, { recursive: true });
    const request = event(ada);
    const { status, json } = await relay.post(provider, request);
    expect([status, json]).toEqual([503, { error: 'not now' }]);
    expect(relay.told).toMatchObject([{ event: 'bounces_unread', level: 'error', provider }]);
    expect(relay.told.some((one) => one.event === 'mail_bounced')).toBe(false);
  });
});

describe('a token of Mailgun', () => {
  const token = 'a'.repeat(50);
  const aboutAda = () => mailgun(mailgunFailure(ada), { token });
  const aboutEve = () => mailgun(mailgunFailure('eve@visitor.example'), { token });

  it('stands for one event, in any process', async () => {
    const relay = await openNewsletter();
    expect((await relay.post('mailgun', aboutAda())).status).toBe(200);
    for (const process of [relay, await relay.again()]) {
      expect((await process.post('mailgun', aboutEve())).status).toBe(401);
      const reason = 'its token was used before, for another event';
      expect(process.told).toContainEqual(expect.objectContaining({ event: 'mail_events_refused', reason }));
    }
    expect(await relay.isBlocked('eve@visitor.example')).toBe(false);
  });

  it('stands for one event of two that come at once', async () => {
    const relay = await openNewsletter();
    const answers = await Promise.all([aboutAda(), aboutEve()].map((one) => relay.post('mailgun', one)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  /** Tokens in a store of texts, and a clock. */
  function usedTokens() {
    const texts = new Map<string, string | undefined>();
    let now = Date.parse('2030-01-01');
    const change = async (key: string, next: (text: string | undefined) => string | undefined) => {
      texts.set(key, next(texts.get(key)));
    };
    const isFirst = (one: string, event: string) =>
      isFirstUse({ token: one, event }, { change }, { now: () => now });
    return {
      texts,
      isFirst,
      wait: (ms: number) => {
        now += ms;
      },
    };
  }

  it('is known by its digest for 26 hours', async () => {
    const { texts, isFirst, wait } = usedTokens();
    expect([await isFirst('t', 'a'), await isFirst('t', 'b'), await isFirst('t', 'a')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await isFirst('u', 'b')).toBe(true);
    const [key = ''] = texts.keys();
    const text = texts.get(key);
    expect(key).toMatch(/^bounces\/token-[0-9a-f]{2}$/);
    expect(text).toMatch(/^\[\["[0-9a-f]{20}","[0-9a-f]{20}",\d+\]\]$/);
    expect(text).toContain(`"${key.slice(-2)}`);
    wait(26 * 3_600_000 - 1);
    expect(await isFirst('t', 'b')).toBe(false);
    wait(1);
    expect([await isFirst('t', 'b'), await isFirst('t', 'a')]).toEqual([true, false]);
  });

  it('is one of 400 that each part of the store has at most', async () => {
    const { texts, isFirst } = usedTokens();
    await isFirst('t', 'a');
    const [key = ''] = texts.keys();
    const rows = Array.from({ length: 400 }, (_, index) => [`t${index}`, 'a', Date.parse('2030-01-01')]);
    texts.set(key, JSON.stringify(rows));
    expect(await isFirst('t', 'a')).toBe(true);
    const kept = JSON.parse(texts.get(key) ?? '');
    expect(kept.slice(0, -1)).toEqual(rows.slice(1));
    expect(await isFirst('t', 'b')).toBe(false);
  });

  it.each(['x', '{}', 'null', '[1, null, "a"]'])('is taken where the store holds %s', async (damaged) => {
    const { texts, isFirst } = usedTokens();
    await isFirst('t', 'a');
    for (const key of texts.keys()) texts.set(key, damaged);
    expect([await isFirst('t', 'b'), await isFirst('t', 'a')]).toEqual([true, false]);
  });

  it('may come again with its event after a failure', async () => {
    const relay = await openNewsletter();
    rmSync(relay.folder, { recursive: true });
    const request = aboutAda();
    expect((await relay.post('mailgun', request)).status).toBe(503);
    mkdirSync(relay.folder);
    expect((await relay.post('mailgun', request)).status).toBe(200);
    expect(await relay.isBlocked(ada)).toBe(true);
  });
});

describe('an event that is old', () => {
  const longAgo = () => Date.now() - 26 * 3_600_000;
  it.each([
    ['ses', () => sns(sesBounce(ada), { Timestamp: new Date(longAgo()).toISOString() })],
    ['ses', () => sns(sesBounce(ada), { Timestamp: 'soon' })],
    ['mailgun', () => mailgun(mailgunFailure(ada), { at: longAgo() })],
    ['sendgrid', () => sendgrid([sendgridBounce(ada)], { at: longAgo() })],
    ['resend', () => resend(resendBounce(ada), { at: Date.now() - 301_000 })],
    ['resend', () => resend(resendBounce(ada), { at: Date.now() + 302_000 })],
  ] as const)('is refused (%s)', async (provider, event) => {
    const relay = await openNewsletter();
    expect((await relay.post(provider, event())).status).toBe(401);
    expect(await relay.isBlocked(ada)).toBe(false);
    expect(relay.told).toMatchObject([{ reason: 'its time is too long ago, or to come' }]);
  });

  it.each([
    ['ses', (at: Date) => sns(sesBounce(ada, { timestamp: at.toISOString() }))],
    ['postmark', (at: Date) => postmark(postmarkBounce(ada, { BouncedAt: at.toISOString() }))],
    ['mailgun', (at: Date) => mailgun(mailgunFailure(ada, { timestamp: at.getTime() / 1_000 }))],
    [
      'sendgrid',
      (at: Date) => sendgrid([sendgridBounce(ada, { timestamp: String(Math.floor(at.getTime() / 1_000)) })]),
    ],
    ['resend', (at: Date) => resend({ ...resendBounce(ada), created_at: at.toISOString() })],
  ] as const)('blocks for a year from when it happened (%s)', async (provider, event) => {
    const dayMs = 86_400_000;
    const relay = await openNewsletter();
    expect((await relay.post(provider, event(new Date(Date.now() - 366 * dayMs)))).status).toBe(200);
    expect(await relay.isBlocked(ada)).toBe(false);
    const again = await relay.again();
    await again.post(provider, event(new Date(Date.now() - 300 * dayMs)));
    expect(await again.isBlocked(ada)).toBe(true);
    again.advance(66 * dayMs);
    expect(await again.isBlocked(ada)).toBe(false);
  });

  it.each([-1, 0, 'soon', null])('counts from now if its time is %j', async (timestamp) => {
    const relay = await openNewsletter();
    await relay.post('sendgrid', sendgrid([sendgridBounce(ada, { timestamp })]));
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it('may be a quarter of an hour ahead', async () => {
    const relay = await openNewsletter();
    const at = (minutes: number) => sendgrid([sendgridBounce(ada)], { at: Date.now() + minutes * 60_000 });
    expect((await relay.post('sendgrid', at(16))).status).toBe(401);
    expect((await relay.post('sendgrid', at(14))).status).toBe(200);
  });
});

it.each([
  ['postmark', 'POSTMARK_PASSWORD', () => postmark(postmarkBounce(ada), '')],
  ['mailgun', 'MAILGUN_KEY', () => mailgun(mailgunFailure(ada), { key: '' })],
  ['resend', 'RESEND_SECRET', () => resend(resendBounce(ada), { secret: '' })],
] as const)('takes no event where the secret is not set (%s)', async (provider, variable, event) => {
  const relay = await openNewsletter({ env: { [variable]: '' } });
  expect((await relay.post(provider, event())).status).toBe(401);
  expect(relay.told).toContainEqual(
    expect.objectContaining({ reason: expect.stringContaining('is not set, or holds something else') }),
  );
});

it.each([
  ['sendgrid', 'that is no list', () => sendgrid({})],
  ['postmark', 'of no type', () => postmark({})],
  ['ses', 'of no topic', () => ({ body: '{}' })],
  ['ses', 'of another type', () => sns('', { Type: 'Greeting' })],
] as const)('says that it cannot read a report of %s %s', async (provider, _, request) => {
  const relay = await openNewsletter();
  expect((await relay.post(provider, request())).status).toBe(401);
  expect(relay.told).toMatchObject([{ event: 'mail_events_refused', reason: 'it cannot be read' }]);
});

it.each([
  ['mailgun', mailgunFailure],
  ['postmark', postmarkBounce],
] as const)('takes an event without an id once (%s)', async (provider, make) => {
  const relay = await openNewsletter();
  const sign = provider === 'mailgun' ? mailgun : postmark;
  for (const address of [ada, 'eve@visitor.example']) {
    const report = { ...make(address), id: undefined, ID: undefined, MessageID: address };
    await relay.post(provider, sign(report));
    await relay.post(provider, sign(report));
  }
  expect(relay.told.filter(({ blocked }) => blocked === 'now')).toHaveLength(2);
});

it.each(['whsec_', 'whsec_c2hvcnQ=', 'REPLACE ME'])(
  'takes no event of Resend where its secret is no key (%s)',
  async (secret) => {
    const relay = await openNewsletter({ env: { RESEND_SECRET: secret } });
    expect((await relay.post('resend', resend(resendBounce(ada), { secret }))).status).toBe(401);
    expect(await relay.isBlocked(ada)).toBe(false);
  },
);

/** The examples that SendGrid's libraries and Svix, which signs for Resend, test their own signatures with. */
const published = {
  sendgrid: {
    keys: '{public_key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="}',
    at: 1600112502,
    body: `${JSON.stringify([
      {
        email: 'hello@world.com',
        event: 'dropped',
        reason: 'Bounced Address',
        sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
        sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
        'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
        timestamp: 1600112492,
      },
    ])}\r\n`,
    headers: {
      'x-twilio-email-event-webhook-signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
      'x-twilio-email-event-webhook-timestamp': '1600112502',
    },
    means: [{ event: 'mail_bounced', kind: 'hard', blocked: 'now' }],
  },
  resend: {
    keys: '{secret_env: RESEND_SECRET}',
    at: 1614265330,
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    means: [],
  },
};

it.each(Object.entries(published))('believes the signature that %s published', async (provider, example) => {
  const { keys, at, body, headers, means } = example;
  const relay = await openNewsletter({
    bounces: ` {${provider}: ${keys}}`,
    env: { RESEND_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    effects: { now: () => at * 1_000 },
  });
  expect((await relay.post(provider, { body: body.replace('2', '3'), headers })).status).toBe(401);
  expect((await relay.post(provider, { body, headers })).status).toBe(200);
  expect(relay.told).toMatchObject([{ event: 'mail_events_refused' }, ...means]);
});

it('checks signatures of Resend as another library makes them', async () => {
  const relay = await openNewsletter();
  const body = JSON.stringify(resendBounce(ada));
  const at = new Date();
  const signature = new Webhook(secrets.RESEND_SECRET).sign('msg_1', at, body);
  const headers = {
    'svix-id': 'msg_1',
    'svix-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'svix-signature': signature,
  };
  expect((await relay.post('resend', { body, headers })).status).toBe(200);
  expect(await relay.isBlocked(ada)).toBe(true);
});

it('has a limit of its own, so that a stranger shuts out neither events nor visitors', async () => {
  const now = Date.now();
  const relay = await openNewsletter({
    env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1', TRUSTED_PROXIES: '127.0.0.1' },
    effects: { now: () => now },
  });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  // Its addresses are known once the config is.
  await relay.get('/readyz');
  const statuses: number[] = [];
  for (let index = 0; index < 201; index += 1)
    statuses.push((await relay.post('postmark', { body: '{}', headers: from('192.0.2.1') })).status);
  expect(statuses).toEqual([...Array<number>(200).fill(401), 429]);
  const event = postmark(postmarkBounce(ada));
  const taken = await relay.post('postmark', {
    ...event,
    headers: { ...event.headers, ...from('192.0.2.2') },
  });
  expect(taken.status).toBe(200);
  expect((await relay.signUp('grace@visitor.example')).status).toBe(200);
  expect((await relay.signUp('grace@visitor.example')).status).toBe(429);
});

it('takes 2,000 requests at once of all clients together', async () => {
  const now = Date.now();
  const relay = await openNewsletter({ env: { TRUSTED_PROXIES: '127.0.0.1' }, effects: { now: () => now } });
  // Its addresses are known once the config is.
  await relay.get('/readyz');
  const statuses: number[] = [];
  for (let index = 0; index < 2_001; index += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${index % 250}` };
    statuses.push((await relay.post('postmark', { body: '{}', headers })).status);
  }
  expect(statuses).toEqual([...Array<number>(2_000).fill(401), 429]);
});

describe('the address for events', () => {
  const report = postmark(postmarkBounce(ada));

  it.each([
    [
      'in a config without bounces',
      404,
      'no such page',
      'forms: {a: {fields: [{name: a}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}]}}',
    ],
    ['in a config that does not load', 500, 'the forms are not available', 'forms: ['],
  ])('answers as any other page %s', async (_, status, words, config) => {
    const relay = await relayWith({ config, env: secrets });
    const answer = await relay.request('/api/v1/mail-events/postmark', { method: 'POST', ...report });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
  });

  it('takes nothing without FORM_TOKEN_SECRET', async () => {
    const relay = await openNewsletter({ env: { FORM_TOKEN_SECRET: '' } });
    const { status, json } = await relay.post('postmark', report);
    expect([status, json]).toEqual([503, { error: 'not now' }]);
  });

  it('names the request in the log, and how many were refused since', async () => {
    const now = Date.now();
    const relay = await openNewsletter({ effects: { now: () => now } });
    for (const body of ['{', '{']) await relay.post('postmark', { body });
    for (const request of [subscription(), subscription({ Type: 'UnsubscribeConfirmation' })])
      expect((await relay.post('ses', request)).json).toEqual({ message: 'ok' });
    const ids = { request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(relay.told).toMatchObject([
      { event: 'mail_events_refused', ...ids, times: 1 },
      { event: 'mail_events_subscribed', ...ids },
      { event: 'mail_events_unsubscribed', ...ids },
    ]);
  });

  it.each([
    ['certificate', 'ses', sns(sesBounce(ada)), { http: async () => Promise.reject(new Error('a bug')) }],
  ] as const)(
    'answers 500 where a bug keeps the %s from being read',
    async (_, provider, request, options) => {
      const relay = await openNewsletter(options);
      expect((await relay.post(provider, request)).status).toBe(500);
      expect(relay.logged.filter(({ event }) => event === 'internal_error')).toHaveLength(1);
      expect(relay.told).toEqual([]);
    },
  );
});

describe('a body that is no event', () => {
  it('is refused if it is longer than 1 MB', async () => {
    const relay = await openNewsletter();
    const long = sendgrid([sendgridBounce(ada, { reason: 'x'.repeat(1_100_000) })]);
    const { status, json } = await relay.post('sendgrid', long);
    expect([status, json]).toEqual([413, { error: 'too long' }]);
  });

  it.each([
    ['deep', '['.repeat(500_000)],
    ['no JSON', '{'],
    ['nothing', ''],
    ['a number', '1'],
    ['null', 'null'],
  ])('is refused by all providers (%s)', async (_, body) => {
    const relay = await openNewsletter();
    for (const [provider] of signed) {
      const answer = await relay.post(provider, { body });
      expect(answer.status).toBeGreaterThanOrEqual(401);
      expect(answer.status).toBeLessThanOrEqual(503);
    }
    expect(relay.logged.some(({ event }) => event === 'internal_error')).toBe(false);
  });

  it.each([
    ['a map', {}],
    [
      'members of other types',
      [{ event: 'bounce', email: { a: 1 }, type: [], sg_event_id: 1, timestamp: 'x', status: 5 }],
    ],
    ['no members', [null, 1, 'x', []]],
  ])('is taken for what it is if it is signed (%s)', async (_, report) => {
    const relay = await openNewsletter();
    expect([200, 401]).toContain((await relay.post('sendgrid', sendgrid(report))).status);
    expect([200, 401]).toContain((await relay.post('ses', sns(report))).status);
    expect([200, 401]).toContain((await relay.post('mailgun', mailgun(report))).status);
    expect([200, 401]).toContain((await relay.post('resend', resend(report as object))).status);
    expect([200, 401]).toContain((await relay.post('postmark', postmark(report as object))).status);
    expect(relay.logged.some(({ event }) => event === 'internal_error')).toBe(false);
  });
});
