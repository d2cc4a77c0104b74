import { describe, expect, test } from 'vitest';
import { publicDns } from '../../packages/mail-dns/src/dns.ts';
import { readSpf } from '../../packages/mail-dns/src/spf.ts';
import { err, ok } from '../../packages/relay/src/base/result.ts';
import { resolverOf, type Zone } from './stage.ts';

const spf = (...TXT: string[]) => ({ TXT });

const read = async (zone: Zone) => readSpf('a.example', await publicDns(resolverOf(zone)));

describe('what a policy says of 192.0.2.1', () => {
  const zone: Zone = {
    'mail.example': { A: ['192.0.2.9', '192.0.2.1'] },
    'mx.example': { MX: ['mail.example'] },
    'yes.example': spf('v=spf1 ip4:192.0.2.0/24 -all'),
    'no.example': spf('v=spf1 -all'),
    'macro.example': spf('v=spf1 exists:%{i}.list.example -all'),
  };
  test.each([
    ['v=spf1 -all', 'fail'],
    ['v=spf1 ~all', 'softfail'],
    ['v=spf1 ?all', 'neutral'],
    ['v=spf1', 'neutral'],
    ['V=SPF1 IP4:192.0.2.1 -ALL', 'pass'],
    ['v=spf1 ip4:192.0.2.1 -all', 'pass'],
    ['v=spf1 ip4:192.0.2.2 -all', 'fail'],
    ['v=spf1  ip4:192.0.0.0/16  -all', 'pass'],
    ['v=spf1 ip6:2001:db8::/32 -all', 'fail'],
    ['v=spf1 -ip4:192.0.2.1 +all', 'fail'],
    ['v=spf1 a -all', 'fail'],
    ['v=spf1 a:mail.example -all', 'pass'],
    ['v=spf1 a:mail.example/24//64 -all', 'pass'],
    ['v=spf1 mx:mx.example -all', 'pass'],
    ['v=spf1 include:yes.example -all', 'pass'],
    ['v=spf1 include:no.example ~all', 'softfail'],
    ['v=spf1 include:macro.example -all', 'unknown'],
    ['v=spf1 ip4:192.0.2.1 include:macro.example -all', 'pass'],
    ['v=spf1 ptr -all', 'unknown'],
    ['v=spf1 redirect=yes.example', 'pass'],
    ['v=spf1 redirect=yes.example -all', 'fail'],
    ['v=spf1 exp=why.example -all', 'fail'],
  ])('%s: %s', async (record, verdict) => {
    const policy = await read({ ...zone, 'a.example': spf('google-site-verification=x', record) });
    expect(policy.ok && policy.value?.verdictOn('192.0.2.1')).toBe(verdict);
  });
});

test('IPv6 has networks of its own', async () => {
  const policy = await read({ 'a.example': spf('v=spf1 ip6:2001:db8::/32 ip6:2001:db9::1 -all') });
  const { verdictOn } = (policy.ok && policy.value) || expect.unreachable('there is no policy');
  expect(['2001:db8:1::2', '2001:db9::1', '2001:db9::2'].map(verdictOn)).toEqual(['pass', 'pass', 'fail']);
});

const includes = (count: number) =>
  `v=spf1 ${Array.from({ length: count }, (_, index) => `include:i${index}.example`).join(' ')} -all`;
const included = Object.fromEntries(
  Array.from({ length: 11 }, (_, index) => [`i${index}.example`, spf('v=spf1 ip4:192.0.2.0/24 -all')]),
);

test.each<[string, Zone, RegExp]>([
  ['two records', { 'a.example': spf('v=spf1 -all', 'v=spf1 ~all') }, /a\.example has 2 SPF records/],
  [
    'a term that is none',
    { 'a.example': spf('v=spf1 ipv4:192.0.2.1 -all') },
    /"ipv4:192\.0\.2\.1" is not an SPF term/,
  ],
  [
    'an address that is none',
    { 'a.example': spf('v=spf1 ip4:192.0.2 -all') },
    /"ip4:192\.0\.2" is not a network/,
  ],
  ['a network that is none', { 'a.example': spf('v=spf1 ip4:192.0.2.0/33 -all') }, /not a network/],
  [
    'an include of nothing',
    { 'a.example': spf('v=spf1 include:b.example -all') },
    /"include:b\.example" leads to no/,
  ],
  ['11 lookups', { ...included, 'a.example': spf(includes(11)) }, /more than 10 DNS lookups/],
  ['a circle', { 'a.example': spf('v=spf1 include:a.example -all') }, /more than 10 DNS lookups/],
  ['a circle of redirects', { 'a.example': spf('v=spf1 redirect=a.example') }, /more than 10 DNS lookups/],
])('%s is an error to receivers', async (_, zone, why) => {
  expect(await read(zone)).toEqual(err(expect.stringMatching(why)));
});

test('10 lookups are allowed', async () => {
  expect(await read({ ...included, 'a.example': spf(includes(10)) })).toEqual(ok(expect.anything()));
});

test.each([
  ['v=spf1 +all', true],
  ['v=spf1 mx all', true],
  ['v=spf1 mx ~all', false],
])('%s allows everybody: %s', async (record, allowsAll) => {
  expect(await read({ 'a.example': spf(record) })).toMatchObject({ value: { allowsAll } });
});

test('no record is none', async () => {
  expect(await read({ 'a.example': spf('v=spf10 -all', 'spf2.0/pra -all') })).toEqual(ok(undefined));
});
