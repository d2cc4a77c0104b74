import { ClientError, failures } from '@form-relay/base/client_error';
import { type Finding, warning } from '@form-relay/base/finding';
import type { Resolver } from '@form-relay/core/command';

const failed = failures({
  dns_isolated: 'the DNS of this machine does not resolve public names',
  dns_failed: ({ code }: { code: string }) => `the DNS does not respond (${code})`,
});

/** DNS lookups. Each returns an empty list if nothing is found, and rejects with a `ClientError` if the DNS does not respond. */
export interface Dns {
  /** IPv4 and IPv6 addresses, or only those of one version. */
  addresses(name: string, version?: 4 | 6): Promise<readonly string[]>;
  /** The hosts that receive a domain's mail, in order of preference. A null MX (RFC 7505) is the empty name. */
  mailHosts(name: string): Promise<readonly string[]>;
  texts(name: string): Promise<readonly string[]>;
  aliases(name: string): Promise<readonly string[]>;
}

/**
 * The public DNS. Rejects with a `ClientError` if the resolver does not know `com`: in a network without
 * internet access, no domain would seem to exist.
 */
export async function publicDns(resolver: Resolver): Promise<Dns> {
  const known = await answered(resolver.resolveNs('com'));
  if (known.length === 0) throw failed('dns_isolated');
  return {
    addresses: async (name, version) => {
      const [four, six] = await Promise.all([
        version === 6 ? [] : answered(resolver.resolve4(name)),
        version === 4 ? [] : answered(resolver.resolve6(name)),
      ]);
      return [...four, ...six];
    },
    mailHosts: async (name) =>
      (await answered(resolver.resolveMx(name)))
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange),
    texts: async (name) => (await answered(resolver.resolveTxt(name))).map((strings) => strings.join('')),
    aliases: (name) => answered(resolver.resolveCname(name)),
  };
}

/** EBADNAME: the name is invalid in the DNS, for example because it has an empty label. */
const codesForNothing = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];

async function answered<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code && codesForNothing.includes(code)) return [];
    throw failed('dns_failed', { code: code ?? 'unknown' });
  }
}

/** Returns what `ask` finds, or a warning that the DNS did not respond. */
export async function byAsking(
  subject: string,
  ask: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const remedy = 'Run relay doctor on a machine with public DNS.';
    return [warning(subject, `not checked: ${error.message}`, remedy)];
  }
}
