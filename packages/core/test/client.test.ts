import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { addressOfClient, readClient } from '../../base/src/client.ts';
import type { RelayRequest } from '../src/http/request.ts';
import { readSettings, SettingError } from '../src/settings.ts';

interface From {
  readonly peer: string;
  readonly xff?: string;
  readonly forwarded?: string;
  readonly env?: Record<string, string>;
}

const clientOf = (...given: Parameters<typeof readClient>) => addressOfClient(readClient(...given));

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
const forwardedEnv = { ...proxies, PROXY_HEADER: 'Forwarded' };
const byXff = (xff?: string): From => ({
  peer: '127.0.0.1',
  ...(xff !== undefined && { xff }),
  env: proxies,
});
const byForwarded = (forwarded: string): From => ({ peer: '127.0.0.1', forwarded, env: forwardedEnv });

const visitor = '203.0.113.9';

test.each<[string, From, string | undefined]>([
  ['who connects', { peer: '198.51.100.7' }, '198.51.100.7'],
  ['who connects, by IPv4 on a socket of IPv6', { peer: '::ffff:198.51.100.7' }, '198.51.100.7'],
  ['who connects, whatever anybody says', { peer: '198.51.100.7', xff: visitor }, '198.51.100.7'],
  ['not said by an untrusted proxy', { peer: '198.51.100.7', xff: visitor, env: proxies }, '198.51.100.7'],
  ['whom the proxy names', byXff(visitor), visitor],
  ['whom the last proxy names, not what stands before', byXff('1.1.1.1, 2.2.2.2, 203.0.113.9'), visitor],
  ['whom the first of several proxies names', byXff('1.1.1.1, 203.0.113.9, 10.1.2.3'), visitor],
  ['an internal one behind trusted ones', byXff('10.9.9.9, 10.1.2.3'), '10.9.9.9'],
  ['one of a private network', byForwarded('for=203.0.113.9, for="[fd00::5]"'), 'fd00:0:0:0:0:0:0:5'],
  ['named by IPv6 in brackets', byXff('[2001:db8::1]:4711'), '2001:db8:0:0:0:0:0:1'],
  ['named as IPv4 in IPv6', { ...byXff('::ffff:cb00:7109'), peer: '::ffff:127.0.0.1' }, visitor],
  ['not read from the other header', { ...byXff(visitor), forwarded: 'for=1.1.1.1' }, visitor],
  ['named by Forwarded', { ...byForwarded('for=203.0.113.9;proto=https'), xff: '1.1.1.1' }, visitor],
  ['in quotes', byForwarded('proto=https; For="[2001:db8::1]:4711" ;by=10.0.0.1'), '2001:db8:0:0:0:0:0:1'],
  ['not hidden behind a quote that nobody closes', byForwarded('for="1.1.1.1, for=203.0.113.9'), visitor],
  ['not hidden by a comma in quotes', byForwarded('for=1.1.1.1, for="203.0.113.9";host="a,b"'), visitor],
  [
    'not named in a quoted Host',
    byForwarded(String.raw`for=203.0.113.9;host="x\", for=1.2.3.4;a=\""`),
    visitor,
  ],
  [
    'named with unnecessary backslashes, and a port',
    byForwarded(String.raw`FOR="203\.0.113.9:_http"`),
    visitor,
  ],
  ...['for=20"3.0.113.9"', 'for="203.0.113."9', 'for=1.1.1.1;for=2.2.2.2', 'for="1.1.1.1', 'x'].map(
    (forwarded): [string, From, string] => [
      `the proxy that wrote ${forwarded}`,
      byForwarded(`for=1.1.1.1, ${forwarded}`),
      '127.0.0.1',
    ],
  ),
  ['the proxy before an invalid Forwarded', byForwarded('for="1.1.1.1", x y, for=10.1.2.3'), '10.1.2.3'],
  ['not hidden behind a quote in X-Forwarded-For', byXff('"1.1.1.1, 203.0.113.9, 10.1.2.3'), visitor],
])('the client is %s', (_, from, client) => expect(read(from, clientOf)).toBe(client));

describe('the client is unknown', () => {
  const silent = { why: 'proxy_silent' };
  const unlisted = (network: string) => ({ why: 'proxy_unlisted', network });
  test.each<[string, From, object]>([
    ['if the runtime does not report it', { peer: '' }, { why: 'no_peer' }],
    ['behind an unnamed proxy', { peer: '172.18.0.2', xff: visitor }, unlisted('172.16.0.0/12')],
    [
      'behind an unnamed one that uses another header',
      { ...byForwarded('for=203.0.113.9'), env: {} },
      unlisted('127.0.0.0/8'),
    ],
    ['if the proxy sends no header', byXff(), silent],
    ['if the proxy uses the other header', { ...byXff(visitor), env: forwardedEnv }, silent],
    ['if the proxy does not know it', byXff('203.0.113.9, unknown'), silent],
    ['if the proxy hides it', byForwarded('for=_hidden'), silent],
    ['if the proxy’s element is empty', byForwarded('for=1.1.1.1, '), silent],
  ])('%s', (_, from, why) => expect(read(from, readClient)).toEqual(why));
});

/** If a proxy writes more than an address, the relay must not use a part of that as an address. */
test.each<From>([
  ...['x[2001:db8::1]', '[2001:db8::1]x', '[2001:db8::1]:80x', '203.0.113.9:80x'].map(byXff),
  ...['for="203.0.113.9 "', 'for='].map(byForwarded),
  // From an internal client, whose address is trusted.
  ...['x, 10.1.2.3', 'unknown, 10.1.2.3', ', 10.1.2.3'].map(byXff),
])('counts as the proxy that wrote it, so that it evades no limit: %j', (from) => {
  const internal = from.xff?.includes('10.1.2.3');
  expect(read(from, clientOf)).toBe(internal ? '10.1.2.3' : '127.0.0.1');
});

test.each(['xfor=203.0.113.9', 'forx=203.0.113.9', 'by=203.0.113.9'].map(byForwarded))(
  'the client is unknown with %j',
  (from) => expect(read(from, readClient)).toEqual({ why: 'proxy_silent' }),
);

test('with `none`, the peer is the client, whatever its headers say', () => {
  expect(read({ peer: '10.0.0.5', xff: '1.1.1.1', env: { TRUSTED_PROXIES: 'none' } }, clientOf)).toBe(
    '10.0.0.5',
  );
});

test('a long header is parsed in linear time', () => {
  const forwarded = `for=a${' '.repeat(200_000)}b`;
  const cpuMs = startCpuClock();
  expect(read(byForwarded(forwarded), clientOf)).toBe('127.0.0.1');
  // A search from each of its spaces took half a minute.
  expect(cpuMs()).toBeLessThan(2_000);
});

const expected = (env: Record<string, string>): string => {
  try {
    readSettings(env);
    return 'fine';
  } catch (error) {
    return error instanceof SettingError ? error.message : String(error);
  }
};

test.each([
  ['127.0.0.1', 'fine'],
  [' 10.0.0.0/8, ::1 ,2001:db8::/32,', 'fine'],
  ['none', 'fine'],
  ['nginx', '"nginx" is not an address or network; write one such as 10.0.0.1 or 10.0.0.0/8'],
  ['10.0.0.0/33', '"10.0.0.0/33" is not an address or network; write one such as 10.0.0.1 or 10.0.0.0/8'],
  ['10.0.0.1/8', '"10.0.0.1/8" is one address of 10.0.0.0/8; write the network, or the address without /8'],
  [
    '0.0.0.0/0',
    '"0.0.0.0/0" matches every address, so any client could forge its own; list only your proxies',
  ],
  ['::1, ::/0', '"::/0" matches every address, so any client could forge its own; list only your proxies'],
  [',', 'no address found; unset it, or write addresses such as 127.0.0.1,10.0.0.0/8, or none'],
])('TRUSTED_PROXIES=%s', (value, says) => {
  const found = expected({ TRUSTED_PROXIES: value });
  expect(found).toBe(says === 'fine' ? says : `TRUSTED_PROXIES: ${says}`);
});

test.each([
  ['X-Forwarded-For', 'fine'],
  ['forwarded', 'fine'],
  ['x-real-ip', 'PROXY_HEADER: expected x-forwarded-for or forwarded'],
  ['x-forwarded-for,forwarded', 'PROXY_HEADER: expected x-forwarded-for or forwarded'],
])('PROXY_HEADER=%s', (value, says) => expect(expected({ PROXY_HEADER: value })).toBe(says));

test('headers are trusted only if the owner says so', () => {
  expect(readSettings({})).toMatchObject({ trustedProxies: undefined, proxyHeader: 'x-forwarded-for' });
  expect(readSettings({ TRUSTED_PROXIES: 'none' }).trustedProxies).toEqual([]);
});
