import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Effects } from '../../src/effects.ts';
import type { RelayResponse } from '../../src/http.ts';
import { signalTypes } from '../../src/signals/index.ts';
import { httpSink, relayWith } from '../spec/stage.ts';
import type { SinkAnswer, SunkRequest } from '../support/http_sink.ts';
import { solve } from '../support/puzzles.ts';

const env = { AKISMET_KEY: 'akismet-secret-key', HTTPBL_KEY: 'abcdefghijkl', RSPAMD_PASSWORD: 'open sesame' };

/** What looks by itself is off here. */
const noOthers = signalTypes
  .filter(({ isDefault }) => isDefault)
  .map(({ name }) => `${name}: 0`)
  .join(', ');

interface Staged {
  /** What is written under `signals`; `$service` is the service's address. */
  readonly signals: string;
  /** What becomes of whom a signal speaks against. */
  readonly action?: 'drop' | 'challenge';
  readonly answer?: (request: SunkRequest) => SinkAnswer | Promise<SinkAnswer>;
  readonly effects?: Partial<Effects>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A relay with one form that drops what any signal speaks against, and a server that is the service. */
async function stage({
  signals,
  action = 'drop',
  answer = () => ({}),
  effects = {},
  env: own = env,
}: Staged) {
  const service = await httpSink({ answer });
  const outputs = await httpSink();
  const relay = await relayWith({
    env: own,
    effects,
    config: `
forms:
  contact:
    language: de
    fields:
      - {name: name, required: true}
      - {name: email, type: email}
      - {name: phone, type: tel}
      - {name: website, type: url}
      - {name: message, type: textarea}
    spam: {doubt: {${action}: 0.1}, signals: {${noOthers}, ${signals.replaceAll('$service', service.origin)}}}
    outputs: [{type: http_post, url: "${outputs.origin}/", mapping: "*"}]`,
  });
  /** From an address of the internet, which a test's own connection has not. */
  const send = (
    more: Readonly<Record<string, string>> = {},
    address = '203.0.113.9',
  ): Promise<RelayResponse> =>
    relay.relay.handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Mozilla/5.0 (test)',
        referer: 'https://www.example.com/contact',
      },
      body: Buffer.from(
        new URLSearchParams({
          name: 'Anna Muster',
          email: 'Anna@Example.org',
          phone: '+49 30 123456',
          message: 'Grüße – buy now',
          ...more,
        }).toString(),
      ),
      senderAddress: address,
    });
  /** How each submission ended. */
  const endings = () =>
    relay.logged
      .filter(({ event }) => event === 'submission')
      .map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`));
  const silences = () => relay.logged.filter(({ event }) => event === 'service_silent');
  return { relay, service, outputs, send, endings, silences };
}

const json = (value: unknown): SinkAnswer => ({ body: JSON.stringify(value) });

test('StopForumSpam gets the address and the MD5 of the mail address, and nothing else', async () => {
  const { service, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
    answer: () =>
      json({ success: 1, ip: { appears: 0 }, emailHash: { appears: 1, frequency: 4, confidence: '62.5' } }),
  });
  await send();
  const [asked] = service.requests;
  expect(asked?.method).toBe('GET');
  expect(Object.fromEntries(new URL(asked?.url ?? '', service.origin).searchParams)).toEqual({
    json: '1',
    confidence: '1',
    ip: '203.0.113.9',
    emailhash: createHash('md5').update('anna@example.org').digest('hex'),
  });
  expect(asked?.body).toBe('');
  expect(endings()).toEqual([
    'dropped: 2.5 points: drop; stopforumspam 2.5 (reported for spam, with a confidence of 63 %)',
  ]);
});

test.each([
  ['it knows nobody', { success: 1, ip: { appears: 0 }, emailHash: { appears: 0 } }],
  ['it is hardly sure', { success: 1, ip: { appears: 1, confidence: 24.9 } }],
  ['it says nothing of how sure it is', { success: 1, ip: { appears: 1 } }],
])('StopForumSpam: %s', async (_, says) => {
  const { send, endings, silences } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
    answer: () => json(says),
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toEqual([]);
});

test('nobody is asked about whom nobody could know', async () => {
  const { service, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}, httpbl: 4',
    effects: { resolve4: () => Promise.reject(new Error('asked')) },
  });
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    '::ffff:192.168.0.1',
  ]) {
    await send({ email: '' }, address);
  }
  expect(service.requests).toEqual([]);
  expect(new Set(endings())).toEqual(new Set(['delivered']));
});

test('Akismet gets what was typed in fields for text, and who sent it', async () => {
  const { service, send, endings } = await stage({
    signals: 'akismet: {url: "$service/1.1", site: "https://www.example.com/"}',
    answer: () => ({ body: 'true' }),
  });
  await send({ website: 'https://spam.example' });
  const [asked] = service.requests;
  expect(`${asked?.method} ${asked?.url}`).toBe('POST /1.1/comment-check');
  expect(Object.fromEntries(new URLSearchParams(asked?.bytes.toString()))).toEqual({
    api_key: env.AKISMET_KEY,
    blog: 'https://www.example.com/',
    blog_lang: 'de',
    blog_charset: 'UTF-8',
    user_ip: '203.0.113.9',
    user_agent: 'Mozilla/5.0 (test)',
    referrer: 'https://www.example.com/contact',
    comment_type: 'contact-form',
    comment_author: 'Anna Muster',
    comment_author_email: 'Anna@example.org',
    comment_author_url: 'https://spam.example',
    comment_content: 'Grüße – buy now',
  });
  expect(endings()).toEqual(['dropped: 4 points: drop; akismet 4 (spam)']);
});

test('Akismet: what it would discard has all of its weight, and what is none has nothing', async () => {
  const says: SinkAnswer[] = [
    { body: 'true', headers: { 'X-akismet-pro-tip': 'discard' } },
    { body: 'false' },
  ];
  const { send, endings } = await stage({
    signals: 'akismet: {url: "$service/1.1/", site: "https://www.example.com/", weight: 7}',
    answer: () => says.shift() ?? {},
  });
  await send();
  await send({ message: 'Something else' });
  expect(endings()).toEqual(['dropped: 7 points: drop; akismet 7 (spam, without a doubt)', 'delivered']);
});

test('rspamd gets a mail that nothing in the text can break', async () => {
  const { service, send, endings } = await stage({
    signals: 'rspamd: {url: "$service", password_env: RSPAMD_PASSWORD}',
    answer: () =>
      json({
        score: 30,
        required_score: 10,
        action: 'soft reject',
        symbols: {
          BAYES_SPAM: { score: 5 },
          URIBL: { score: 3.5 },
          R_DKIM_NA: { score: 9 },
          MISSING_TO: { score: 9 },
          HFILTER_HOSTNAME_UNKNOWN: { score: 9 },
          NICE: { score: -1 },
        },
      }),
  });
  await send({ message: 'Hello\r\n\r\nSubject: other\r\n.\r\n' });
  const [asked] = service.requests;
  expect(`${asked?.method} ${asked?.url}`).toBe('POST /checkv2');
  expect(asked?.headers).toMatchObject({
    ip: '203.0.113.9',
    from: 'Anna@example.org',
    password: 'open sesame',
  });
  const [head = '', body = ''] = asked?.body.split('\r\n\r\n') ?? [];
  expect(head).toContain('From: <Anna@example.org>');
  expect(asked?.body.split('\r\n\r\n')).toHaveLength(2);
  expect(Buffer.from(body, 'base64').toString()).toBe('Anna Muster\nHello\r\n\r\nSubject: other\r\n.\r\n');
  expect(endings()).toEqual(['dropped: 3.8 points: drop; rspamd 3.8 (2 symbols, 7.5 of 10)']);
});

test.each([
  ['127.3.30.4', 'dropped: 4 points: drop; httpbl 4 (left spam 3 days ago, threat 30)'],
  ['127.45.30.7', 'dropped: 2 points: drop; httpbl 2 (left spam 45 days ago, threat 30)'],
  ['127.1.5.2', 'dropped: 0.4 points: drop; httpbl 0.4 (gathered addresses 1 days ago, threat 5)'],
  ['127.1.1.0', 'delivered'],
  ['127.91.200.4', 'delivered'],
  ['127.1.0.4', 'delivered'],
])('http:BL: %s means %s', async (answer, ending) => {
  const names: string[] = [];
  const { send, endings } = await stage({
    signals: 'httpbl: 4',
    effects: {
      resolve4: async (name) => {
        names.push(name);
        return [answer];
      },
    },
  });
  await send({}, '::ffff:203.0.113.9');
  expect(names).toEqual(['abcdefghijkl.9.113.0.203.dnsbl.httpbl.org']);
  expect(endings()).toEqual([ending]);
});

test.each(['127.255.255.254', '127.0.0.255', '198.51.100.1'])(
  'http:BL: %s lists nobody, and is told',
  async (answer) => {
    const { send, endings, silences } = await stage({
      signals: 'httpbl: 4',
      effects: { resolve4: async () => [answer] },
    });
    await send();
    expect(endings()).toEqual(['delivered']);
    expect(silences()).toMatchObject([
      { signal: 'httpbl', reason: 'what the service answered is no verdict' },
    ]);
  },
);

test('an IPv6 address is on no list', async () => {
  const { send, endings } = await stage({
    signals: 'httpbl: 4',
    effects: { resolve4: () => Promise.reject(new Error('asked')) },
  });
  await send({}, '2001:db8::1');
  expect(endings()).toEqual(['delivered']);
});

test('who sends it again, corrected or not, is not asked about twice; another text is another question', async () => {
  const { relay, service, send } = await stage({
    signals:
      'akismet: {url: "$service/", site: "https://www.example.com/"}, stopforumspam: {url: "$service/api"}',
    answer: ({ url }) => (url.startsWith('/api') ? json({ success: 1 }) : { body: 'false' }),
  });
  const asked = () => service.requests.map(({ url }) => url.split('?')[0]);
  await send({ phone: 'none' });
  await send({ phone: '+49 30 123456' });
  await Promise.all([send(), send(), send()]);
  expect(asked()).toEqual(['/api', '/comment-check']);
  await send({ message: 'Another' });
  expect(asked()).toEqual(['/api', '/comment-check', '/comment-check']);
  relay.advance(16 * 60_000);
  await send();
  expect(asked().slice(3).toSorted()).toEqual(['/api', '/comment-check']);
});

test('who does what a challenge asks is delivered, and no service is asked again', async () => {
  const { service, outputs, send, endings } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    action: 'challenge',
    answer: () => ({ body: 'true' }),
    env: { ...env, FORM_TOKEN_SECRET: 'xjqGk2dHnUu7TqZ0bVnB' },
  });
  const asked = await send();
  expect(asked.status).toBe(422);
  const { challenge } = JSON.parse(String(asked.body));
  expect((await send({ altcha: solve(challenge) })).status).toBe(200);
  expect(service.requests).toHaveLength(1);
  expect(outputs.requests).toHaveLength(1);
  expect(endings()).toEqual([expect.stringMatching(/^challenged: /), 'delivered']);
});

const hostile: readonly (readonly [string, SinkAnswer, RegExp])[] = [
  ['fails', { status: 500, body: 'true' }, /answered 500/],
  ['is overrun', { status: 429, headers: { 'retry-after': '99999' } }, /answered 429/],
  ['leads elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answered 302/],
  ['says nothing', {}, /no verdict/],
  ['talks without end', { body: `"${'x'.repeat(5_000_000)}"` }, /no verdict|longer/],
  ['nests without end', { body: '['.repeat(60_000) }, /no verdict/],
  ['says garbage', { body: Buffer.from([0xff, 0xfe, 0, 1]) }, /no verdict/],
  ['says null', { body: 'null' }, /no verdict/],
  ['says a list', { body: '[]' }, /no verdict/],
  [
    'says other things',
    { body: '{"success": "yes", "score": "NaN", "required_score": {}, "symbols": []}' },
    /no verdict/,
  ],
];

test.each(
  [
    'stopforumspam: {url: "$service/api"}',
    'akismet: {url: "$service/", site: "https://a.example"}',
    'rspamd: {url: "$service"}',
  ].flatMap((signals) =>
    hostile.map(([what, answer, reason]) => [signals.split(':')[0], what, signals, answer, reason] as const),
  ),
)('%s that %s speaks against nobody', async (_, _what, signals, answer, reason) => {
  const { relay, send, endings, silences } = await stage({ signals, answer: () => answer });
  const { status } = await send();
  expect(status).toBe(200);
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ level: 'warn', reason: expect.stringMatching(reason) }]);
  expect(JSON.stringify(relay.logged)).not.toMatch(/Anna|Gr..e|203\.0\.113|akismet-secret/i);
});

/** A server that does with each connection what it likes. */
async function rawServer(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['hangs up', /closed/, (socket: Socket) => void socket.destroy()],
  [
    'speaks something else',
    /not HTTP/,
    (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
  ],
  [
    'answers a byte at a time, for ever',
    /no complete answer within 1500 ms|no verdict/,
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    },
  ],
  [
    'sends headers without end',
    /headers|not HTTP|closed/,
    (socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'x-more: y\r\n'.repeat(200_000)}`);
    },
  ],
])('a service that %s speaks against nobody', async (_, reason, behave) => {
  const url = await rawServer(behave);
  const { send, endings, silences } = await stage({ signals: `rspamd: {url: "${url}"}` });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ signal: 'rspamd', reason: expect.stringMatching(reason) }]);
});

test('a service whose certificate nobody vouches for is told nothing', async () => {
  const other = await httpSink({ tls: true });
  const { send, endings, silences } = await stage({ signals: `rspamd: {url: "${other.origin}"}` });
  await send();
  expect(other.requests).toEqual([]);
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ reason: expect.stringMatching(/certificate/) }]);
});

test('lies of numbers count no more than the weight', async () => {
  const { send, endings } = await stage({
    signals: 'rspamd: {url: "$service"}, stopforumspam: {url: "$service/api", weight: 3}',
    answer: ({ url }) =>
      url.startsWith('/api')
        ? json({ success: 1, ip: { appears: 1, confidence: 1e300 } })
        : { body: '{"required_score": 1e-300, "symbols": {"A": {"score": 1e308}, "B": {"score": 1e308}}}' },
  });
  await send();
  expect(endings()).toEqual([expect.stringMatching(/^dropped: 8 points: drop; /)]);
});

test('a service that hangs holds up nobody for long, is told once a second, and is left alone then', async () => {
  const never = new Promise<SinkAnswer>(() => {});
  const { relay, service, send, endings, silences } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    answer: () => never,
  });
  const start = performance.now();
  await Promise.all(['a', 'b', 'c'].map((message) => send({ message })));
  expect(performance.now() - start).toBeLessThan(8_000);
  expect(endings()).toEqual(['delivered', 'delivered', 'delivered']);
  expect(silences()).toHaveLength(1);
  expect(silences()).toMatchObject([{ reason: 'no complete answer within 1500 ms' }]);
  const asked = service.requests.length;
  for (const message of ['d', 'e', 'f']) await send({ message });
  expect(service.requests).toHaveLength(asked);
  // It is asked again after half a minute.
  relay.advance(31_000);
  await send({ message: 'g' });
  expect(service.requests).toHaveLength(asked + 1);
  expect(silences().at(-1)).toMatchObject({ reason: 'no complete answer within 1500 ms' });
  expect(silences().reduce((sum, { times }) => sum + Number(times), 0)).toBe(4);
});

test('one that rests keeps no other from being asked, at the same address or not', async () => {
  const never = new Promise<SinkAnswer>(() => {});
  const { service, send } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}, rspamd: {url: "$service"}',
    answer: ({ url }) => (url === '/checkv2' ? never : { body: 'false' }),
  });
  await Promise.all(['a', 'b', 'c'].map((message) => send({ message })));
  await send({ message: 'd' });
  expect(service.requests.filter(({ url }) => url === '/checkv2')).toHaveLength(3);
  expect(service.requests.filter(({ url }) => url === '/comment-check')).toHaveLength(4);
});

test('a flood asks no more than fifty at a time', async () => {
  let release = () => {};
  const gate = new Promise<SinkAnswer>((resolve) => {
    release = () => resolve({ body: 'false' });
  });
  onTestFinished(() => release());
  let asking = 0;
  const { send, endings } = await stage({
    signals: 'akismet: {url: "http://unused.example/", site: "https://a.example"}',
    effects: {
      http: async ({ url }) => {
        if (url.host !== 'unused.example') return { status: 200, headers: {}, body: '' };
        asking += 1;
        await gate;
        return { status: 200, headers: {}, body: 'false' };
      },
    },
  });
  const all = Array.from({ length: 80 }, (_, index) => send({ message: `Message ${index}` }));
  await expect.poll(() => endings().length).toBe(30);
  expect(asking).toBe(50);
  release();
  await Promise.all(all);
  expect(new Set(endings())).toEqual(new Set(['delivered']));
});

test('a submission without time left asks nobody', async () => {
  const { relay, service } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    answer: () => ({ body: 'true' }),
  });
  const answer = await relay.relay.handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Anna&message=Hello'),
    senderAddress: '203.0.113.9',
    timeLeftMs: 1_005,
  });
  expect(answer.status).not.toBe(422);
  expect(service.requests).toEqual([]);
});

test('a key that is not set, or none, is told by its name; readiness waits for it', async () => {
  const { relay, send, endings, silences } = await stage({
    signals: 'akismet: {key_env: OTHER_KEY, site: "https://a.example"}, httpbl: 4',
    env: { HTTPBL_KEY: 'not a key' },
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(
    silences()
      .map(({ signal, reason }) => `${signal}: ${reason}`)
      .toSorted(),
  ).toEqual(['akismet: OTHER_KEY is not set', 'httpbl: HTTPBL_KEY holds no key of this service']);
  expect(relay.logged.find(({ event }) => event === 'variables_missing')).toMatchObject({
    variables: ['OTHER_KEY'],
    places: ['forms.contact.spam.signals.akismet needs OTHER_KEY'],
  });
  expect(JSON.stringify(relay.logged)).not.toContain('not a key');
});

test('a bug in an effect costs nobody a submission', async () => {
  const { relay, send, endings } = await stage({
    signals: 'httpbl: 4',
    effects: { resolve4: () => Promise.reject(new TypeError('bug')) },
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(relay.logged.map(({ event }) => event)).toContain('internal_error');
});
