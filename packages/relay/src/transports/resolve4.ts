import { Resolver } from 'node:dns/promises';
import { ClientError, failed } from '../base/client_error.ts';
import type { Resolve4 } from '../base/effects.ts';
import { inTime } from '../base/in_time.ts';

/** EBADNAME: no name that the DNS could know. */
const nothing = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];

/** What of Node's resolver is used. */
interface Asked {
  resolve4(name: string): Promise<readonly string[]>;
}

/** Each question has the time once, however many servers are asked. */
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
      // A question that was given up must not keep the process alive.
      resolver.cancel();
    }
  };

export const resolve4: Resolve4 = createResolve4();
