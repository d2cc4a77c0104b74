/** `Forwarded`, in which a proxy writes what its visitor sent beside the visitor's address. */
import { expect, test } from 'vitest';
import { contact } from '../spec/stage.ts';
import { answersIn, exchange, postHead } from './stage.ts';

const limited = {
  fields: '[{name: name}]',
  outputs: '[{type: http_post, url: $sink, mapping: "*"}], rate_limit: 1 per 10m',
  env: { TRUSTED_PROXIES: '127.0.0.1', PROXY_HEADER: 'forwarded' },
};

/** What each of several posts is answered, with these header lines. */
async function statuses(...posts: readonly (readonly string[])[]): Promise<number[]> {
  const relay = await contact(limited);
  const answers: number[] = [];
  for (const lines of posts) {
    const head = postHead(
      ...lines.map((line) => `Forwarded: ${line}`),
      'Connection: close',
      'Content-Length: 6',
    );
    answers.push(...answersIn(await exchange(relay, `${head}name=x`)).map(({ status }) => status));
  }
  return answers;
}

test('a Host that a proxy quotes names no client', async () => {
  const withHost = (address: string) => [String.raw`for=203.0.113.9;host="x\", for=${address};a=\""`];
  expect(await statuses(withHost('1.2.3.4'), withHost('1.2.3.5'), withHost('unknown'))).toEqual([
    200, 429, 429,
  ]);
});

test('a Host that a proxy does not quote, and that breaks the grammar, stops none from being counted', async () => {
  const withHost = (host: string) => [`for=203.0.113.9;host=${host}`];
  expect(await statuses(withHost('a"b'), withHost('a;for=1.2.3.4'), withHost('"\\'))).toEqual([
    200, 429, 429,
  ]);
});

test('the last of several header lines counts, whatever stands in those before', async () => {
  const real = 'For="[2001:db8::1]:4711";proto=http';
  expect(
    await statuses([real], ['for="', real], ['for=1.2.3.4;x="\\', real], ['for=unknown, ', real]),
  ).toEqual([200, 429, 429, 429]);
});
