import { expectLogged, gate, relayWith, smtpScript, smtpSink } from '../../../../test/support/index.ts';
import { decodeMail, decodeWords } from '../../../../test/support/mail.ts';
import type { LogEvent } from '../../../../test/support/relay.ts';
import type { SunkMail } from '../../../../test/support/smtp_sink.ts';
import type { SmtpMessage } from '../../../core/src/services.ts';
import { fetchHandler } from '../../../runtimes/src/fetch.ts';
import { isAutoReply, openShop } from './stage.ts';

const headOf = (mail: SunkMail | undefined) => Object.fromEntries(decodeMail(mail?.raw ?? '').headers);
const subjectOf = (mail: SunkMail | undefined) => decodeWords(headOf(mail).Subject ?? '');
const withheld = (logged: readonly LogEvent[]) =>
  logged.filter(({ event }) => event === 'submission').map(({ confirmation_mail }) => confirmation_mail);

describe('the visitor gets a mail once the submission was delivered', () => {
  test('from the owner, with the owner’s text, and marked so that no program replies', async () => {
    const shop = await openShop();
    expect((await shop.order()).status).toBe(200);
    expect(shop.confirmations).toHaveLength(1);
    const [mail] = shop.confirmations;
    expect(mail?.envelope).toEqual({ from: 'shop@seeds.example', to: ['ada@visitor.example'] });
    expect(decodeMail(mail?.raw ?? '').text).toBe('Thank you. We pack it tomorrow.\n');
    expect(headOf(mail)).toMatchObject({
      From: 'Seeds <shop@seeds.example>',
      To: 'ada@visitor.example',
      'Auto-Submitted': 'auto-replied',
      'MIME-Version': '1.0',
    });
    expect(subjectOf(mail)).toBe('Your small parcel');
    const [submission] = shop.logged.filter(({ event }) => event === 'submission');
    expect(headOf(mail)['Message-ID']).toBe(`<${submission?.request_id}-confirmation_mail@seeds.example>`);
  });

  test('but none if no output accepted it, even if failures are allowed', async () => {
    const shop = await openShop({
      outputKeys: ', on_error: continue',
      sink: { onSender: (from) => (from === '' ? undefined : '550 5.7.1 no') },
    });
    expect((await shop.order()).status).toBe(200);
    expect(shop.confirmations).toEqual([]);
    expect(withheld(shop.logged)).toEqual(['taken_by_nobody']);
  });

  test('the Message-ID is the same in a retry', async () => {
    let refusals = 1;
    const ids: (string | undefined)[] = [];
    const shop = await openShop({
      sink: {
        onMessage: (raw) => {
          if (!raw.includes('auto-replied')) return undefined;
          ids.push(/^Message-ID: (.*)$/im.exec(raw)?.[1]);
          refusals -= 1;
          return refusals >= 0 ? '451 4.3.0 later' : undefined;
        },
      },
    });
    await shop.order();
    expect(shop.confirmations).toHaveLength(1);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });
});

const languages = `
forms:
  order:
    languages: [en, ar]
    title: {en: Seed shop, ar: متجر}
    fields: [{name: email, type: email}]
    outputs: [{type: smtp, host: 127.0.0.1, port: PORT, to: office@seeds.example, mapping: "*"}]
    confirmation_mail:
      to: email
      subject: {en: Thank you, ar: شكرا}
      text: {en: Soon., ar: قريبا.}
      html: true
`;
test.each([
  [
    'a browser’s',
    { 'hx-request': 'true', 'accept-language': 'ar' },
    'شكرا',
    /lang=(3D)?"ar"[^>]*dir=(3D)?"rtl"/,
  ],
  ['a script’s', { 'accept-language': 'ar' }, 'شكرا', /lang=(3D)?"ar"/],
  ['a program’s, which is the first', {}, 'Thank you', /lang=(3D)?"en"/],
])('in the visitor’s language: %s', async (_, headers, subject, html) => {
  const sink = await smtpSink();
  const relay = await relayWith({ config: languages.replace('PORT', String(sink.port)) });
  await relay.submit('order', [['email', 'ada@visitor.example']], headers);
  await expect.poll(() => sink.mails.length).toBe(2);
  const mail = sink.mails.find(isAutoReply);
  expect(subjectOf(mail)).toBe(subject);
  expect(mail?.raw.replaceAll('=\r\n', '')).toMatch(html);
});

test.each([
  ['through: {type: email}', 'cloud@seeds.example'],
  ['through: {type: email, from: Post <post@seeds.example>}', 'post@seeds.example'],
  ['from: shop@seeds.example\nthrough: {type: email, from: Post <post@seeds.example>}', 'shop@seeds.example'],
])('through a separate server: through Amazon, with the sender from the config: %j', async (keys, from) => {
  const sent: { readonly from?: unknown }[] = [];
  const shop = await openShop({
    keys,
    env: { MAIL_FROM_ADDRESS: 'Seeds <cloud@seeds.example>' },
    effects: { ses: async (mail) => void sent.push(mail) },
  });
  await shop.order();
  expect(sent).toMatchObject([{ to: ['ada@visitor.example'], isAutoReply: true }]);
  expect(JSON.stringify(sent[0]?.from)).toContain(from);
});

describe('no mail is sent', () => {
  test.each([
    ['from a submission that is wrong', {}, { parcel: 'huge' }, 422],
    ['from a bot in the honeypot', { formKeys: 'spam: {honeypot: website}' }, { website: 'x' }, 200],
    [
      'from a bot without a token',
      { formKeys: 'spam: {min_fill_seconds: 2}', env: { FORM_TOKEN_SECRET: 'abcdefghijklmnopqrstuvwxyz' } },
      { _ts: 'made up' },
      200,
    ],
    [
      'from a submission that was not delivered',
      { sink: { onRecipient: (to: string) => (to.startsWith('office') ? '550 5.1.1 no' : undefined) } },
      {},
      500,
    ],
  ])('%s', async (_, options, values, status) => {
    const shop = await openShop(options);
    expect((await shop.order(values)).status).toBe(status);
    expect(shop.confirmations).toEqual([]);
    expect(shop.logged.filter(({ event }) => event.startsWith('confirmation'))).toEqual([]);
  });

  test.each([
    ['without an address', '', 'no_address'],
    ['who is a mail server', 'MAILER-DAEMON@visitor.example', 'automatic_address'],
    ['who is a postmaster', 'postmaster@visitor.example', 'automatic_address'],
    ['who never reads', 'no-reply@visitor.example', 'automatic_address'],
    ['who is a list’s program', 'garden-request@lists.example', 'automatic_address'],
    ['who is a list’s owner', 'owner-garden@lists.example', 'automatic_address'],
    ['who takes bounces', 'bounces+ada=visitor.example@lists.example', 'automatic_address'],
  ])('%s', async (_, email, reason) => {
    const shop = await openShop();
    expect((await shop.order({ email })).status).toBe(200);
    expect(shop.confirmations).toEqual([]);
    expect(withheld(shop.logged)).toEqual([reason]);
  });

  test.each(['owner@bakery.example', 'request@agency.example', 'info@firm.example', 'no@body.example'])(
    'but %s may be a person',
    async (email) => {
      const shop = await openShop();
      await shop.order({ email });
      expect(shop.confirmations).toHaveLength(1);
    },
  );
});

describe('a failed mail does not fail the visitor’s submission', () => {
  test('a warning in the log says why, without the address', async () => {
    const shop = await openShop({
      sink: { onRecipient: (to) => (to.startsWith('ada') ? '550 5.1.1 nobody here' : undefined) },
    });
    expect((await shop.order()).status).toBe(200);
    expectLogged(shop, {
      level: 'warn',
      event: 'confirmation_mail_failed',
      form: 'order',
      reason: 'the server refused a recipient: 550 5.1.1',
    });
    expect(JSON.stringify(shop.logged)).not.toContain('visitor.example');
  });

  test('a server that hangs is given up in time', async () => {
    const script = await smtpScript({ greeting: () => {} });
    const shop = await openShop({
      keys: `through: {type: smtp, host: 127.0.0.1, port: ${script.port}, timeout: 100ms, retries: 0}`,
    });
    expect((await shop.order()).status).toBe(200);
    expectLogged(shop, {
      event: 'confirmation_mail_failed',
      reason: expect.stringMatching(
        /^no complete response within 100 ms: time was up before the server greeted;/,
      ),
      tries: 1,
    });
  });
});

/** A mail server whose responses wait at a gate. */
function gatedSmtp() {
  const [reached, left] = [gate(), gate()];
  const smtp = async ({ isAutoReply }: SmtpMessage) => {
    if (!isAutoReply) return;
    reached.open();
    await left.opened;
  };
  return { reached: reached.opened, open: left.open, effects: { smtp } };
}

const config = `
forms:
  order:
    fields: [{name: email, type: email}]
    outputs: [{type: smtp, host: mail.example, to: office@seeds.example, mapping: "*"}]
    confirmation_mail: {to: email, subject: Thanks, text: Thanks}
`;

describe('no visitor waits for the mail', () => {
  test('if the process lives on: the response comes first, and the relay closes after the mail was sent', async () => {
    const { reached, open, effects } = gatedSmtp();
    const relay = await relayWith({ config, effects });
    expect((await relay.submit('order', [['email', 'ada@visitor.example']])).status).toBe(200);
    await reached;
    let isClosed = false;
    const closing = relay.relay.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    open();
    await closing;
    expect(relay.logged.map(({ event }) => event)).toContain('confirmation_mail_sent');
  });

  test('nor for other visitors’ mails, even if the server is slow with each', async () => {
    let isOpen = false;
    const waiting: (() => void)[] = [];
    const sink = await smtpSink({
      server: {
        onRcptTo: ({ address }, _, done) => {
          if (isOpen || !address.endsWith('@visitor.example')) done();
          else waiting.push(done);
        },
      },
    });
    const server = `127.0.0.1, port: ${sink.port}, timeout: 25s`;
    // An unknown client has no share.
    const env = { TRUSTED_PROXIES: '' };
    const relay = await relayWith({ config: config.replace('mail.example', server), env });
    const order = (email: string) => relay.submit('order', [['email', email]]);
    for (const batch of ['a', 'b', 'c', 'd']) {
      const orders = Array.from({ length: 8 }, (_, i) => order(`${batch}${i}@visitor.example`));
      for (const { status } of await Promise.all(orders)) expect(status).toBe(200);
      // Some mails to visitors are in progress.
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
    }
    expect(sink.mails).toHaveLength(32);
    isOpen = true;
    for (const done of waiting) done();
    const ended = () => relay.logged.filter(({ event }) => /^confirmation_mail_(sent|failed)$/.test(event));
    await expect.poll(() => ended().length, { timeout: 20_000 }).toBe(32);
    expect(sink.mails.length).toBeGreaterThan(32);
  });

  test('and if the process may freeze, the response comes after the mail', async () => {
    const { reached, open, effects } = gatedSmtp();
    const { relay } = await relayWith({ config, effects });
    let isAnswered = false;
    const answering = fetchHandler(relay.handle)(
      new Request('http://relay.example/api/v1/submit/order', {
        method: 'POST',
        body: new URLSearchParams({ email: 'ada@visitor.example' }),
      }),
    ).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await reached;
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    open();
    expect((await answering).status).toBe(200);
  });
});
