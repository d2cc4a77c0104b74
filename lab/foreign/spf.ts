/** Test vectors of openspf.org for RFC 7208 (Debian's `python3-spf`) for the SPF check of `relay doctor`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadAll } from 'js-yaml';
import { ClientError } from '../../packages/base/src/client_error.ts';
import type { Resolver } from '../../packages/core/src/command.ts';
import { publicDns } from '../../packages/mail-dns/src/dns.ts';
import { checkSpf } from '../../packages/mail-dns/src/spf.ts';
import { tempFolder } from '../../scripts/machine.ts';
import { downloadDebian } from './debian.ts';
import { type Suite, tally } from './suite.ts';

type Entry = 'TIMEOUT' | Readonly<Record<string, unknown>>;

interface Section {
  readonly description: string;
  readonly tests: Readonly<Record<string, Vector>>;
  readonly zonedata: Readonly<Record<string, readonly Entry[]>>;
}

interface Vector {
  readonly helo: string;
  readonly host: string;
  readonly mailfrom: string;
  readonly result: string | readonly string[];
}

export const spf: Suite = async () => {
  const folder = tempFolder('foreign');
  await downloadDebian('python3-spf', folder);
  const file = join(folder, 'usr/share/doc/python3-spf/rfc7208-tests.yml.gz');
  const { compare, outcome } = tally();
  for (const section of loadAll(gunzipSync(await readFile(file)).toString()) as readonly Section[]) {
    const dns = await publicDns(resolverOf(section.zonedata));
    for (const [name, vector] of Object.entries(section.tests)) {
      const expected = [vector.result].flat();
      const found = await resultOf(vector, dns);
      compare(
        `${section.description}: ${name}`,
        expected.includes(found) ? found : expected.join(' or '),
        found,
      );
    }
  }
  return outcome();
};

async function resultOf({ helo, host, mailfrom }: Vector, dns: Awaited<ReturnType<typeof publicDns>>) {
  const domain = mailfrom ? mailfrom.slice(mailfrom.lastIndexOf('@') + 1) : helo;
  try {
    const { result } = await checkSpf(domain, String(host), dns);
    return result === 'error' ? 'permerror' : result;
  } catch (error) {
    if (error instanceof ClientError) return 'temperror';
    throw error;
  }
}

const failed = (code: string) => Object.assign(new Error(code), { code });

/** A DNS resolver for a section's records. `SPF` replaces a missing TXT record; aliases are followed. */
function resolverOf(zone: Section['zonedata']): Resolver {
  const entries = new Map(Object.entries(zone).map(([name, all]) => [name.toLowerCase(), all]));
  const recordsOf = async (asked: string, type: string): Promise<unknown[]> => {
    const all = entries.get(asked.toLowerCase().replace(/\.$/, ''));
    if (!all) throw failed('ENOTFOUND');
    const records = all.filter((one) => one !== 'TIMEOUT');
    const of = (wanted: string) => records.flatMap((one) => (wanted in one ? [one[wanted]] : []));
    const [alias] = of('CNAME');
    if (typeof alias === 'string') return recordsOf(alias, type);
    const own = of(type);
    const found = own.length > 0 || type !== 'TXT' ? own : of('SPF');
    const kept = found.filter((one) => one !== 'NONE');
    if (kept.length > 0) return kept;
    throw failed(all.includes('TIMEOUT') ? 'ETIMEOUT' : 'ENODATA');
  };
  return {
    resolve4: async (name) => (await recordsOf(name, 'A')).map(String),
    resolve6: async (name) => (await recordsOf(name, 'AAAA')).map(String),
    resolveCname: async (name) => (await recordsOf(name, 'CNAME')).map(String),
    resolveMx: async (name) =>
      (await recordsOf(name, 'MX')).map((record) => {
        const [priority, exchange] = record as [number, string];
        return { priority, exchange };
      }),
    resolveNs: async () => ['a.gtld-servers.net'],
    resolveTxt: async (name) => (await recordsOf(name, 'TXT')).map((text) => [text].flat().map(String)),
  };
}
