/** A submission sent sooner than `min_fill_seconds`, if the config sets `too_fast`. */
import { contact } from '../../../test/support/index.ts';
import { issueToken } from '../src/form_token.ts';

const secret = 'a secret of many characters';

async function stage({ tooFast = 'doubt', doubt = '{tag: 5}', program = 0, top = '' } = {}) {
  const doubted = top === '' ? `, doubt: ${doubt}` : '';
  const relay = await contact({
    env: { FORM_TOKEN_SECRET: secret },
    top,
    fields: '[{name: name, required: true}]',
    outputs: '[{type: http_post, url: $sink, mapping: "*", aside: also}]',
    keys: `spam: {min_fill_seconds: 3, too_fast: ${tooFast}${doubted}, signals: {program: ${program}}}`,
  });
  const { sink } = relay;
  const token = async () => tokenInput.exec((await relay.get('/api/v1/token/contact')).text)?.[1] ?? '';
  /** Sends the form this many milliseconds after it was shown. */
  const send = async (
    afterMs: number,
    values: readonly (readonly [string, string])[] = [['name', 'Ada']],
  ) => {
    const stamp = await token();
    relay.advance(afterMs);
    return post([...values, ['_ts', stamp]]);
  };
  const post = async (values: readonly (readonly [string, string])[]) => {
    const { status, json } = await relay.submit(
      'contact',
      values.map(([name, value]) => [name, value]),
      { 'user-agent': 'curl/8.0' },
    );
    return { status, json, line: relay.logged.findLast(({ event }) => event === 'submission') };
  };
  return { relay, sink, token, send, post };
}

const tokenInput = /value="([^"]+)"/;

test('doubt: the submission is delivered with a tag, and the log says why', async () => {
  const { send, sink } = await stage();
  const { status, json, line } = await send(1_000);
  expect([status, json]).toEqual([200, { message: 'ok' }]);
  expect(line).toMatchObject({ outcome: 'delivered', score: 5, doubt: 'tag', signals: { too_fast: 5 } });
  expect(new URLSearchParams(sink.requests[0]?.body).get('_doubt')).toBe('5 (too_fast)');
  expect(sink.requests[0]?.headers['x-form-doubt']).toBe('5 (too_fast)');
});

test('drop: no output gets the submission, and the visitor reads that it was sent', async () => {
  const { send, sink } = await stage({ tooFast: 'drop' });
  const { status, json, line } = await send(1_000);
  expect([status, json]).toEqual([200, { message: 'ok' }]);
  expect(line).toMatchObject({ outcome: 'dropped', by: 'min_fill' });
  expect(sink.requests).toEqual([]);
});

test('doubt: a token from a copy whose clock is ahead is genuine, but too young', async () => {
  const { relay, token, post, sink } = await stage();
  relay.advance(60_000);
  const stamp = await token();
  relay.advance(-60_000);
  const { status, line } = await post(Object.entries({ name: 'Ada', _ts: stamp }));
  expect(status).toBe(200);
  expect(line).toMatchObject({ outcome: 'delivered', doubt: 'tag', signals: { too_fast: 5 } });
  expect(sink.requests).toHaveLength(1);
});

const past = (ms: number) => Date.now() - ms;
test.each([
  ['missing', [], 'the token is missing'],
  ['forged', [['_ts', 'x'.repeat(60)]], /was not issued/],
  [
    'of another form',
    [['_ts', issueToken(secret, 'other', { issuedAt: past(10_000), waitedMs: 0 })]],
    /was not issued/,
  ],
] as const)('doubt: an invalid token is handled as always: %s: dropped', async (_, token, reason) => {
  const { post, sink } = await stage();
  const { status, line } = await post([['name', 'Ada'], ...token]);
  expect(status).toBe(200);
  expect(line).toMatchObject({ outcome: 'dropped', by: 'min_fill', reason: expect.stringMatching(reason) });
  expect(sink.requests).toEqual([]);
});

test('doubt: an invalid token is handled as always: expired: says so', async () => {
  const { send, sink } = await stage();
  const { status, json } = await send(2 * 3_600_000 + 1);
  expect([status, json]).toEqual([422, { error: 'form expired, please reload' }]);
  expect(sink.requests).toEqual([]);
});

test.each([
  ['tag', 0, { doubt: 'tag', score: 4 }],
  ['{tag: 2}', 0, { doubt: 'tag', score: 2 }],
  // Points are rounded up to tenths, so they still reach the threshold.
  ['{tag: 4.24}', 0, { doubt: 'tag', score: 4.3 }],
  ['{observe: 1, tag: 5}', 0, { doubt: 'tag', score: 5 }],
  // The owner's actions for lower scores apply, too.
  ['{tag: 5, challenge: 5}', 0, { doubt: 'challenge', score: 5, outcome: 'challenged' }],
  ['{tag: 5, aside: 4}', 0, { doubt: 'aside', score: 5 }],
  // Points of other signals add up with these.
  ['{tag: 5, aside: 8}', 3, { doubt: 'aside', score: 8 }],
  ['{tag: 5, drop: 8}', 2, { doubt: 'tag', score: 7 }],
  ['{tag: 5, drop: 8}', 3, { doubt: 'drop', score: 8, outcome: 'dropped', by: 'doubt' }],
])('doubt: %s, with %d further points', async (doubt, program, line) => {
  const { send } = await stage({ doubt, program });
  expect((await send(500)).line).toMatchObject({ outcome: 'delivered', ...line });
});

test('doubt: after a correction, the time before it counts', async () => {
  const { relay, token, sink } = await stage();
  const send = async (name: string, stamp: string) => {
    const { json } = await relay.submit(
      'contact',
      { name, _ts: stamp },
      { accept: 'application/problem+json' },
    );
    return json as { readonly token: { readonly value: string; readonly wait_ms: number } };
  };
  const first = await token();
  relay.advance(2_000);
  const { token: next } = await send('', first);
  expect(next.wait_ms).toBeLessThanOrEqual(1_000);
  relay.advance(next.wait_ms);
  await send('Ada', next.value);
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ada']);
});
