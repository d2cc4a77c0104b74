import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { heapMb } from '../../../test/support/heap.ts';
import {
  clientNetwork,
  isWhole,
  isWithin,
  masked,
  privateNetworkOf,
  readAddress,
  readNetwork,
  writeAddress,
  writeNetwork,
} from '../src/networks.ts';
import { createRates } from '../src/rates.ts';

function must<T>(read: T | undefined): T {
  if (read === undefined) throw new Error('it was not read');
  return read;
}

const addresses = fc.oneof(fc.ipV4(), fc.ipV6());

test('an address is written as it was read', () => {
  fc.assert(
    fc.property(addresses, (text) => {
      const address = must(readAddress(text));
      expect(readAddress(writeAddress(address))).toEqual(address);
      if (isIPv4(text)) expect(writeAddress(address)).toBe(text);
    }),
  );
});

test('an address is in a network exactly if Node agrees', async () => {
  const ofOneFamily = fc.oneof(
    fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    // Similar addresses.
    fc.tuple(fc.ipV4(), fc.constant(''), fc.integer({ min: 0, max: 32 })).map(([one, , bits]) => {
      const last = Number(one.slice(one.lastIndexOf('.') + 1));
      return [one, `${one.slice(0, one.lastIndexOf('.'))}.${last ^ 1}`, bits] as [string, string, number];
    }),
  );
  await holds({ numRuns: 500 }, [ofOneFamily], ([first, other, bits]) => {
    // Node also treats these as IPv4, and then counts the bits differently.
    fc.pre(!/^::|^0:0:0:0:0:/.test(first + other));
    const node = new BlockList();
    node.addSubnet(first, bits, isIPv4(first) ? 'ipv4' : 'ipv6');
    const network = must(readNetwork(`${first}/${bits}`));
    expect(isWithin(must(readAddress(other)), network)).toBe(
      node.check(other, isIPv4(other) ? 'ipv4' : 'ipv6'),
    );
    const whole = { address: masked(network.address, bits), bits };
    expect(isWhole(whole)).toBe(true);
    expect(isWithin(network.address, whole)).toBe(true);
    expect(readNetwork(writeNetwork(whole))).toEqual(whole);
  });
});

describe('the same address', () => {
  test.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['::', '0:0:0:0:0:0:0:0'],
  ])('%s is %s', (text, written) => expect(writeAddress(must(readAddress(text)))).toBe(written));
});

test.each(['', '1.2.3.4 ', ...'1.2.3 1.2.3.4.5 256.1.1.1 01.2.3.4 ::: 1:2 localhost 2001:db8::g'.split(' ')])(
  'not an address: "%s"',
  (text) => expect(readAddress(text)).toBeUndefined(),
);

test.each(
  '10.0.0.0/33 10.0.0.0/ 10.0.0.0/-1 ::/129 ::ffff:10.0.0.0/90 10/8 10.0.0.0/8/8 /8 10.0.0.0/08a'.split(' '),
)('no network: "%s"', (text) => expect(readNetwork(text)).toBeUndefined());

test('an IPv4-mapped network is an IPv4 network', () =>
  expect(readNetwork('::ffff:10.0.0.0/104')).toEqual(readNetwork('10.0.0.0/8')));

test('a client is an IPv4 address, or the /64 of an IPv6 address', () => {
  const name = (text: string) => clientNetwork(must(readAddress(text)));
  expect(name('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(name('2001:db8:0:1::5')).toBe('2001:db8:0:1::/64');
  expect(name('2001:db8:0:1:ffff::5')).toBe(name('2001:db8:0:1::6'));
  expect(name('2001:db8:0:2::5')).not.toBe(name('2001:db8:0:1::5'));
});

test.each([
  ...'127.0.0.1 10.255.255.255 172.31.0.1 192.168.0.1 100.64.0.1 169.254.169.254'.split(' '),
  ...'::1 fd00::1 fe80::1%2 ::ffff:10.0.0.1'.split(' '),
])('%s is in a private network', (text) => expect(privateNetworkOf(must(readAddress(text)))).toBeDefined());

test.each('172.32.0.1 192.169.0.1 100.128.0.1 11.0.0.1 ::2 2001:db8::1 fec0::1'.split(' '))(
  '%s is not',
  (text) => expect(privateNetworkOf(must(readAddress(text)))).toBeUndefined(),
);

const limit = { most: 3, withinMs: 1_000 };

test('every client gets the same result as from a list of all its times', async () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.nat(600), client: fc.constantFrom('a', 'b'), isTakenBack: fc.boolean() }),
    { maxLength: 60 },
  );
  await holds(10, [steps], (all) => {
    let at = 1_000_000;
    const rates = createRates(() => at);
    const came: { client: string; at: number }[] = [];
    for (const { afterMs, client, isTakenBack } of all) {
      at += afterMs;
      const recent = came.filter((one) => one.client === client && one.at > at - limit.withinMs);
      const taken = rates.take(client, limit);
      if (recent.length >= limit.most) {
        expect(taken).toEqual({ waitMs: (recent[0]?.at ?? 0) + limit.withinMs - at });
      } else if ('undo' in taken) {
        if (isTakenBack) taken.undo();
        else came.push({ client, at });
      } else {
        expect.fail('there was room');
      }
    }
  });
});

test('memory is bounded for any number of clients', () => {
  let at = 1_000_000;
  const rates = createRates(() => at);
  const before = heapMb();
  let most = 0;
  for (let client = 0; client < 300_000; client += 1) {
    at += 0.2;
    rates.take(`contact\0${client}`, { most: 5, withinMs: 600_000 });
    if (client % 100_000 === 99_999) most = Math.max(most, heapMb() - before);
  }
  expect(most).toBeLessThan(45);
  // The most recent client is still known.
  for (let times = 0; times < 4; times += 1) rates.take('contact\x00299999', { most: 5, withinMs: 600_000 });
  expect(rates.take('contact\x00299999', { most: 5, withinMs: 600_000 })).toHaveProperty('waitMs');
});
