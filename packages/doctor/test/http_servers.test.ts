import { expect, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import { connectionFailure } from '../../clients/src/socket.ts';
import { createTryConnect } from '../src/probes/http.ts';
import { examineServers } from '../src/servers.ts';
import { diagnose, formWith } from './stage.ts';

const posts = (...urls: string[]) =>
  formWith(`[${urls.map((url) => `{type: http_post, url: "${url}", mapping: "*"}`)}]`);

const failed = (code: string, syscall?: string) => Object.assign(new Error(), { code, syscall });
const refusedByOne = new AggregateError([
  failed('ENETUNREACH', 'connect'),
  failed('ECONNREFUSED', 'connect'),
]);

test('a server is connected to once, shakes hands, and gets no request', async () => {
  const sink = await httpSink({ tls: true });
  const config = posts(`${sink.origin}/a`, `${sink.origin}/b?c=d`);
  expect(await diagnose(examineServers('http'), config)).toEqual([
    `ok ${sink.origin}: speaks TLS, with a certificate until 2126-10-27; no request was made`,
  ]);
  expect(sink.connections).toBe(1);
  expect(sink.requests).toEqual([]);
});

test('a certificate that nobody vouches for is a failure', async () => {
  const sink = await httpSink({ tls: true });
  expect(
    await diagnose(examineServers('http'), posts(sink.origin), { tryConnect: createTryConnect() }),
  ).toEqual([
    expect.stringMatching(/^failure .*certificate not trusted: .*outputs\[0\].* -> .*NODE_EXTRA_CA_CERTS/),
  ]);
});

test('a server that speaks no TLS is a failure', async () => {
  const sink = await httpSink();
  expect(await diagnose(examineServers('http'), posts(sink.origin.replace('http:', 'https:')))).toEqual([
    expect.stringMatching(/^failure .*(TLS failed|closed).* -> /),
  ]);
});

test('a server that is gone is a failure', async () => {
  const sink = await httpSink();
  await sink.close();
  expect(await diagnose(examineServers('http'), posts(sink.origin))).toEqual([
    expect.stringMatching(
      /^failure .*connect ECONNREFUSED .* -> Nothing listens on port \d+ of 127\.0\.0\.1/,
    ),
  ]);
});

test.each<[string, NodeJS.ErrnoException, RegExp]>([
  [
    'a name that nobody knows',
    failed('ENOTFOUND', 'getaddrinfo'),
    /could not resolve .* -> Check the spelling of a\.example/,
  ],
  [
    'a network without a way',
    failed('ENETUNREACH', 'connect'),
    /ENETUNREACH .* -> A firewall may be in between\. Or port/,
  ],
  ['addresses of which one refuses', refusedByOne, /ECONNREFUSED .* -> Nothing listens on port 443/],
  [
    'a certificate that ended',
    failed('CERT_HAS_EXPIRED'),
    /not trusted: .* -> Renew the certificate of a\.example/,
  ],
])('%s', async (_, error, expected) => {
  const tryConnect = async () => {
    throw connectionFailure(error);
  };
  expect(await diagnose(examineServers('http'), posts('https://a.example/'), { tryConnect })).toEqual([
    expect.stringMatching(expected),
  ]);
});

const now = Date.UTC(2030, 0, 1);
const inDays = (days: number) => async () => ({ certificateUntil: now + days * 86_400_000 });

test.each([
  [13, /^warning https:\/\/a\.example: its certificate ends on 2030-01-14/],
  [15, /^ok https:\/\/a\.example: speaks TLS, with a certificate until 2030-01-16/],
])('a certificate with %i days left', async (days, expected) => {
  const stage = { now: () => now, tryConnect: inDays(days) };
  expect(await diagnose(examineServers('http'), posts('https://a.example/'), stage)).toEqual([
    expect.stringMatching(expected),
  ]);
});
