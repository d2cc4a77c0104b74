import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { clientOf, readClient } from '../src/http/client.ts';
import type { RelayRequest } from '../src/http/request.ts';
import { readSettings } from '../src/settings.ts';

interface From {
  readonly peer: string;
  readonly xff?: string;
  readonly forwarded?: string;
  readonly env?: Record<string, string>;
}

const read = <T>(
  { peer, xff, forwarded, env = {} }: From,
  as: (request: RelayRequest, settings: ReturnType<typeof readSettings>) => T,
) =>
  as(
    {
      method: 'POST',
      path: '/',
      query: '',
      headers: { 'x-forwarded-for': xff, forwarded },
      body: undefined,
      peerAddress: peer,
    },
    readSettings(env),
  );

const proxies = { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48' };
const byForwarded = { ...proxies, PROXY_HEADER: 'Forwarded' };

describe('the client is', () => {
  test.each<[string, From, string | undefined]>([
    ['who connects', { peer: '198.51.100.7' }, '198.51.100.7'],
    ['who connects, by IPv4 on a socket of IPv6', { peer: '::ffff:198.51.100.7' }, '198.51.100.7'],
    ['who connects, whatever anybody says', { peer: '198.51.100.7', xff: '203.0.113.9' }, '198.51.100.7'],
    [
      'not said by who connects and is no trusted proxy',
      { peer: '198.51.100.7', xff: '203.0.113.9', env: proxies },
      '198.51.100.7',
    ],
    ['whom the proxy names', { peer: '127.0.0.1', xff: '203.0.113.9', env: proxies }, '203.0.113.9'],
    [
      'whom the last proxy names, not what stands before',
      { peer: '127.0.0.1', xff: '1.1.1.1, 2.2.2.2, 203.0.113.9', env: proxies },
      '203.0.113.9',
    ],
    [
      'whom the first of several proxies names',
      { peer: '127.0.0.1', xff: '1.1.1.1, 203.0.113.9, 10.1.2.3', env: proxies },
      '203.0.113.9',
    ],
    [
      'an internal one behind trusted ones',
      { peer: '127.0.0.1', xff: '10.9.9.9, 10.1.2.3', env: proxies },
      '10.9.9.9',
    ],
    [
      'one of a private network by Forwarded, whatever it claims',
      { peer: '127.0.0.1', forwarded: 'for=203.0.113.9, for="[fd00::5]"', env: byForwarded },
      'fd00:0:0:0:0:0:0:5',
    ],
    [
      'named by IPv6 in brackets',
      { peer: '127.0.0.1', xff: '[2001:db8::1]:4711', env: proxies },
      '2001:db8:0:0:0:0:0:1',
    ],
    [
      'named as IPv4 in IPv6',
      { peer: '::ffff:127.0.0.1', xff: '::ffff:cb00:7109', env: proxies },
      '203.0.113.9',
    ],
    [
      'not read from the other header',
      { peer: '127.0.0.1', forwarded: 'for=1.1.1.1', xff: '203.0.113.9', env: proxies },
      '203.0.113.9',
    ],
    [
      'named by Forwarded',
      { peer: '127.0.0.1', xff: '1.1.1.1', forwarded: 'for=203.0.113.9;proto=https', env: byForwarded },
      '203.0.113.9',
    ],
    [
      'named in quotes',
      {
        peer: '127.0.0.1',
        forwarded: 'proto=https; For="[2001:db8::1]:4711" ;by=10.0.0.1',
        env: byForwarded,
      },
      '2001:db8:0:0:0:0:0:1',
    ],
    [
      'not hidden behind a quote that nobody closes',
      { peer: '127.0.0.1', forwarded: 'for="1.1.1.1, for=203.0.113.9', env: byForwarded },
      '203.0.113.9',
    ],
    [
      'not hidden behind a comma in quotes',
      { peer: '127.0.0.1', forwarded: 'for=1.1.1.1, for="203.0.113.9";host="a,b"', env: byForwarded },
      '203.0.113.9',
    ],
    [
      'not named in a Host that the proxy quotes',
      {
        peer: '127.0.0.1',
        forwarded: String.raw`for=203.0.113.9;host="x\", for=1.2.3.4;a=\""`,
        env: byForwarded,
      },
      '203.0.113.9',
    ],
    [
      'named with more backslashes than are needed, and with a hidden port',
      { peer: '127.0.0.1', forwarded: String.raw`FOR="203\.0.113.9:_http"`, env: byForwarded },
      '203.0.113.9',
    ],
    ...['for=20"3.0.113.9"', 'for="203.0.113."9', 'for=1.1.1.1;for=2.2.2.2', 'for="1.1.1.1', 'x'].map(
      (forwarded): [string, From, string] => [
        `the proxy that wrote ${forwarded}`,
        { peer: '127.0.0.1', forwarded: `for=1.1.1.1, ${forwarded}`, env: byForwarded },
        '127.0.0.1',
      ],
    ),
    [
      'the proxy behind which somebody wrote no Forwarded',
      { peer: '127.0.0.1', forwarded: 'for="1.1.1.1", x y, for=10.1.2.3', env: byForwarded },
      '10.1.2.3',
    ],
    [
      'not hidden behind a quote in X-Forwarded-For, which has none',
      { peer: '127.0.0.1', xff: '"1.1.1.1, 203.0.113.9, 10.1.2.3', env: proxies },
      '203.0.113.9',
    ],
  ])('%s', (_, from, client) => {
    expect(read(from, clientOf)).toBe(client);
  });
});

describe('nobody knows who it is', () => {
  test.each<[string, From, object]>([
    ['where the runtime does not say it', { peer: '' }, { why: 'no_peer' }],
    [
      'behind a proxy that the owner does not name',
      { peer: '172.18.0.2', xff: '203.0.113.9' },
      { why: 'proxy_unlisted', network: '172.16.0.0/12' },
    ],
    [
      'behind one that says it otherwise',
      { peer: '127.0.0.1', forwarded: 'for=203.0.113.9' },
      { why: 'proxy_unlisted', network: '127.0.0.0/8' },
    ],
    ['where the proxy says nothing', { peer: '127.0.0.1', env: proxies }, { why: 'proxy_silent' }],
    [
      'where the proxy says it in the other header',
      { peer: '127.0.0.1', xff: '203.0.113.9', env: byForwarded },
      { why: 'proxy_silent' },
    ],
    [
      'where the proxy does not know it',
      { peer: '127.0.0.1', xff: '203.0.113.9, unknown', env: proxies },
      { why: 'proxy_silent' },
    ],
    [
      'where the proxy hides it',
      { peer: '127.0.0.1', forwarded: 'for=_hidden', env: byForwarded },
      { why: 'proxy_silent' },
    ],
    [
      'where the proxy says nothing in its element',
      { peer: '127.0.0.1', forwarded: 'for=1.1.1.1, ', env: byForwarded },
      { why: 'proxy_silent' },
    ],
  ])('%s', (_, from, why) => {
    expect(read(from, readClient)).toEqual(why);
  });
});

/** A proxy that says more than an address says something else, and a part of that is nobody's address. */
test.each<[string, From]>([
  ...['x[2001:db8::1]', '[2001:db8::1]x', '[2001:db8::1]:80x', '203.0.113.9:80x'].map(
    (xff): [string, From] => [xff, { peer: '127.0.0.1', xff, env: proxies }],
  ),
  ...['xfor=203.0.113.9', 'forx=203.0.113.9', 'for="203.0.113.9 "', 'for=', 'by=203.0.113.9'].map(
    (forwarded): [string, From] => [forwarded, { peer: '127.0.0.1', forwarded, env: byForwarded }],
  ),
])('nobody is known by %s', (_, from) => {
  expect(read(from, readClient)).toEqual({ why: 'proxy_silent' });
});

test('with `none`, whoever connects is the client, whatever it says', () => {
  expect(read({ peer: '10.0.0.5', xff: '1.1.1.1', env: { TRUSTED_PROXIES: 'none' } }, clientOf)).toBe(
    '10.0.0.5',
  );
});

test('what a client writes before its proxy’s word changes nothing', () => {
  const anything = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(',', '"', '\\', ';', 'for=', '127.0.0.1', '10.0.0.1', '[', ']', ':', ' ', '1.1.1.1'),
        { maxLength: 20 },
      )
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(anything, (made) => {
      const xff = `${made}, 203.0.113.9`;
      expect(read({ peer: '127.0.0.1', xff, env: proxies }, clientOf)).toBe('203.0.113.9');
      const forwarded = `${made}, for=203.0.113.9`;
      expect(read({ peer: '127.0.0.1', forwarded, env: byForwarded }, clientOf)).toBe('203.0.113.9');
    }),
  );
});

test('a long header takes no longer than it takes to read it', () => {
  const forwarded = `for=a${' '.repeat(200_000)}b`;
  const cpuMs = startCpuClock();
  expect(read({ peer: '127.0.0.1', forwarded, env: byForwarded }, clientOf)).toBe('127.0.0.1');
  // Looking again from each of its spaces took half a minute.
  expect(cpuMs()).toBeLessThan(2_000);
});
