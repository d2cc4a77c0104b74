/** When a delivery is retried, according to the receiver's Retry-After (RFC 9110, 10.2.3). */
import fc from 'fast-check';
import { createRelay } from '../../../test/support/bare_relay.ts';
import { holds } from '../../../test/support/fuzz.ts';

let answer: { status: number; headers: Record<string, string> };
let tries = 0;
let slept: number[] = [];
const now = Date.UTC(2030, 0, 1, 12);
const relay = createRelay({
  config:
    'forms: {a: {fields: [{name: a}], outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]}}',
  throttled: false,
  effects: {
    log: () => {},
    now: () => now,
    random: () => 0,
    sleep: async (ms) => void slept.push(ms),
    http: async () => {
      tries += 1;
      return tries === 1 ? { ...answer, body: '' } : { status: 200, headers: {}, body: '' };
    },
  },
});

async function submit(status: number, retryAfter: string | undefined) {
  answer = { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } };
  tries = 0;
  slept = [];
  const { status: answered } = await relay.handle({
    method: 'POST',
    path: '/api/v1/submit/a',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('a=1'),
  });
  expect(answered).toBe(tries === 2 ? 200 : 500);
  return slept;
}

const passing = [408, 425, 429, 502, 503, 504];
const status = fc.oneof(fc.constantFrom(...passing), fc.integer({ min: 400, max: 599 }));

test('a response that says "later" is retried at that time, if that is soon enough', async () => {
  const seconds = fc.oneof(fc.nat({ max: 12 }), fc.nat());
  await holds(100, [status, seconds, fc.boolean()], async (status, seconds, isDate) => {
    const at = isDate ? new Date(now + seconds * 1_000).toUTCString() : String(seconds);
    // At least one second, and within the output's timeout of 10 s.
    const waitMs = Math.max(1_000, seconds * 1_000);
    const isTried = passing.includes(status) && waitMs < 10_000;
    expect(await submit(status, at)).toEqual(isTried ? [waitMs] : []);
  });
});

test('an unreadable time is ignored', async () => {
  const piece = fc.constantFrom(
    ...['1', '-', '.', 'e', ' ', 's', 'GMT', 'Mon', ',', 'Jan', '2030', ':', '\xe9', '+', '0x'],
  );
  const garbage = fc
    .oneof(
      fc.array(piece, { maxLength: 5 }).map((parts) => parts.join('')),
      fc.string({ maxLength: 8 }),
    )
    .filter((text) => !/^\d+$/.test(text));
  await holds(100, [status, garbage], async (status, text) => {
    const isTried = passing.includes(status) && status !== 429;
    expect(await submit(status, text)).toEqual(isTried ? [1_000] : []);
  });
});
