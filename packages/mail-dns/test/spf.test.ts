import { resolverOf, type Zone } from '../../doctor/test/stage.ts';
import { readDmarc } from '../src/dmarc.ts';
import { publicDns } from '../src/dns.ts';
import { checkSpf } from '../src/spf.ts';

const spf = (...TXT: string[]) => ({ TXT });

const check = async (zone: Zone, ip = '192.0.2.1') =>
  checkSpf('a.example', ip, await publicDns(resolverOf(zone)));

describe('a policy’s verdict on 192.0.2.1', () => {
  const zone: Zone = {
    'mail.example': { A: ['192.0.2.9', '192.0.2.1'] },
    'mx.example': { MX: ['mail.example'] },
    'yes.example': spf('v=spf1 ip4:192.0.2.0/24 -all'),
    'no.example': spf('v=spf1 -all'),
    'macro.example': spf('v=spf1 exists:%{l}.list.example -all'),
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
    const { result } = await check({ ...zone, 'a.example': spf('google-site-verification=x', record) });
    expect(result).toBe(verdict);
  });
});

describe('an address of the other IP version never matches (RFC 7208, 5)', () => {
  const zone: Zone = { 'four.example': { A: ['192.0.2.1'] }, 'six.example': { AAAA: ['2001:db8::1'] } };
  test.each([
    ['2001:db8:1::2', 'v=spf1 ip6:2001:db8::/32 -all', 'pass'],
    ['2001:db9::2', 'v=spf1 ip6:2001:db8::/32 -all', 'fail'],
    ['192.0.2.1', 'v=spf1 ip6:::/0 -all', 'fail'],
    ['2001:db8::1', 'v=spf1 ip4:0.0.0.0/0 -all', 'fail'],
    ['192.0.2.1', 'v=spf1 a:six.example//0 -all', 'fail'],
    ['2001:db8::7', 'v=spf1 a:six.example//0 -all', 'pass'],
    ['2001:db8::7', 'v=spf1 a:six.example/0 -all', 'fail'],
    ['192.0.2.9', 'v=spf1 a:four.example/0 -all', 'pass'],
    ['::ffff:192.0.2.1', 'v=spf1 ip4:192.0.2.1 -all', 'pass'],
  ])('%s: %s: %s', async (ip, record, verdict) =>
    expect((await check({ ...zone, 'a.example': spf(record) }, ip)).result).toBe(verdict),
  );
});

describe('macros that the DNS and the address can resolve (RFC 7208, 7)', () => {
  const yes = { A: ['127.0.0.2'] };
  test.each([
    ['%{d}.list.example', 'a.example.list.example'],
    ['%{i}.list.example', '192.0.2.1.list.example'],
    ['%{ir}.%{v}.list.example', '1.2.0.192.in-addr.list.example'],
    ['%{d1}.%{o}.list.example', 'example.a.example.list.example'],
    ['%{d1r}.list.example', 'a.list.example'],
    ['a%%b%-c.list.example', 'a%b%20c.list.example'],
  ])('%s', async (macro, name) => {
    const record = `v=spf1 exists:${macro} -all`;
    expect((await check({ 'a.example': spf(record), [name]: yes })).result).toBe('pass');
  });

  test('the digits of an IPv6 address', async () => {
    const digits = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2';
    const zone = {
      'a.example': spf('v=spf1 exists:%{ir}.list.example -all'),
      [`${digits}.list.example`]: yes,
    };
    expect((await check(zone, '2001:db8::1')).result).toBe('pass');
  });

  test.each(['v=spf1 redirect=%{d}._spf.example', 'v=spf1 include:%{d}._spf.example -all'])(
    '%s',
    async (record) => {
      const zone = { 'a.example': spf(record), 'a.example._spf.example': spf('v=spf1 ip4:192.0.2.1 -all') };
      expect((await check(zone)).result).toBe('pass');
    },
  );
});

describe('a mistake anywhere is an error, even after a matching term (RFC 7208, 4.6)', () => {
  test.each([
    ...['-all:x', 'all/8', '-all.', 'al', 'ip4', 'ip4:', 'ip4:192.0.2.0/33', 'ip4:192.0.2.0/08'],
    ...['ip4:192.0.2.1//32'],
    ...['ip4:192.0.2', 'ip4:2001:db8::', 'ip6:192.0.2.1', 'ip6:2001:db8::/129', 'ip6:2001:db8::z', 'ip6'],
    ...['a:', 'a/33', 'a//129', 'a/', 'a:192.0.2.9', 'a:b', 'a:b.example/', 'a:b.example:80', 'mx:'],
    ...['mx:b.e-', 'mx//'],
    ...['include', 'include:', 'include:b.example/24', 'include:b', 'exists', 'exists:', 'exists:%{i'],
    ...['exists:b.example/24'],
    ...['ptr:', 'ptr/8', 'ptr:b.1', 'a:%{z}.b.example', 'a:%{c}.b.example', 'a:%{d0}.b.example'],
    ...['a:%x.b.example', 'a:%'],
    ...['redirect=', 'redirect=b', 'redirect:b.example', 'exp=', 'exp=b', '1x=y', '=y', 'unknown=%'],
    ...['+redirect=b.example'],
    'redirect=b.example redirect=b.example',
    'exp=b.example exp=c.example',
    '++a',
    'ip4:192.0.2.2\t-all',
    'a:ä.example',
  ])('%s', async (term) => {
    const zone = { 'a.example': spf(`v=spf1 ip4:192.0.2.1 ${term}`), 'b.example': spf('v=spf1 -all') };
    expect(await check(zone)).toMatchObject({
      result: 'error',
      why: expect.stringMatching(/SPF term|appears twice/),
    });
  });

  test.each([
    ...['a:b.example./24//64', 'mx/24', 'a:x-1.e-1', 'ptr', 'ptr:b.example', 'exists:%{l1r-}.%{d2}'],
    ...['include:_spf.%{d}'],
    ...['all=', 'moo=', 'moo.k-1_=%{c}%%', 'exp=%{d}', 'redirect=%{d}.b.example', '?ALL'],
    ...['ip6:::ffff:192.0.2.1', 'ip6:::1/128'],
  ])('%s is no SPF record', async (term) =>
    expect((await check({ 'a.example': spf(`v=spf1 ip4:192.0.2.1  ${term} `) })).result).toBe('pass'),
  );
});

describe('limits (RFC 7208, 4.6.4)', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index}.example`);
  const found = Object.fromEntries(names(11).map((name) => [name, { A: ['192.0.2.9'] }]));
  test.each<[string, Zone, string]>([
    [
      'three names that lead to nothing',
      { 'a.example': spf('v=spf1 a:x.b.example a:y.b.example exists:z.b.example ip4:192.0.2.1') },
      'error',
    ],
    ['two of them', { 'a.example': spf('v=spf1 a:x.b.example mx:y.b.example ip4:192.0.2.1') }, 'pass'],
    ['eleven mail servers', { ...found, 'a.example': { MX: names(11), TXT: ['v=spf1 mx -all'] } }, 'error'],
    ['ten mail servers', { ...found, 'a.example': { MX: names(10), TXT: ['v=spf1 mx -all'] } }, 'fail'],
    [
      'eleven lookups, of which the first matches',
      {
        ...found,
        'm0.example': { A: ['192.0.2.1'] },
        'a.example': spf(
          `v=spf1 ${names(11)
            .map((name) => `a:${name}`)
            .join(' ')}`,
        ),
      },
      'pass',
    ],
  ])('%s: %s', async (_, zone, result) => expect((await check(zone)).result).toBe(result));
});

const includes = (count: number) =>
  `v=spf1 ${Array.from({ length: count }, (_, index) => `include:i${index}.example`).join(' ')} -all`;
const included = Object.fromEntries(
  Array.from({ length: 11 }, (_, index) => [`i${index}.example`, spf('v=spf1 ip4:198.51.100.0/24 -all')]),
);

test.each<[string, Zone, RegExp]>([
  ['two records', { 'a.example': spf('v=spf1 -all', 'v=spf1 ~all') }, /a\.example has 2 SPF records/],
  ['a term that is none', { 'a.example': spf('v=spf1 ipv4:192.0.2.1 -all') }, /"ipv4:192\.0\.2\.1" is not/],
  ['include of nothing', { 'a.example': spf('v=spf1 include:b.example -all') }, /include:b\.example" points/],
  ['11 lookups', { ...included, 'a.example': spf(includes(11)) }, /more than 10 DNS lookups/],
  ['a circle', { 'a.example': spf('v=spf1 include:a.example -all') }, /more than 10 DNS lookups/],
  ['a circle of redirects', { 'a.example': spf('v=spf1 redirect=a.example') }, /more than 10 DNS lookups/],
])('%s is an error to receivers', async (_, zone, why) =>
  expect(await check(zone)).toMatchObject({ result: 'error', why: expect.stringMatching(why) }),
);

test('10 lookups are allowed', async () =>
  expect((await check({ ...included, 'a.example': spf(includes(10)) })).result).toBe('fail'));

test('a missing record is no policy', async () => {
  const zone = { 'a.example': spf('v=spf10 -all', 'spf2.0/pra -all', ' v=spf1 -all', 'v=spf1\t-all') };
  expect((await check(zone)).result).toBe('none');
});

/** The DMARC policy of a domain, if the `_dmarc` names have these records. */
const policyOf = async (domain: string, records: Readonly<Record<string, string | readonly string[]>>) => {
  const zone = Object.entries(records).map(([name, text]) => [`_dmarc.${name}`, { TXT: [text].flat() }]);
  return readDmarc(domain, await publicDns(resolverOf(Object.fromEntries(zone))));
};

const a = 'a.example';
const reject = 'v=DMARC1; p=reject';
test.each<[string, string, Record<string, string | string[]>, object | undefined]>([
  ['its own', a, { [a]: reject }, { at: a, policy: 'reject' }],
  ['none for a version in small letters', a, { [a]: 'v=dmarc1; p=reject' }, undefined],
  ['none', a, {}, undefined],
  ['none of two', a, { [a]: [reject, 'v=DMARC1; p=none'] }, undefined],
  ['to watch only, without p', a, { [a]: 'v=DMARC1; rua=mailto:x@a.example' }, { policy: 'none' }],
  ["the organization's", 'x.y.a.example', { [a]: reject }, { at: a, policy: 'reject' }],
  [
    'none above `psd=n`',
    `x.y.${a}`,
    { [`y.${a}`]: 'v=DMARC1; p=none; psd=n', [a]: reject },
    { at: `y.${a}` },
  ],
  ['one below a public suffix', 'x.a.bank', { 'a.bank': reject, bank: `${reject}; psd=y` }, { at: 'a.bank' }],
  [
    'that of the public suffix, where nothing else is',
    'a.bank',
    { bank: `${reject}; psd=y` },
    { at: 'bank' },
  ],
])('%s', async (_, domain, records, expected) => {
  const found = await policyOf(domain, records);
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeUndefined();
});

test('a name with many labels takes eight lookups', async () => {
  const lookups: string[] = [];
  const resolver = resolverOf({});
  const dns = await publicDns({
    ...resolver,
    resolveTxt: (name) => {
      lookups.push(name);
      return resolver.resolveTxt(name);
    },
  });
  await readDmarc('a.b.c.d.e.f.g.h.i.j.mail.example.com', dns);
  // The example of a long name in RFC 9989, 4.10.
  expect(lookups).toEqual([
    ...['_dmarc.a.b.c.d.e.f.g.h.i.j.mail.example.com', '_dmarc.g.h.i.j.mail.example.com'],
    ...['_dmarc.h.i.j.mail.example.com', '_dmarc.i.j.mail.example.com', '_dmarc.j.mail.example.com'],
    ...['_dmarc.mail.example.com', '_dmarc.example.com', '_dmarc.com'],
  ]);
});
