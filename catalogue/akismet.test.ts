/** Uses responses as Akismet documents them (akismet.com/developers/comment-check). */

import { signalContract, tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';
import { type SinkAnswer, startHttpSink } from '../test/support/http_sink.ts';

let answer: SinkAnswer | undefined;
const service = await startHttpSink({
  // Akismet treats this author as spam in tests.
  answer: ({ body }) => answer ?? { body: String(body.includes('viagra-test-123')) },
});

const env = { AKISMET_KEY: 'a-key' };
const keys = { url: `${service.origin}/1.1`, site: 'https://example.com' };
const fields = [
  { name: 'name' },
  { name: 'email', type: 'email' },
  { name: 'phone', type: 'tel' },
  { name: 'work_phone' },
  { name: 'reachable', autocomplete: 'tel-national' },
  { name: 'phonetics' },
  { name: 'message', type: 'textarea' },
];
const numbers = { phone: '030 123456', work_phone: '030 123457', reachable: '123458' };
const typed = { ...numbers, phonetics: 'Ah-da', email: 'ada@example.org', message: 'Good morning' };
const promises = signalContract({
  name: 'akismet',
  keys,
  fields,
  env,
  finds: [{ ...typed, name: 'viagra-test-123' }],
  passes: [{ ...typed, name: 'Ada Lovelace' }],
});
test.each([...promises])('$name', ({ run }) => run());

async function submit(own: NodeJS.Dict<string> = env, doubt: unknown = 'tag') {
  const from = service.requests.length;
  const relay = await tryRelay({
    forms: { contact: { fields, spam: { doubt, signals: { akismet: keys } } } },
    env: own as Record<string, string>,
  });
  await relay.submit('contact', { ...typed, name: 'Ada' });
  await relay.close();
  const { signals } = relay.logged.find(({ event }) => event === 'submission') ?? {};
  const reasons = relay.logged.flatMap(({ event, reason }) => (event === 'service_silent' ? [reason] : []));
  const asked = service.requests.slice(from);
  return { points: Object(signals).akismet, reasons, delivered: relay.delivered, asked };
}

test('Akismet gets the typed text, but no phone number', async () => {
  answer = { body: 'true' };
  const { points, asked, delivered } = await submit();
  expect([points, delivered[0]?._doubt]).toEqual([4, ['6 (akismet, program)']]);
  expect(asked.map(({ url, body }) => [url, Object.fromEntries(new URLSearchParams(body))])).toEqual([
    [
      '/1.1/comment-check',
      {
        api_key: 'a-key',
        blog: 'https://example.com/',
        blog_charset: 'UTF-8',
        comment_type: 'contact-form',
        comment_author: 'Ada',
        comment_author_email: 'ada@example.org',
        comment_content: 'Ah-da\nGood morning',
        user_ip: '192.0.2.1',
      },
    ],
  ]);
});

test('a message that Akismet would discard counts in full', async () => {
  answer = { body: 'true', headers: { 'x-akismet-pro-tip': 'discard' } };
  expect((await submit()).points).toBe(5);
});

test('together with a weak signal, it drops nothing', async () => {
  answer = { body: 'true', headers: { 'x-akismet-pro-tip': 'discard' } };
  const { points, delivered } = await submit(env, { tag: 2, drop: 5 });
  expect([points, delivered[0]?._doubt]).toEqual([2.5, ['4.5 (akismet, program)']]);
});

test.each<[string, SinkAnswer, RegExp]>([
  ['does not know the key', { body: 'invalid' }, /rejected the key/],
  ['answers HTML', { body: '<html></html>' }, /no verdict/],
  ['fails', { status: 500 }, /500/],
])('a service that %s decides nothing', async (_, given, reason) => {
  answer = given;
  const { delivered, reasons, points } = await submit();
  expect([delivered.length, points]).toEqual([1, undefined]);
  expect(reasons).toEqual([expect.stringMatching(reason)]);
});

test('without a key, Akismet is not asked', async () => {
  const { asked, reasons, delivered } = await submit({});
  expect([asked, delivered.length, reasons]).toEqual([[], 1, ['AKISMET_KEY is not set']]);
});
