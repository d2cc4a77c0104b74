/** A proposed record allows every server that the old one allowed, and one more. */
import fc from 'fast-check';
import { resolverOf, type Zone } from '../../doctor/test/stage.ts';
import { publicDns } from '../src/dns.ts';
import { checkSpf, spfRecord } from '../src/spf.ts';

const ips = Array.from({ length: 8 }, (_, index) => `192.0.2.${index}`);
const ip = fc.constantFrom(...ips);
const sign = fc.constantFrom('', '+', '?', '~', '-');
const spaces = fc.constantFrom(' ', '  ');

const others: Zone = {
  'some.example': { TXT: ['v=spf1 ip4:192.0.2.0/30 -all'] },
  'more.example': { TXT: ['v=spf1 ip4:192.0.2.6 ~all'] },
  'mail.example': { A: ['192.0.2.5'] },
};
const term = fc.oneof(
  fc.tuple(sign, ip).map(([sign, ip]) => `${sign}ip4:${ip}`),
  fc.tuple(sign, fc.constantFrom('include:some.example', 'a:mail.example')).map((parts) => parts.join('')),
);
const last = fc.constantFrom('-all', '~all', '?all', 'redirect=more.example');
const record = fc
  .tuple(fc.array(term, { maxLength: 5 }), last, spaces)
  .map(([terms, last, space]) => ['v=spf1', ...terms, last].join(space));

const allowed = async (record: string): Promise<readonly string[]> => {
  const dns = await publicDns(resolverOf({ ...others, 'a.example': { TXT: [record] } }));
  const checks = await Promise.all(ips.map((ip) => checkSpf('a.example', ip, dns)));
  if (checks.some(({ result }) => result === 'error')) throw new Error(`"${record}" is not read`);
  return ips.filter((_, index) => checks[index]?.result === 'pass');
};

test('a single record keeps all servers, and adds the new one unless a term rejects it by name', async () => {
  await fc.assert(
    fc.asyncProperty(record, ip, async (old, server) => {
      const now = await allowed(spfRecord([old], `ip4:${server}`));
      const before = await allowed(old);
      expect(now).toEqual(expect.arrayContaining([...before]));
      // An earlier term may reject the new server, too.
      if (!/[?~-](include|a):/.test(old)) expect(now).toContain(server);
    }),
  );
});

test('several records become one, which is read to its end and allows no unknown server', async () => {
  const any = fc.oneof(record, fc.constantFrom('v=spf1 +all', 'v=spf1 all', 'v=spf1'));
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 3 }), async (records) => {
      const merged = spfRecord(records);
      expect(merged).toMatch(/^v=spf1 ([^ ]+ )*([?~-]all|redirect=more\.example)$/);
      await allowed(merged);
    }),
  );
});
