import { Resolver } from 'node:dns/promises';
import { ClientError, failed } from '../base/client_error.ts';
import type { Resolve4 } from '../base/effects.ts';
import { inTime } from '../base/in_time.ts';

/** EBADNAME: the DNS cannot know such a name. */
const nothing = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];

/** The used part of Node's resolver. */
interface Asked {
  resolve4(name: string): Promise<readonly string[]>;
}

/** The time is for a question with all servers together. */
export async function askFor4(resolver: Asked, name: string, timeoutMs: number): Promise<readonly string[]> {
  const late = failed('timed_out', { timeoutMs });
  try {
    return await inTime(timeoutMs, resolver.resolve4(name), () => {
      throw late;
    });
  } catch (error) {
    if (error instanceof ClientError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (nothing.includes(code)) return [];
    throw code === 'ETIMEOUT' ? late : failed('dns_failed', { code });
  }
}

export const createResolve4 =
  (servers?: readonly string[]): Resolve4 =>
  async (name, timeoutMs) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (servers) resolver.setServers(servers);
    try {
      return await askFor4(resolver, name, timeoutMs);
    } finally {
      // An abandoned question must not keep the process alive.
      resolver.cancel();
    }
  };

export const resolve4: Resolve4 = createResolve4();
