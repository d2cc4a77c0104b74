/** Only a min-fill token that the relay issued for this form is accepted. */
import { createHmac } from 'node:crypto';
import { httpSink, relayWith } from '../support/index.ts';

const form = (url: string) =>
  `{fields: [{name: name}], spam: {min_fill_seconds: 5, form_ttl: 60s}, outputs: [{type: http_post, url: "${url}", mapping: "*"}]}`;

async function staged(env: Record<string, string> = { FORM_TOKEN_SECRET: 'a secret' }) {
  const sink = await httpSink();
  const config = `forms: {contact: ${form(sink.origin)}, other: ${form(sink.origin)}, "contact\u2028": ${form(sink.origin)}}`;
  const relay = await relayWith({ config, env });
  const token = async (name = 'contact') =>
    /value="([^"]*)"/.exec((await relay.get(`/api/v1/token/${encodeURIComponent(name)}`)).text)?.[1] ?? '';
  /** Whether the submission was delivered; the sender gets the same answer in either case. */
  const passes = async (value: string, to = 'contact') => {
    const before = sink.requests.length;
    const answer = await relay.submit(to, Object.entries({ name: 'Ann', _ts: value }));
    expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
    return sink.requests.length > before;
  };
  return { relay, sink, token, passes };
}

const parts = (token: string) => token.split('.') as [issued: string, waited: string, signature: string];
const sign = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url');

/** Forgeries of a genuine new token, which is still too young. */
const forgeries: Record<string, (token: string) => string> = {
  'backdated by a minute': (t) =>
    t.replace(/^[^.]*/, (issued) => (Number.parseInt(issued, 36) - 30_000).toString(36)),
  'with waiting added': (t) => t.replace(/\.[^.]*\./, '.2ps0.'),
  'without a signature': (t) => parts(t).slice(0, 2).join('.'),
  'with an empty signature': (t) => `${parts(t).slice(0, 2).join('.')}.`,
  'with the signature of nothing': (t) => `${parts(t).slice(0, 2).join('.')}.${sign('', '')}`,
  'signed with an empty secret': (t) =>
    `1.1.${sign('', `form-relay min-fill\0contact\0${parts(t).slice(0, 2).join('.')}`)}`,
  'signed with the name of the variable': () =>
    `1.1.${sign('FORM_TOKEN_SECRET', 'form-relay min-fill\0contact\x001.1')}`,
  'with fields moved over the dots': (t) => t.replace('.', '').replace(/^(.)/, '$1.'),
  'with capitals in its numbers': (t) => t.replace(/^[^.]*/, (issued) => issued.toUpperCase()),
  'with a plus': (t) => `+${t}`,
  'with a NUL after it': (t) => `${t}\0`,
  'in plain base64': (t) =>
    `${parts(t).slice(0, 2).join('.')}.${Buffer.from(parts(t)[2], 'base64url').toString('base64')}`,
  'with other bits that decode alike': (t) =>
    t.replace(
      /.$/,
      (last) =>
        'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[
          'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(last) ^ 1
        ] ?? '',
    ),
  'in full-width digits': (t) =>
    t.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  'of numbers beyond all bounds': (t) => `${'z'.repeat(10)}.${'z'.repeat(10)}.${parts(t)[2]}`,
  'that is a JWT without an algorithm': () => 'eyJhbGciOiJub25lIn0.eyJpYXQiOjF9.',
};

test.each(Object.keys(forgeries))('a token %s is rejected', async (what) => {
  const { relay, token, passes } = await staged();
  const genuine = await token();
  const forged = forgeries[what]?.(genuine) ?? '';
  expect(forged).not.toBe(genuine);
  // Old enough to pass if it were genuine.
  if (what !== 'backdated by a minute' && what !== 'with waiting added') relay.advance(6_000);
  expect(await passes(forged)).toBe(false);
  relay.advance(6_000);
  expect(await passes(genuine)).toBe(true);
});

test.each(['other', 'contact\u2028'])('a token of the form %j is rejected in another form', async (form) => {
  const { relay, token, passes } = await staged();
  const value = await token(form);
  relay.advance(6_000);
  expect([await passes(value), await passes(value, form)]).toEqual([false, true]);
});

test('a token from the future is rejected until its time has come', async () => {
  const { relay, token, passes } = await staged();
  relay.advance(3_600_000);
  const value = await token();
  relay.advance(-3_600_000);
  expect(await passes(value)).toBe(false);
  relay.advance(3_600_000 + 6_000);
  expect(await passes(value)).toBe(true);
});

test('only the first of several tokens counts, so that none can hide behind another', async () => {
  const { relay, sink, token } = await staged();
  const genuine = await token();
  relay.advance(6_000);
  await relay.submit('contact', [
    ['name', 'Ann'],
    ['_ts', 'forged'],
    ['_ts', genuine],
  ]);
  expect(sink.requests).toHaveLength(0);
  await relay.submit('contact', [
    ['name', 'Ann'],
    ['_ts', genuine],
    ['_ts', 'forged'],
  ]);
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ann']);
});
