import { ClientError, failed } from '@form-relay/relay/base/client_error';
import { type Diagnosis, warning } from '@form-relay/relay/base/diagnosis';
import type { Resolver } from './world.ts';

/** Answers of the DNS; nothing is an empty list. Each rejects with a `ClientError` when the DNS does not answer. */
export interface Dns {
  /** IPv4 and IPv6. */
  addresses(name: string): Promise<readonly string[]>;
  /** The hosts that take a domain's mail, most wanted first; a null MX (RFC 7505) is the empty name. */
  mailHosts(name: string): Promise<readonly string[]>;
  texts(name: string): Promise<readonly string[]>;
  aliases(name: string): Promise<readonly string[]>;
}

/**
 * The public DNS. Rejects when the resolver knows no `com`: to one without a way out of its network, every domain would
 * look as if it did not exist.
 */
export async function publicDns(resolver: Resolver): Promise<Dns> {
  const known = await asked(resolver.resolveNs('com'));
  if (known.length === 0) throw failed('dns_isolated');
  return {
    addresses: async (name) => {
      const [four, six] = await Promise.all([asked(resolver.resolve4(name)), asked(resolver.resolve6(name))]);
      return [...four, ...six];
    },
    mailHosts: async (name) =>
      (await asked(resolver.resolveMx(name)))
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange),
    texts: async (name) => (await asked(resolver.resolveTxt(name))).map((pieces) => pieces.join('')),
    aliases: (name) => asked(resolver.resolveCname(name)),
  };
}

/** EBADNAME: no name that the DNS could know, such as one with an empty label. */
const nothing = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];

async function asked<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code && nothing.includes(code)) return [];
    throw failed('dns_failed', { code: code ?? 'unknown' });
  }
}

/** What was found by asking, or a warning that the DNS did not answer. */
export async function byAsking(
  subject: string,
  ask: () => Promise<readonly Diagnosis[]>,
): Promise<readonly Diagnosis[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const remedy = 'Run relay doctor on a machine that can ask the public DNS.';
    return [warning(subject, `not looked at: ${error.message}`, remedy)];
  }
}
