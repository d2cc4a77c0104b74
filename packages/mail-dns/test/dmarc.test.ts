import { expect, test } from 'vitest';
import { resolverOf } from '../../doctor/test/stage.ts';
import { readDmarc } from '../src/dmarc.ts';
import { publicDns } from '../src/dns.ts';

/** The policy for a domain, where `_dmarc` of other domains has these records. */
const policyOf = async (domain: string, records: Readonly<Record<string, string | readonly string[]>>) => {
  const zone = Object.entries(records).map(([name, text]) => [`_dmarc.${name}`, { TXT: [text].flat() }]);
  return readDmarc(domain, await publicDns(resolverOf(Object.fromEntries(zone))));
};

test.each<[string, string, Record<string, string | string[]>, object | undefined]>([
  [
    'its own record',
    'a.example',
    { 'a.example': 'v=DMARC1; p=reject' },
    { at: 'a.example', policy: 'reject' },
  ],
  ['none for a version in small letters', 'a.example', { 'a.example': 'v=dmarc1; p=reject' }, undefined],
  ['none', 'a.example', {}, undefined],
  ['none of two', 'a.example', { 'a.example': ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] }, undefined],
  [
    'to watch only, without p',
    'a.example',
    { 'a.example': 'v=DMARC1; rua=mailto:x@a.example' },
    { policy: 'none' },
  ],
  [
    "the organization's",
    'x.y.a.example',
    { 'a.example': 'v=DMARC1; p=reject' },
    { at: 'a.example', policy: 'reject' },
  ],
  [
    'no higher than an organization that says it is one',
    'x.y.a.example',
    { 'y.a.example': 'v=DMARC1; p=none; psd=n', 'a.example': 'v=DMARC1; p=reject' },
    { at: 'y.a.example' },
  ],
  [
    'one below a public suffix',
    'x.a.bank',
    { 'a.bank': 'v=DMARC1; p=quarantine', bank: 'v=DMARC1; p=reject; psd=y' },
    { at: 'a.bank', policy: 'quarantine' },
  ],
  [
    'that of the public suffix, where nothing else is',
    'a.bank',
    { bank: 'v=DMARC1; p=reject; psd=y' },
    { at: 'bank', policy: 'reject' },
  ],
])('%s', async (_, domain, records, expected) => {
  const found = await policyOf(domain, records);
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeUndefined();
});

test('a name of many labels takes eight questions', async () => {
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
  // RFC 9989, 4.10: the example of a long name.
  expect(lookups).toEqual([
    '_dmarc.a.b.c.d.e.f.g.h.i.j.mail.example.com',
    '_dmarc.g.h.i.j.mail.example.com',
    '_dmarc.h.i.j.mail.example.com',
    '_dmarc.i.j.mail.example.com',
    '_dmarc.j.mail.example.com',
    '_dmarc.mail.example.com',
    '_dmarc.example.com',
    '_dmarc.com',
  ]);
});
