/** Uses responses as the service documents them. */

import { signalContract, tryRelay } from 'form-relay/testing';
import { beforeEach, expect, test } from 'vitest';
import { type SinkAnswer, startHttpSink } from '../test/support/http_sink.ts';

/** printf spam@example.com | md5sum */
const reported = '5676f35f5c011dbed45ae63e79c86ed4';
const knowsOne = ({ url }: { readonly url: string }): SinkAnswer => ({
  body: JSON.stringify({
    success: 1,
    ip: { value: '192.0.2.1', appears: 1, confidence: 10 },
    emailhash: url.includes(reported)
      ? { appears: 1, frequency: 40, confidence: 92.5 }
      : { appears: 0, frequency: 0 },
  }),
});

let answer: (request: { readonly url: string }) => SinkAnswer | Promise<SinkAnswer>;
const service = await startHttpSink({ answer: (request) => answer(request) });
beforeEach(() => {
  answer = knowsOne;
});

const keys = { url: `${service.origin}/api` };
const fields = [{ name: 'email', type: 'email' }];
const promises = signalContract({
  name: 'stopforumspam',
  keys,
  fields,
  finds: [{ email: 'Spam@Example.com' }],
  passes: [{ email: 'ada@example.org' }],
});
test.each([...promises])('$name', ({ run }) => run());

async function submit() {
  const from = service.requests.length;
  const spam = { doubt: 'observe', signals: { stopforumspam: keys } };
  const relay = await tryRelay({ forms: { contact: { fields, spam } } });
  const { status } = await relay.submit('contact', { email: 'Spam@Example.com' });
  await relay.close();
  const reasons = relay.logged.flatMap(({ event, reason }) => (event === 'service_silent' ? [reason] : []));
  return { delivered: [status, relay.delivered.length], reasons, asked: service.requests.slice(from) };
}

test('the service gets the IP address and a hash', async () => {
  const { asked } = await submit();
  expect(asked.map(({ method, url }) => [method, url])).toEqual([
    ['GET', `/api?json=1&confidence=1&ip=192.0.2.1&emailhash=${reported}`],
  ]);
});

test.each<[string, SinkAnswer | 'hangs', RegExp]>([
  ['hangs', 'hangs', /no (answer|(complete )?response) within 1\d{3} ms/],
  ['answers HTML', { body: '<html></html>' }, /no verdict/],
  ['answers half a JSON', { body: '{"success":1,' }, /no verdict/],
  [
    'answers a list',
    { body: '{"success":1,"ip":[{"appears":1,"confidence":99}],"emailhash":{"appears":0}}' },
    /no verdict/,
  ],
  ['answers null', { body: '{"success":1,"ip":{"appears":0},"emailhash":null}' }, /no verdict/],
  ['leaves one out', { body: '{"success":1,"ip":{"appears":0}}' }, /no verdict/],
  ['reports an error', { body: '{"success":0,"error":"rate limit"}' }, /no verdict/],
  ['fails', { status: 503 }, /503/],
  ['sends elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, /./],
])('a service that %s decides nothing', async (_, given, reason) => {
  answer = () => (given === 'hangs' ? new Promise<SinkAnswer>(() => {}) : given);
  const { delivered, reasons } = await submit();
  expect(delivered).toEqual([200, 1]);
  expect(reasons).toEqual([expect.stringMatching(reason)]);
});
