import { rmSync } from 'node:fs';
/** What a bounce does to visitors and owners. */
import { describe, expect, it } from 'vitest';
import { createMemoryCounts } from '../../../capacity/src/counters/stores/memory.ts';
import type { Services } from '../../../core/src/services.ts';
import { BlockList, type Entry } from '../../src/bounces/block_list.ts';
import { remembering } from '../../src/bounces/receive.ts';
import {
  mailgun,
  mailgunFailure,
  openNewsletter,
  postmark,
  postmarkBounce,
  resend,
  resendBounce,
  sendgrid,
  sendgridBounce,
  sesBounce,
  sns,
} from './stage.ts';

const ada = 'ada@visitor.example';
const dayMs = 86_400_000;

describe('a visitor whose address is blocked', () => {
  it('reads in a form with double_opt_in that it takes another address, and no mail goes out', async () => {
    const relay = await openNewsletter();
    await relay.post('postmark', postmark(postmarkBounce(ada)));
    const { status, text } = await relay.signUp('Ada@Visitor.example');
    expect(status).toBe(422);
    expect(text).toContain('opt_in_address');
    expect(relay.sink.mails).toEqual([]);
    expect(relay.logged.find(({ event }) => event === 'submission')).toMatchObject({ outcome: 'invalid' });
    expect((await relay.signUp('eve@visitor.example')).status).toBe(200);
  });

  it.each([
    ['ada@bücher.example', 'Ada@xn--bcher-kva.example'],
    ['ADA@xn--bcher-kva.example', 'ada@Bu\u0308cher.example'],
    ['Ada <ada@bücher.example>', 'ada@bücher.example'],
  ])('is known in every spelling: %s came back, and %s gets no mail', async (reported, written) => {
    const relay = await openNewsletter();
    await relay.post('postmark', postmark(postmarkBounce(reported)));
    expect((await relay.signUp(written)).text).toContain('opt_in_address');
    expect((await relay.signUp('ada@buecher.example')).status).toBe(200);
  });

  it('is still delivered to the owner where a mail only confirms', async () => {
    const relay = await openNewsletter({
      form: `
  order:
    fields: [{name: email, type: email}]
    outputs: [{type: smtp, host: 127.0.0.1, port: $port, from: shop@seeds.example, to: office@seeds.example, mapping: "*"}]
    confirmation_mail: {to: email, subject: Thanks, text: Thanks.}`,
    });
    await relay.post('postmark', postmark(postmarkBounce(ada)));
    expect((await relay.submit('order', [['email', ada]])).status).toBe(200);
    await expect
      .poll(() => relay.logged.find(({ event }) => event === 'submission'))
      .toMatchObject({
        outcome: 'delivered',
        confirmation_mail: 'blocked_address',
      });
    expect(relay.sink.mails.map(({ envelope }) => envelope.to)).toEqual([['office@seeds.example']]);
  });

  it('gets mails again a year later', async () => {
    const relay = await openNewsletter();
    await relay.post('postmark', postmark(postmarkBounce(ada)));
    relay.advance(364 * dayMs);
    expect(await relay.isBlocked(ada)).toBe(true);
    relay.advance(2 * dayMs);
    expect((await relay.signUp(ada)).status).toBe(200);
  });

  it('gets mails without FORM_TOKEN_SECRET, and the list is not read', async () => {
    const env = { FORM_TOKEN_SECRET: '' };
    const relay = await openNewsletter({ env });
    rmSync(relay.folder, { recursive: true });
    await relay.signUp(ada);
    expect(relay.told).toEqual([]);
  });

  it('gets mails while the list cannot be read', async () => {
    const relay = await openNewsletter();
    rmSync(relay.folder, { recursive: true });
    expect((await relay.signUp(ada)).status).toBe(200);
    expect(relay.told).toMatchObject([
      { event: 'bounces_unread', level: 'error', in: relay.folder, reason: expect.stringMatching(/./) },
    ]);
  });
});

const bodyOf = (request: { readonly body: string } | undefined) =>
  Object.fromEntries(new URLSearchParams(request?.body));

describe('an address of the owner', () => {
  it('that bounces is an alert: once, and in any process', async () => {
    const relay = await openNewsletter();
    await relay.post('sendgrid', sendgrid([sendgridBounce('Office@Seeds.example')]));
    await relay.post('sendgrid', sendgrid([sendgridBounce('office@seeds.example')]));
    const another = await relay.again();
    await another.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    await expect.poll(() => relay.logged.some(({ event }) => event === 'alert_sent')).toBe(true);
    expect(relay.alerts.requests).toHaveLength(1);
    const told = Object.fromEntries(new URLSearchParams(relay.alerts.requests[0]?.body));
    expect(told).toMatchObject({
      summary: 'letter, plain: mails to office@seeds.example come back, so that submissions go nowhere',
      form: 'letter, plain',
      reason: 'the address takes no mail (sendgrid, 5.0.0)',
      event: 'bounced',
    });
    expect(told.what_to_do).toContain('relay mails unblock office@seeds.example');
    expect(relay.told).toMatchObject([
      {
        event: 'owner_mail_bounced',
        level: 'error',
        address: 'office@seeds.example',
        forms: ['letter', 'plain'],
      },
      { event: 'owner_mail_bounced', level: 'error' },
    ]);
    // Submissions go on being sent there.
    await relay.submit('plain', [['words', 'Hello']]);
    expect(relay.sink.mails).toHaveLength(1);
    // Nor is it told of later.
    await relay.close();
    another.advance(3_600_000);
    await another.post(
      'mailgun',
      mailgun(mailgunFailure('office@seeds.example'), { at: Date.now() + 3_600_000 }),
    );
    expect(another.told).toHaveLength(2);
    await another.close();
    expect(relay.alerts.requests).toHaveLength(1);
  });

  it.each([
    [
      'a list in the body of a webhook',
      'webhook',
      'body: {to: [leads@seeds.example], text: "{{ .fields.words }}"}',
    ],
    ['a map in that body', 'webhook', 'body: {to: [{email: Leads <leads@seeds.example>}]}'],
    ['what a webhook sends beside fields', 'webhook', 'static: {to: \'{{ env "LEADS" }}\'}'],
    ['what an http_post sends', 'http_post', 'static: {to: "you@seeds.example, Leads@seeds.example"}'],
    ['a field that chooses it, in a body', 'webhook', 'body: {to: {$field: for}}'],
    ['a field that chooses a part of it', 'webhook', 'body: {to: "{{ .fields.desk }}@seeds.example"}'],
  ])('is known by %s', async (_, type, keys) => {
    const relay = await openNewsletter({
      env: { LEADS: 'leads@seeds.example' },
      form: `
  leads:
    fields:
      - {name: words}
      - {name: for, type: select, options: [leads@seeds.example, you@seeds.example]}
      - {name: desk, type: select, options: [leads, you]}
    outputs: [{type: ${type}, url: "https://api.mail.example/", ${keys}}]`,
    });
    await relay.post('resend', resend(resendBounce('leads@seeds.example')));
    expect(relay.told).toMatchObject([
      { event: 'owner_mail_bounced', level: 'error', address: 'leads@seeds.example', forms: ['leads'] },
    ]);
    await expect.poll(() => relay.alerts.requests.length).toBe(1);
  });

  it.each([
    ['a header', '', 'headers: {X-Desk: leads@seeds.example}, mapping: "*"'],
    ['words around it', '', 'static: {to: "Mail leads@seeds.example now"}, mapping: "*"'],
    ['an address beside a word', '', 'static: {to: "leads@seeds.example, nobody"}, mapping: "*"'],
    [
      'a field that is not sent',
      '{name: desk, type: select, options: [leads@seeds.example]}',
      'mapping: {a: words}',
    ],
    ['the page', '', 'static: {to: "{{ .page.title }}leads@seeds.example"}, mapping: "*"'],
    ['what a visitor types', '', 'static: {to: "{{ .fields.words }}leads@seeds.example"}, mapping: "*"'],
  ])('is not known by %s', async (_, field, keys) => {
    const relay = await openNewsletter({
      form: `
  leads:
    fields: [{name: words}${field && `, ${field}`}]
    outputs: [{type: http_post, url: "https://api.mail.example/", ${keys}}]`,
    });
    await relay.post('postmark', postmark(postmarkBounce('leads@seeds.example')));
    expect(relay.told).toMatchObject([{ event: 'mail_bounced' }]);
  });

  it('is known by a field that an output sends under another name', async () => {
    const relay = await openNewsletter({
      form: `
  leads:
    fields: [{name: words}, {name: desk, type: select, options: [leads@seeds.example]}]
    outputs: [{type: http_post, url: "https://api.mail.example/", mapping: {to: desk}}]`,
    });
    await relay.post('postmark', postmark(postmarkBounce('leads@seeds.example')));
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', forms: ['leads'] }]);
  });

  it('is one of 20 that a line of the log names at most, beside 20 forms', async () => {
    const all = Array.from({ length: 21 }, (_, index) => `desk${index}@seeds.example`);
    const form = (id: string, to: string) =>
      `  ${id}: {fields: [{name: words}], outputs: [{type: smtp, host: 127.0.0.1, port: $port, from: shop@seeds.example, to: "${to}", mapping: "*"}]}`;
    const relay = await openNewsletter({
      form: [
        form('all', all.join(', ')),
        ...all.map((_, index) => form(`one${index}`, 'desk0@seeds.example')),
      ].join('\n'),
    });
    await relay.post('resend', resend(resendBounce(all)));
    await relay.post('postmark', postmark(postmarkBounce('desk0@seeds.example')));
    const forms = ['all', ...all.slice(0, 19).map((_, index) => `one${index}`)];
    expect(relay.told).toMatchObject([
      { addresses: all.slice(0, 20), forms },
      { address: 'desk0@seeds.example', forms },
    ]);
  });

  it('is an alert though it was on the list as the address of a visitor', async () => {
    const relay = await openNewsletter();
    await relay.post('postmark', postmark(postmarkBounce('leads@seeds.example')));
    const next = await relay.again({
      form: `
  leads:
    fields: [{name: words}]
    outputs: [{type: webhook, url: "https://api.mail.example/", body: {to: leads@seeds.example}}]`,
    });
    await next.post('postmark', postmark(postmarkBounce('leads@seeds.example')));
    await expect.poll(() => relay.alerts.requests.length).toBe(1);
    const { summary, reason } = bodyOf(relay.alerts.requests[0]);
    expect([summary, reason]).toEqual([
      expect.stringContaining('leads@seeds.example'),
      'the address takes no mail (postmark)',
    ]);
  });

  it.each([
    ['resend', () => resend(resendBounce(['office@seeds.example', 'Boss <boss@seeds.example>']))],
    [
      'ses',
      () =>
        sns({
          eventType: 'Complaint',
          complaint: {
            complainedRecipients: ['office', 'boss'].map((name) => ({
              emailAddress: `${name}@seeds.example`,
            })),
            complaintFeedbackType: 'abuse',
          },
        }),
    ],
  ])('is an alert if the provider names several and all are the owner’s: %s', async (provider, request) => {
    const relay = await openNewsletter();
    await relay.post(provider, request());
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', level: 'error' }]);
    expect(await relay.isBlocked('office@seeds.example')).toBe(false);
    await expect.poll(() => relay.alerts.requests.length).toBe(1);
    expect(bodyOf(relay.alerts.requests[0]).summary).toContain(
      'one of office@seeds.example, boss@seeds.example',
    );
    // It is told once, in any process.
    const next = await relay.again();
    await next.post('resend', resend(resendBounce(['boss@seeds.example', 'office@seeds.example'])));
    await expect.poll(() => next.told.length).toBeGreaterThan(0);
    expect(relay.alerts.requests).toHaveLength(1);
    // Others are another matter.
    await next.post('resend', resend(resendBounce(['boss@seeds.example', 'shop@seeds.example'])));
    await expect.poll(() => relay.alerts.requests.length).toBe(2);
  });

  it('beside a visitor’s in a report is no alert', async () => {
    const relay = await openNewsletter();
    await relay.post('resend', resend(resendBounce(['office@seeds.example', ada])));
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', level: 'warn' }]);
    expect(relay.alerts.requests).toEqual([]);
  });

  it('is told of by the next report if the alert could not be sent and the relay restarted', async () => {
    let alertStatus = 400;
    const relay = await openNewsletter({ alertStatus: () => alertStatus });
    await relay.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    await expect.poll(() => relay.logged.some(({ event }) => event === 'alert_failed')).toBe(true);
    await relay.close();
    alertStatus = 200;
    const next = await relay.again();
    await next.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    await expect.poll(() => next.logged.some(({ event }) => event === 'alert_sent')).toBe(true);
    await next.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    expect(next.logged.filter(({ event }) => event === 'alert_sent')).toHaveLength(1);
  });

  it('is told of again by the minute while the service is down', async () => {
    let alertStatus = 503;
    const works: (() => void)[] = [];
    let ended = 0;
    const repeat: Services['repeat'] = (_, work) => {
      works.push(work);
      return () => {
        ended += 1;
      };
    };
    const relay = await openNewsletter({ alertStatus: () => alertStatus, effects: { repeat } });
    await relay.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    await expect.poll(() => relay.logged.some(({ event }) => event === 'alert_failed')).toBe(true);
    alertStatus = 200;
    relay.advance(600_000);
    for (const work of works) work();
    await expect.poll(() => relay.logged.some(({ event }) => event === 'alert_sent')).toBe(true);
    await relay.close();
    expect(ended).toBe(works.length);
  });

  it.each([
    ['of a copy', 'copy@seeds.example', ['order']],
    ['of a blind copy', 'blind@seeds.example', ['order']],
    ['that the environment names', 'boss@env.example', ['order']],
    ['that senders have in common', 'letters@seeds.example', []],
    ['of alerts', 'alerts@seeds.example', ['alerts']],
    ['of a sender', 'sender@seeds.example', ['alerts']],
  ])('%s is known', async (_, address, forms) => {
    const relay = await openNewsletter({
      env: { BOSS: 'Boss <Boss@env.example>', MAIL_FROM_ADDRESS: 'Letters <Letters@seeds.example>' },
      alerts:
        '{type: smtp, host: 127.0.0.1, port: $port, from: Me <Sender@seeds.example>, to: alerts@seeds.example}',
      form: `
  order:
    fields: [{name: email, type: email}]
    outputs:
      - {type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: $port, to: '{{ env "BOSS" }}', cc: copy@seeds.example, bcc: blind@seeds.example, mapping: "*"}`,
    });
    await relay.post('postmark', postmark(postmarkBounce(address)));
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', address, forms }]);
  });

  it('that marks a mail as spam is an alert, which says so', async () => {
    const relay = await openNewsletter();
    await relay.post('sendgrid', sendgrid([sendgridBounce('office@seeds.example', { event: 'spamreport' })]));
    await expect.poll(() => relay.alerts.requests.length).toBe(1);
    expect(new URLSearchParams(relay.alerts.requests[0]?.body).get('reason')).toBe(
      'its reader marked a mail as spam (sendgrid)',
    );
  });

  it('that is full for a while is no alert', async () => {
    const relay = await openNewsletter();
    await relay.post('ses', sns(sesBounce('office@seeds.example', { bounceType: 'Transient' })));
    expect(relay.told).toEqual([]);
    expect(relay.alerts.requests).toEqual([]);
  });

  it('is not told of by a mail to itself', async () => {
    const relay = await openNewsletter({
      top: '',
      alerts:
        '{type: smtp, host: 127.0.0.1, port: $port, from: shop@seeds.example, to: office@seeds.example}',
    });
    await relay.post('postmark', postmark(postmarkBounce('office@seeds.example')));
    await relay.post('postmark', postmark(postmarkBounce('shop@seeds.example')));
    await expect.poll(() => relay.sink.mails.length).toBe(1);
    expect(relay.sink.mails[0]?.raw).toContain('mails to shop@seeds.example come back');
    expect(relay.alerts.requests).toHaveLength(0);
  });
});

it('forgets the oldest of more than 10,000 events', () => {
  const { seen } = remembering({ now: Date.now, log: () => {} });
  for (let id = 0; id < 10_000; id += 1) seen.set(`${id}`, true);
  expect([seen.has('0'), seen.has('9999'), seen.has('10000')]).toEqual([true, true, false]);
  seen.set('10000', true);
  expect([seen.has('0'), seen.has('1'), seen.has('10000')]).toEqual([false, true, true]);
});

describe('the list', () => {
  const at = Date.parse('2030-01-01');
  const hash = (index: number) => `ab${index.toString(16).padStart(18, '0')}`;
  const listOf = (now = at) => new BlockList(createMemoryCounts(), () => now);

  it('keeps the latest 400 addresses of each of its 256 parts', async () => {
    const list = listOf();
    const all = Array.from(
      { length: 500 },
      (_, index) => [hash(index), { at: at - index * 1_000, why: 'hard' }] as const,
    );
    await list.block(new Map(all));
    expect(await list.find(hash(399))).toMatchObject({ why: 'hard' });
    expect(await list.find(hash(400))).toBeUndefined();
  });

  it('does not block an address again for what happened before it was unblocked', async () => {
    const list = listOf();
    const report = new Map([[hash(1), { at: at - 1_000, why: 'hard' }] as const]);
    expect([...(await list.block(report))]).toEqual([hash(1)]);
    expect([...(await list.block(report))]).toEqual([]);
    expect(await list.unblock(hash(1))).toBe(true);
    expect(await list.unblock(hash(1))).toBe(false);
    expect([...(await list.block(report))]).toEqual([]);
    expect(await list.find(hash(1))).toBeUndefined();
    expect([...(await list.block(new Map([[hash(1), { at: at + 1_000, why: 'hard' }]])))]).toEqual([hash(1)]);
  });

  it('keeps what it knows of an address, a year from when it happened', async () => {
    let now = at;
    const list = new BlockList(createMemoryCounts(), () => now);
    const entries: [string, Entry][] = [
      [hash(1), { at: at - 1_000, why: 'hard', code: '5.1.1' }],
      [hash(2), { at, why: 'complaint' }],
      [`cd${hash(3).slice(2)}`, { at, why: 'hard' }],
    ];
    const added = await list.block(new Map(entries));
    expect([...added].toSorted()).toEqual(entries.map(([one]) => one));
    for (const [one, entry] of entries) expect(await list.find(one)).toEqual(entry);
    const all = [];
    for await (const one of list.all()) all.push(one);
    expect(all).toEqual(entries);
    await list.unblock(hash(2));
    now = at + 365 * dayMs - 1_001;
    expect(await list.find(hash(1))).toBeDefined();
    now += 1;
    expect(await list.find(hash(1))).toBeUndefined();
    const left = [];
    for await (const one of list.all()) left.push(one);
    expect(left).toEqual([entries[2]]);
  });

  it('of an address that is unblocked takes what happened later', async () => {
    const list = listOf();
    await list.block(new Map([[hash(1), { at, why: 'hard' }]]));
    expect((await list.block(new Map([[hash(1), { at: at + 1_000, why: 'complaint' }]]))).size).toBe(0);
    expect(await list.find(hash(1))).toEqual({ at, why: 'hard' });
    await list.unblock(hash(1));
    await list.block(new Map([[hash(1), { at: at + 1_000, why: 'complaint' }]]));
    expect(await list.find(hash(1))).toEqual({ at: at + 1_000, why: 'complaint' });
  });

  it('says to one process at a time that it is to tell the owner, until the owner is told', async () => {
    let now = at;
    const list = new BlockList(createMemoryCounts(), () => now);
    const entry = { at, why: 'hard', code: '5.1.1' } as const;
    expect(await list.claim(hash(1), false)).toBe(false);
    await list.conclude(hash(1), true);
    await list.block(new Map([[hash(1), entry]]));
    expect(await list.claim(hash(1), false)).toBe(true);
    expect(await list.find(hash(1))).toEqual({ ...entry, quietUntil: at + 60_000 });
    now = at + 59_999;
    expect(await list.claim(hash(1), false)).toBe(false);
    now = at + 60_000;
    expect(await list.claim(hash(1), false)).toBe(true);
    // The alert could not be sent.
    await list.conclude(hash(1), false);
    expect(await list.find(hash(1))).toEqual(entry);
    expect(await list.claim(hash(1), false)).toBe(true);
    await list.conclude(hash(1), true);
    now = at + 364 * dayMs;
    expect(await list.claim(hash(1), false)).toBe(false);
    await list.unblock(hash(1));
    expect(await list.claim(hash(1), false)).toBe(false);
  });

  it('says again after a week that one of several addresses takes no mail, and blocks none', async () => {
    let now = at;
    const list = new BlockList(createMemoryCounts(), () => now);
    expect(await list.claim(hash(1), true)).toBe(true);
    expect(await list.claim(hash(1), true)).toBe(false);
    await list.conclude(hash(1), true);
    expect(await list.find(hash(1))).toBeUndefined();
    expect(await list.unblock(hash(1))).toBe(false);
    now = at + 7 * dayMs - 1;
    expect(await list.claim(hash(1), true)).toBe(false);
    now += 1;
    expect(await list.claim(hash(1), true)).toBe(true);
    now += 60_000;
    expect(await list.claim(hash(1), false)).toBe(false);
  });

  it('passes over what is damaged', async () => {
    const store = createMemoryCounts();
    const list = new BlockList(store, () => at);
    for (const text of [
      'x',
      '[]',
      '{"abc":1}',
      'null',
      `{"${hash(1)}":["x","hard"],"${hash(2)}":[${at / 1_000},"hard",5]}`,
      JSON.stringify({
        [hash(1)]: [at / 1_000, 'because'],
        [`${hash(1)}0`]: [at / 1_000, 'hard'],
        [hash(1).slice(1)]: [at / 1_000, 'hard'],
        [`${hash(1).slice(1)}x`]: [at / 1_000, 'hard'],
        [`x${hash(1).slice(1)}`]: [at / 1_000, 'hard'],
        [hash(3)]: 1,
        [hash(4)]: [],
        [hash(2)]: [at / 1_000, 'hard', 5],
      }),
    ]) {
      await store.write('bounces/ab', text, await store.read('bounces/ab', 1), 1);
      expect(await list.find(hash(1))).toBeUndefined();
    }
    expect(await list.find(hash(2))).toEqual({ at, why: 'hard' });
    const all = [];
    for await (const one of list.all()) all.push(one);
    expect(all).toEqual([[hash(2), { at, why: 'hard' }]]);
  });

  it('gives up when others keep writing', async () => {
    const store = createMemoryCounts();
    let writes = 0;
    const write = async () => {
      writes += 1;
      return false;
    };
    const list = new BlockList({ ...store, write }, () => at);
    await expect(list.unblock(hash(1))).resolves.toBe(false);
    await expect(list.block(new Map([[hash(1), { at, why: 'hard' }]]))).rejects.toThrow();
    expect(writes).toBe(20);
  });

  it('keeps an address that was unblocked when it was reported', async () => {
    const list = listOf();
    const report = new Map([[hash(1), { at, why: 'hard' }] as const]);
    await list.block(report);
    await list.unblock(hash(1));
    expect([...(await list.block(report))]).toEqual([]);
  });
});
