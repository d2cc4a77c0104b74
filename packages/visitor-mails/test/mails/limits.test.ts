import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { decodeMail, type LogEvent, relayWith, smtpSink } from '../../../../test/support/index.ts';
import { createMailLimits, plainAddressOf } from '../../src/mail.ts';
import { isAutoReply, openShop } from './stage.ts';

const hourMs = 3_600_000;

/** A relay that counts mails without sending them. */
async function open(keys = '', forms = ['order']) {
  const sent: string[] = [];
  // The test controls the clock, however long it takes.
  let at = 1_900_000_000_000;
  const relay = await relayWith({
    config: `forms:\n${forms
      .map(
        (id) => `
  ${id}:
    fields: [{name: email, type: email}]
    outputs: [{type: smtp, host: mail.example, to: office@seeds.example, mapping: "*"}]
    confirmation_mail: {to: email, subject: Thanks, text: Thanks${keys}}`,
      )
      .join('')}\n`,
    env: { TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    effects: {
      now: () => at,
      smtp: async ({ isAutoReply, to }) => {
        if (isAutoReply) sent.push(String(to));
      },
    },
  });
  /** @param client Unknown by default. */
  const order = async (email: string, form = 'order', client = '') => {
    const headers = client === '' ? undefined : { 'x-forwarded-for': client };
    expect((await relay.submit(form, [['email', email]], headers)).status).toBe(200);
  };
  const reached = () => relay.logged.filter((line) => line.confirmation_mail === 'per_hour_reached');
  const advance = (ms: number) => {
    at += ms;
  };
  return { ...relay, sent, order, reached, advance };
}

/** Each submission has its own log line, and so has each mail. */
const isLogged = (logged: readonly LogEvent[], sent: number) =>
  logged.filter(({ event }) => event === 'confirmation_mail_sent').length === sent;

describe('senders who post a stranger’s address', () => {
  test('again and again send one mail per hour, in whatever spelling and form', async () => {
    const shop = await open('', ['order', 'other']);
    const spellings = [
      'v.ictim@gmail.com',
      'VICTIM@gmail.com',
      'victim+a@googlemail.com',
      'v.i.c.t.i.m+b@GMAIL.com',
    ];
    for (let i = 0; i < 300; i += 1)
      await shop.order(spellings[i % spellings.length] ?? '', i % 3 === 0 ? 'other' : 'order');
    await expect.poll(() => isLogged(shop.logged, 1)).toBe(true);
    expect(shop.sent).toHaveLength(1);
    const lines = shop.logged.filter(({ event }) => event === 'submission');
    expect(lines.filter((line) => line.confirmation_mail === 'address_had_one')).toHaveLength(299);

    shop.advance(hourMs - 1);
    await shop.order('victim@gmail.com');
    expect(shop.sent).toHaveLength(1);
    shop.advance(2);
    await shop.order('victim@gmail.com');
    await expect.poll(() => shop.sent.length).toBe(2);
  });

  test('with hundreds of strangers send `per_hour` mails, and the log says so', async () => {
    const shop = await open(', per_hour: 20');
    for (let i = 0; i < 300; i += 1) await shop.order(`victim${i}@visitor.example`);
    await expect.poll(() => isLogged(shop.logged, 20)).toBe(true);
    expect(shop.sent).toHaveLength(20);
    expect(shop.reached()).toHaveLength(280);
    shop.advance(hourMs);
    for (let i = 0; i < 50; i += 1) await shop.order(`stranger${i}@visitor.example`);
    await expect.poll(() => isLogged(shop.logged, 40)).toBe(true);
    expect(shop.sent).toHaveLength(40);
  });

  test.each([
    ['198.51.100.7', 20, '203.0.113.9'],
    ['2001:db8:1:1::7', 20, '2001:db8:9:1::7'],
    // From different addresses of one network.
    ['198.51.100.$', 50, '203.0.113.9'],
    ['2001:db8:1:$::7', 50, '2001:db8:9:1::7'],
    ['2001:db8:1:1::$', 20, '2001:db8:1:2::7'],
  ])('from %s send %i of 100 mails, and the rest stays for %s', async (client, share, other) => {
    const shop = await open();
    for (let i = 0; i < 120; i += 1)
      await shop.order(`a${i}@visitor.example`, 'order', client.replace('$', String((i % 99) + 1)));
    await expect.poll(() => isLogged(shop.logged, share)).toBe(true);
    const lines = shop.logged.filter((line) => line.confirmation_mail === 'client_had_share');
    expect([shop.sent.length, lines.length]).toEqual([share, 120 - share]);
    for (let i = 0; i < 25; i += 1) await shop.order(`b${i}@visitor.example`, 'order', other);
    await expect.poll(() => isLogged(shop.logged, share + 20)).toBe(true);
  });

  test('with additions add no recipient, header or text', async () => {
    const shop = await openShop();
    const hostile = [
      'a@visitor.example\r\nBcc: b@visitor.example',
      'a@visitor.example,b@visitor.example',
      'a@visitor.example b@visitor.example',
      'Ada <a@visitor.example>',
      '"a\r\nBcc: b"@visitor.example',
      '=?utf-8?q?a?=@visitor.example,',
      'a@visitor.example\0',
      // Some servers would relay these to another address.
      'b%visitor.example@relay.example',
      'relay.example!b@visitor.example',
    ];
    for (const email of hostile) await shop.order({ email });
    const twice = 'name=x&parcel=small&email=a%40visitor.example&email=b%40visitor.example';
    await shop.submit('order', twice);
    // No mail is sent, even if the form accepts the submission.
    expect(shop.confirmations).toEqual([]);
  });

  test('a thousand times include it once', async () => {
    const sink = await smtpSink();
    const relay = await relayWith({
      config: `forms:
  order:
    fields:
      - {name: email, type: email}
      - {name: topics, type: checkboxes, options: [{value: b, label: Boots}, {value: h, label: Hats}]}
      - {name: terms, type: checkbox, checked_value: agreed}
    outputs: [{type: smtp, host: 127.0.0.1, port: ${sink.port}, from: o@seeds.example, to: o@seeds.example, mapping: "*"}]
    confirmation_mail:
      to: email
      subject: '{{ .fields.topics }}'
      text: '{{ .labels.topics }} {{ join "-" (values "topics") }} {{ .fields.terms }}'`,
    });
    const body = `email=a%40visitor.example${'&topics=h&topics=b&terms=agreed'.repeat(500)}`;
    expect((await relay.submit('order', body)).status).toBe(200);
    const confirmations = () => sink.mails.filter(isAutoReply);
    await expect.poll(() => confirmations().length).toBe(1);
    const { headers, text } = decodeMail(confirmations()[0]?.raw ?? '');
    expect(Object.fromEntries(headers).Subject).toBe('b,h');
    expect(text).toBe('Boots, Hats b-h agreed\n');
    // The owner gets all values (SPEC: fields).
    const owners = sink.mails.find((mail) => !isAutoReply(mail));
    expect(decodeMail(owners?.raw ?? '').text.split('topics=')).toHaveLength(1001);
  });
});

describe('remembered addresses', () => {
  const uuid = () => 'secret';
  const requestOf = (i: number) =>
    ({
      key: 'confirmation_mail',
      formId: 'order',
      perHour: 100,
      client: undefined,
      address: `${i}@visitor.example`,
    }) as const;

  test('survives a clock that is set back: no address waits for longer than an hour', () => {
    let at = 10 * hourMs;
    const limits = createMailLimits({ now: () => at, uuid });
    expect(limits.take(requestOf(1))).toEqual({ undo: expect.any(Function) });
    expect(limits.take(requestOf(1))).toBe('address_had_one');
    at = hourMs;
    expect(limits.take(requestOf(1))).toEqual({ undo: expect.any(Function) });
    expect(limits.take(requestOf(1))).toBe('address_had_one');
  });

  test('in any hour of any sequence, no address gets two, and no form exceeds its limit', async () => {
    const step = fc.record({
      waitMs: fc.nat({ max: hourMs / 2 }),
      address: fc.nat({ max: 4 }),
      form: fc.constantFrom('a', 'b'),
    });
    await holds(30, [fc.array(step, { maxLength: 60 })], (steps) => {
      let at = 0;
      const limits = createMailLimits({ now: () => at, uuid });
      const sent: { at: number; address: number; form: string }[] = [];
      for (const { waitMs, address, form } of steps) {
        at += waitMs;
        const one = { ...requestOf(address), formId: form, perHour: 2 };
        const recent = sent.filter((mail) => at - mail.at < hourMs);
        const hadOne = recent.some((mail) => mail.address === address);
        const isReached = recent.filter((mail) => mail.form === form).length >= 2;
        const expected = hadOne ? 'address_had_one' : isReached ? 'per_hour_reached' : undefined;
        const taken = limits.take(one);
        expect(typeof taken === 'string' ? taken : undefined).toBe(expected);
        if (expected === undefined) sent.push({ at, address, form });
      }
    });
  });
});

const local = fc.stringMatching(/^[a-z0-9]{1,8}(\.[a-z0-9]{1,8}){0,3}$/);
const tag = fc.stringMatching(/^(\+[a-zA-Z0-9+.]{0,8})?$/);

test('the same mailbox: has one name, in any case and with any tag', () =>
  holds(50, [local, tag, fc.constantFrom('firm.example', 'gmail.com')], (name, suffix, domain) => {
    const plain = plainAddressOf(`${name}@${domain}`);
    expect(plainAddressOf(`${name.toUpperCase()}${suffix}@${domain.toUpperCase()}`)).toBe(plain);
    expect(plainAddressOf(plain)).toBe(plain);
  }));
