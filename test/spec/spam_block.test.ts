import { config, form, post } from '../support/config.ts';
import { expectLogged, httpSink, problemsOf, relayWith } from '../support/index.ts';
import { tokenIn } from './read.ts';

const dropped = { status: 200, text: '{"message":"ok"}', delivered: 0 };
const delivered = { ...dropped, delivered: 1 };
const expired = { status: 422, text: '{"error":"form expired, please reload"}', delivered: 0 };

/** A relay whose clock only the test advances, with one form for each spam block. */
async function staged(forms: Record<string, object>, env: Record<string, string> = {}) {
  const sink = await httpSink();
  const outputs = [post(sink, { mapping: { name: 'name', ts: '_ts', decoy: 'website' } })];
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const declared = Object.entries(forms).map(([id, spam]) => [id, { fields: 'name!', outputs, spam }]);
  const relay = await relayWith({
    config: config(Object.fromEntries(declared)),
    env: { FORM_TOKEN_SECRET: 'signing secret', ...env },
    effects: { now: () => clock.ms },
  });
  const token = async (form = 'contact', field = '_ts') =>
    tokenIn((await relay.get(`/api/v1/token/${form}`)).text, field);
  const send = async (values: Record<string, string>, form = 'contact') => {
    const before = sink.requests.length;
    const { status, text } = await relay.submit(form, Object.entries({ name: 'Ann', ...values }));
    return { status, text, delivered: sink.requests.length - before };
  };
  return { relay, sink, clock, token, send };
}

describe('keys and defaults', () => {
  test('form_ttl is 2h', async () => {
    const { clock, token, send } = await staged({ contact: { min_fill_seconds: 1 } });
    const _ts = await token();
    clock.ms += 7_200_000;
    expect(await send({ _ts })).toEqual(delivered);
    clock.ms += 1;
    expect(await send({ _ts })).toEqual(expired);
  });

  test('the first value that is not empty is the token', async () => {
    const { relay, clock, sink, token } = await staged({ contact: { min_fill_seconds: 1 } });
    const _ts = await token();
    clock.ms += 1000;
    await relay.submit('contact', [
      ['name', 'Ann'],
      ['_ts', ''],
      ['_ts', _ts],
    ]);
    expect(sink.requests).toHaveLength(1);
  });

  test('token_field sets the field that contains the token', async () => {
    const { clock, token, send } = await staged({ contact: { min_fill_seconds: 1, token_field: 'stamp' } });
    const stamp = await token('contact', 'stamp');
    clock.ms += 1000;
    expect(await send({ _ts: stamp })).toEqual(dropped);
    expect(await send({ stamp })).toEqual(delivered);
  });
});

test('a token does not depend on the query, and a form without min-fill has none', async () => {
  const { relay } = await staged({ contact: { min_fill_seconds: 2 }, plain: {} });
  const tokenFor = async (path: string) => (await relay.get(`/api/v1/token/${path}`)).text;
  expect(await tokenFor('contact?_ts=mine&name=x&token_field=y')).toBe(await tokenFor('contact'));
  expect(await tokenFor('plain')).toBe('');
});

test.each([
  [{ min_fill_seconds: 2, form_ttl: '2001ms' }, false],
  [{ min_fill_seconds: 2, form_ttl: '2s' }, true],
  [{ min_fill_seconds: 1.001, form_ttl: '1001ms' }, true],
  [{ min_fill_seconds: 7200 }, true],
])('form_ttl must exceed min_fill_seconds, by a millisecond: %j', async (spam, isMistake) => {
  expect((await problemsOf(form({ spam }))).includes('a form would expire before')).toBe(isMistake);
});

test.each([
  [{ min_fill_seconds: 3, form_ttl: '10s' }, 0, dropped],
  [{ min_fill_seconds: 3, form_ttl: '10s' }, 2999, dropped],
  [{ min_fill_seconds: 3, form_ttl: '10s' }, 3000, delivered],
  [{ min_fill_seconds: 3, form_ttl: '10s' }, 10_000, delivered],
  [{ min_fill_seconds: 3, form_ttl: '10s' }, 10_001, expired],
  // In floating point, 2.007 * 1000 is more than 2007, and 1.001 * 1000 less than 1001.
  [{ min_fill_seconds: 2.007, form_ttl: '10s' }, 2006, dropped],
  [{ min_fill_seconds: 2.007, form_ttl: '10s' }, 2007, delivered],
  [{ min_fill_seconds: 0.5, form_ttl: '1.001s' }, 1001, delivered],
  [{ min_fill_seconds: 0.5, form_ttl: '1.001s' }, 1002, expired],
  [{ min_fill_seconds: 0.001, form_ttl: '2ms' }, 0, dropped],
  [{ min_fill_seconds: 0.001, form_ttl: '2ms' }, 1, delivered],
])(
  'min_fill_seconds <= elapsed <= form_ttl, to the millisecond: %j, %i ms after the token',
  async (spam, elapsedMs, ending) => {
    const { clock, token, send } = await staged({ contact: spam });
    const _ts = await token();
    clock.ms += elapsedMs;
    expect(await send({ _ts })).toEqual(ending);
  },
);

describe('a dropped submission', () => {
  const spam = { honeypot: 'website', min_fill_seconds: 3 };
  const drops: readonly (readonly [by: string, reason: string, waitMs: number, sent: object])[] = [
    ['honeypot', 'decoy field was filled', 3000, { website: 'x' }],
    ['min_fill', 'token is missing', 3000, { _ts: '' }],
    ['min_fill', 'not issued for this form', 3000, { _ts: 'garbage' }],
    ['min_fill', 'issued in the future', -1, {}],
    ['min_fill', 'sent after 2999 ms; the minimum is 3000 ms', 2999, {}],
  ];

  test.each(drops)('is logged with the reason: %s, %s', async (by, reason, waitMs, sent) => {
    const { relay, clock, token, send } = await staged({ contact: spam });
    const _ts = await token();
    clock.ms += waitMs;
    expect(await send({ _ts, ...sent })).toEqual(dropped);
    expectLogged(relay, { outcome: 'dropped', by, reason: expect.stringContaining(reason) });
  });
});

describe('a correction', () => {
  const htmx = { 'HX-Request': 'true' };

  test('gets the whole form_ttl again', async () => {
    const { relay, clock, token, send } = await staged({ contact: { min_fill_seconds: 3, form_ttl: '1h' } });
    const first = await token();
    clock.ms += 3_600_000;
    const again = tokenIn(
      (await relay.submit('contact', Object.entries({ _ts: first, name: '' }), htmx)).text,
    );
    clock.ms += 3_600_000;
    expect(await send({ _ts: first })).toEqual(expired);
    expect(await send({ _ts: again })).toEqual(delivered);
    clock.ms += 1;
    expect(await send({ _ts: again })).toEqual(expired);
  });

  test('does not wait again if its token is at most a day old, or still valid', async () => {
    const spam = { min_fill_seconds: 3 };
    const { relay, clock, token, send } = await staged({ contact: spam, slow: { ...spam, form_ttl: '48h' } });
    const corrected = async (form: string, hours: number) => {
      const _ts = await token(form);
      clock.ms += hours * 3_600_000;
      const { headers, text } = await relay.submit(form, `_ts=&_ts=${_ts}&name=`, htmx);
      // An expired form stays unchanged, and gets a new token through an event.
      const event = JSON.parse(headers.get('hx-trigger') ?? '{}');
      return send({ _ts: event['form-relay:token']?.value ?? tokenIn(text) }, form);
    };
    expect(await corrected('contact', 24)).toEqual(delivered);
    expect(await corrected('contact', 24.001)).toEqual(dropped);
    expect(await corrected('slow', 48)).toEqual(delivered);
  });
});

test('an empty FORM_TOKEN_SECRET: fails closed: 500, nothing delivered, and the log says so', async () => {
  const spam = { min_fill_seconds: 3 };
  const before = await staged({ contact: spam });
  const _ts = await before.token();
  const { relay, clock, send } = await staged({ contact: spam }, { FORM_TOKEN_SECRET: '' });
  clock.ms += 5000;
  for (const values of [{}, { _ts }] as Record<string, string>[])
    expect(await send(values)).toMatchObject({ status: 500, delivered: 0 });
  expectLogged(relay, { level: 'error', event: 'submission', outcome: 'no_token_secret' });
});
