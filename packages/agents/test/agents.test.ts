/** `agents`: signed submissions of programs skip the checks for browsers, and submissions with a false signature are doubted. */
import { createPrivateKey } from 'node:crypto';
import { bodyOf, contact, httpSink, tempFolder } from '../../../test/support/index.ts';
import { functionUrlEvent } from '../../../test/support/lambda_events.ts';
import { fail } from '../../base/src/client_error.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import type { HttpAnswer, HttpClient } from '../../core/src/services.ts';
import { fetchHandler } from '../../runtimes/src/fetch.ts';
import { lambdaHandler } from '../../runtimes/src/lambda/handler.ts';
import { createMetrics } from '../../telemetry/src/metrics/index.ts';
import { readDictionary, readKey, signatureBase } from '../src/signature.ts';
import { components, formUrl, key, keysIn, ofCurve, ofRsa, other, type Signing, signed } from './signing.ts';
import { ed25519, vectors } from './vectors.ts';

interface Staged {
  /** Keys of the form. */
  readonly keys?: string;
  readonly may?: string;
  readonly checks?: string;
  readonly agent?: string;
  /** The response of the agent's directory. */
  readonly directory?: () => Partial<HttpAnswer> | Error | Promise<Partial<HttpAnswer>>;
  readonly place?: string;
}

/** Checks that drop a submission silently, without the puzzle. */
const dropping = 'honeypot: website, min_fill_seconds: 3, too_fast: drop';
const all = `${dropping}, proof_of_work: true`;

async function stage({
  keys = '',
  may = 'send',
  checks = dropping,
  agent = 'https://agent.example',
  directory = () => keysIn(key.jwk, ofCurve.jwk, ofRsa.jwk),
  place = tempFolder(),
}: Staged = {}) {
  const own = createHttpClient();
  onTestFinished(() => own.close());
  const asked: URL[] = [];
  const http: HttpClient = async (request) => {
    if (request.url.hostname !== 'agent.example') return own(request);
    asked.push(request.url);
    const answer = await directory();
    if (answer instanceof Error) throw answer;
    return { status: 200, headers: {}, body: '', ...answer };
  };
  const metrics = createMetrics();
  const relay = await contact({
    metrics,
    effects: { http },
    env: {
      PUBLIC_URL: 'https://forms.example.com',
      FORM_TOKEN_SECRET: 'a-long-random-text-of-many-characters',
    },
    top: `counted_in: ${place}\nagents: [{directory: "${agent}", may: ${may}}]`,
    fields: '[{name: name, required: true}, {name: mail, type: email}]',
    outputs:
      '[{type: http_post, url: $sink, mapping: "*"}, {type: http_post, url: $origin/aside, mapping: "*", aside: only}]',
    keys: `spam: {${checks}, doubt: {tag: 5, aside: 8}, signals: {program: 8}}${keys && `, ${keys}`}`,
  });
  const { sink } = relay;
  /** Submits, and resolves with the result. */
  const send = async (headers: Record<string, string>, body = 'name=Ada') => {
    const before = sink.requests.length;
    const { status } = await relay.submit('contact', body, headers);
    const logged: Record<string, unknown> =
      relay.logged.findLast(({ event }) => event === 'submission') ?? {};
    const { outcome, signature, signature_why: why } = logged;
    const [got] = sink.requests.slice(before);
    return {
      status,
      outcome,
      signature,
      why,
      got: got && `${got.url} ${decodeURIComponent(bodyOf(got))}`,
      request: got,
    };
  };
  return { relay, sink, send, asked, metrics };
}

test.each(vectors)('$name is verified', async ({ request, key: jwk, input, signature }) => {
  const text = signatureBase(request, readDictionary(input)?.get('sig') as never) ?? '';
  const [, read] = readKey(jwk as Record<string, unknown>) ?? [];
  expect(await read?.verifies(Buffer.from(signature, 'base64'), text)).toBe(true);
  expect(await read?.verifies(Buffer.from(signature, 'base64'), `${text} `)).toBe(false);
});

test('an agent submits a form without checks for browsers, and the delivery names the agent', async () => {
  const { send, relay, metrics } = await stage({ checks: all });
  const { status, signature, got, request } = await send(
    await signed({ body: 'name=Ada&website=x' }),
    'name=Ada&website=x',
  );
  expect([status, signature, got]).toEqual([200, 'verified', '/ _agent=https://agent.example&name=Ada']);
  expect(request?.headers['x-form-agent']).toBe('https://agent.example');
  // An invalid signature does not replace the puzzle, since the puzzle tells the sender.
  expect(await send(await signed({ by: other }))).toMatchObject({ status: 422, outcome: 'challenged' });
  expect((await relay.submit('contact', 'name=Ada')).status).toBe(200);
  expect(await metrics.text()).toContain(
    'form_relay_agents_total{form="contact",agent="https://agent.example",result="verified"} 1',
  );
});

test('an agent’s submission is validated and limited like any other', async () => {
  const { send } = await stage({ keys: 'rate_limit: 1 per 1h' });
  expect((await send(await signed({ body: 'mail=x' }), 'mail=x')).status).toBe(422);
  expect((await send(await signed())).outcome).toBe('delivered');
  expect((await send(await signed())).status).toBe(429);
});

test('with may: doubt, an agent’s submission is doubted, but not dropped', async () => {
  const { send } = await stage({ may: 'doubt' });
  expect(await send(await signed())).toMatchObject({
    signature: 'verified',
    got: '/aside _agent=https://agent.example&_doubt=8 (agent)&name=Ada',
  });
});

test.each([
  [
    'the old bare name',
    {
      agent: '"https://agent.example"',
      components: ['@method', '@target-uri', 'content-digest', 'signature-agent'],
    },
  ],
  [
    'another label, and a key set',
    { agent: 'b="https://other.example", a="https://agent.example/";type=directory' },
  ],
  ['a signer whose clock is ahead', { aheadMs: 50_000 }],
  ['a signer whose clock is behind', { aheadMs: -350_000 }],
  ['no nonce', { parameters: { nonce: undefined } }],
  ['a key of P-256', { by: ofCurve }],
  ['a key of RSA', { by: ofRsa }],
] as const)('accepts %s', async (_, signing) => {
  const { send } = await stage();
  expect(await send(await signed(signing as Signing))).toMatchObject({
    signature: 'verified',
    outcome: 'delivered',
  });
});

const doubted = '/aside _doubt=8 (program, agent)&name=Ada';
const without = (name: string) =>
  components.filter((one) => one !== name && (one as { name?: string }).name !== name);

test.each([
  ['covers nothing', { components: [] }, 'invalid'],
  ...['@method', '@authority', '@path', 'content-digest', 'signature-agent'].map(
    (name) => [`does not cover ${name}`, { components: without(name) }, 'invalid'] as const,
  ),
  ['is for another site', { url: 'https://other.example/api/v1/submit/contact' }, 'invalid'],
  ['is for another form', { url: 'https://forms.example.com/api/v1/submit/other' }, 'invalid'],
  [
    'is good for longer than a day',
    { parameters: { expires: Math.floor(Date.now() / 1_000) + 90_000 } },
    'invalid',
  ],
  ['has no end', { parameters: { expires: undefined } }, 'invalid'],
  ['has expired', { aheadMs: -400_000 }, 'expired'],
  ['is of the future', { aheadMs: 100_000 }, 'expired'],
  ['is of another key', { by: other }, 'invalid'],
  ['names a key of another', { by: { ...other, keyid: key.keyid } }, 'invalid'],
  ['is for something else', { parameters: { tag: 'other' } }, 'invalid'],
] as const)('a signature is doubted if it %s', async (_, signing, result) => {
  const { send } = await stage();
  const { status, signature, got } = await send(await signed(signing as Signing));
  expect([signature, status, got]).toEqual([result, 200, doubted]);
});

test('headers with many names are cheap, and names of object properties are not components', async () => {
  const { send } = await stage();
  const good = await signed();
  const many = Array.from({ length: 40 }, (_, index) => `"x-${index}"`).join(' ');
  for (const more of ['"constructor"', '"__proto__"', many]) {
    const input = good['signature-input'].replace('"@method"', `"@method" ${more}`);
    expect(await send({ ...good, 'signature-input': input })).toMatchObject({ signature: 'invalid' });
  }
  const digest = 'constructor=:AA==:';
  expect(await send({ ...good, 'content-digest': digest })).toMatchObject({ signature: 'invalid' });
  // Each member requires a search through the whole header.
  const agents = ['b', 'c', 'd', 'e', 'f', 'a'].map((name) => `${name}="https://agent.example"`);
  const named = await signed({ agent: agents.join(', ') });
  expect(await send(named)).toMatchObject({ signature: 'invalid' });
  expect(await send(good)).toMatchObject({ signature: 'verified' });
});

test('serverless runtimes verify the signatures of the same requests', async () => {
  const { relay, sink } = await stage();
  const { handle, flush } = relay.relay;
  await fetchHandler(handle)(
    new Request(formUrl, { method: 'POST', body: 'name=Ada', headers: await signed() }),
  );
  const body = Buffer.from('name=Ada');
  const event = functionUrlEvent({
    method: 'POST',
    target: new URL(formUrl).pathname,
    headers: await signed(),
    body,
  });
  await lambdaHandler({ handle, flush })(event, { getRemainingTimeInMillis: () => 20_000 });
  expect(sink.requests.map(({ headers }) => headers['x-form-agent'])).toEqual(
    Array(2).fill('https://agent.example'),
  );
});

test('a signature counts only once in all copies of the relay', async () => {
  const place = tempFolder();
  const spam = { place };
  const [one, two] = [await stage(spam), await stage(spam)];
  const headers = await signed({ parameters: { nonce: undefined } });
  const ends = await Promise.all([1, 2, 3, 4].flatMap(() => [one.send(headers), two.send(headers)]));
  expect(ends.map(({ signature }) => signature).toSorted()).toEqual([
    ...Array(7).fill('replayed'),
    'verified',
  ]);
});

test('all of 1,000 forgeries are rejected, and none is dropped silently', async () => {
  const { send } = await stage();
  let seed = 7;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % most;
  };
  const pick = <T>(all: readonly T[]) => all[below(all.length)] as T;
  /** Changes one character. */
  const changed = (text: string) => {
    const at = below(text.length);
    const to = pick([...'aZ09"=;,():*- '].filter((one) => one !== text[at]));
    return pick([
      text.slice(0, at) + to + text.slice(at + 1),
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + to + text.slice(at),
    ]);
  };
  const swap = (one: string | RegExp, by: string) => (text: string) => text.replace(one, by);
  const edits = [
    ...['"@method" ', '"@authority" ', '"@path" ', '"content-digest" ', ' "signature-agent";key="a"'].map(
      (one) => swap(one, ''),
    ),
    ...[
      swap('"@method"', '"@query"'),
      swap('"@path"', '"@path";req'),
      swap('content-digest"', 'content-type"'),
    ],
    ...[
      swap('"@method"', '"@method" "@method"'),
      swap(/\(.*?\)/, '()'),
      swap('sig1=', 'sig2='),
      swap('key="a"', 'key="b"'),
    ],
    ...[
      swap('ed25519', 'hmac-sha256'),
      swap('ed25519', 'rsa-pss-sha512'),
      swap(/keyid="..../, 'keyid="AAAA'),
      swap(/;nonce="n/, ';nonce="m'),
    ],
    ...[
      swap(/created=\d/, 'created=2'),
      swap(/expires=\d/, 'expires=2'),
      swap('web-bot-auth', 'other'),
      swap(/created=\d+;/, ''),
    ],
    ...[
      (text: string) => `${text}, ${text}`,
      (text: string) => `${text};created=1`,
      changed,
      changed,
      changed,
      changed,
    ],
  ];
  const found = new Map<string, number>();
  for (let index = 0; index < 1_000; index += 1) {
    const headers = await signed();
    const target = pick([
      'signature-input',
      'signature-input',
      'signature',
      'content-digest',
      'signature-agent',
      'body',
      'path',
    ] as const);
    let body = 'name=Ada';
    if (target === 'body') body = pick([`${body}&name=Eve`, 'name=Eve', `${body} `, '']);
    else if (target === 'path')
      Object.assign(
        headers,
        await signed({ url: pick([`${formUrl}x`, formUrl.replace('contact', 'CONTACT'), `${formUrl}/`]) }),
      );
    else {
      const edit =
        target === 'signature-input'
          ? pick(edits)
          : pick([changed, (text: string) => `${text}, ${text}`, () => '']);
      const before = headers[target];
      headers[target] = edit(before);
      if (headers[target].trim() === before) continue;
    }
    const { signature, outcome, got } = await send(headers, body);
    expect(signature, JSON.stringify(headers)).not.toBe('verified');
    // A request that names no agent is treated like any other.
    if (signature === undefined) expect(outcome).toBe('dropped');
    else expect(outcome === 'invalid' || got?.startsWith('/aside _doubt=8 (program, agent)')).toBe(true);
    found.set(String(signature), (found.get(String(signature)) ?? 0) + 1);
  }
  expect(found.get('invalid')).toBeGreaterThan(700);
});

const huge = { ...keysIn(key.jwk), isCut: true };

test.each([
  ['down', () => fail('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
  ['huge', () => huge, 'the response is longer than 64 KB, or was cut off'],
  [
    'redirecting',
    () => ({ status: 302, headers: { location: 'http://127.0.0.1/' } }),
    'the server answered 302',
  ],
  ['no list', () => ({ body: '<html>' }), 'the response is not a list of keys'],
  [
    'too long a list',
    () => keysIn(...Array(51).fill(key.jwk)),
    'the directory has 51 keys; at most 50 are allowed',
  ],
] as const)(
  'while a directory is %s, its agent is doubted, and the directory is requested once a minute',
  async (_, directory, why) => {
    const { send, asked, relay } = await stage({ directory });
    const [one, two] = [await signed(), await signed()];
    await Promise.all([send(one), send(two)]);
    const end = await send(await signed());
    expect(end).toMatchObject({
      signature: 'unverified',
      why: `the directory cannot be read: ${why}`,
      got: doubted,
    });
    expect(asked.map(({ href }) => href)).toEqual([
      'https://agent.example/.well-known/http-message-signatures-directory',
    ]);
    relay.advance(61_000);
    await send(await signed({ aheadMs: 61_000 }));
    expect(asked).toHaveLength(2);
  },
);

test('keys are used while their directory is unavailable, and expire when it no longer lists them', async () => {
  let answer: Partial<HttpAnswer> | Error = {
    ...keysIn(key.jwk),
    headers: { 'cache-control': 'max-age=600' },
  };
  const { send, relay, asked } = await stage({ directory: () => answer });
  const after = async (ms: number) => {
    relay.advance(ms);
    aheadMs += ms;
    return (await send(await signed({ aheadMs }))).signature;
  };
  let aheadMs = 0;
  expect([await after(0), await after(500_000), asked.length]).toEqual(['verified', 'verified', 1]);
  answer = fail('down');
  expect([await after(200_000), asked.length]).toEqual(['verified', 2]);
  answer = keysIn(other.jwk);
  expect([await after(61_000), asked.length]).toEqual(['invalid', 3]);
});

test('keys of others, and keys that are not yet or no longer valid in their directory, are rejected', async () => {
  const published = { jwk: ed25519, keyid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U' };
  const d = 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU';
  const privateKey = createPrivateKey({ key: { ...ed25519, d }, format: 'jwk' });
  const seconds = Math.floor(Date.now() / 1_000);
  const late = { ...key.jwk, exp: seconds - 60 };
  const early = { ...other.jwk, nbf: seconds + 60 };
  const { send } = await stage({
    directory: () => keysIn(ed25519, late, early, { kty: 'oct', k: 'c2VjcmV0' }),
  });
  for (const by of [{ ...published, privateKey }, key, other])
    expect(await send(await signed({ by }))).toMatchObject({ signature: 'invalid', got: doubted });
});

test('no directory on this machine is requested', async () => {
  const inside = await httpSink();
  const agent = `https://localhost:${inside.port}`;
  const { send } = await stage({ agent });
  const end = await send(await signed({ agent: `a="${agent}"` }));
  expect([end.signature, end.got]).toEqual(['unverified', doubted]);
  expect(end.why).toMatch(
    /: the address belongs to a private network or this machine; nothing was sent there$/,
  );
});
