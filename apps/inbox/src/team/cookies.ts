import { randomUUID } from 'node:crypto';
import { seal, unseal } from '@form-relay/base/seal';
import type { Pending } from './provider.ts';

/** The cookies of an inbox at this address. */
export function cookiesOf(url: URL) {
  const isSecure = url.protocol === 'https:';
  // Cookies ignore ports, and http:// is for tests on this machine, which may run several.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : `${name}-${url.port}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (name: 'inbox' | 'sign-in', header = ''): string | undefined => {
      const start = `${nameOf(name)}=`;
      const found = header
        .split(';')
        .map((one) => one.trim())
        .find((one) => one.startsWith(start));
      return found?.slice(start.length);
    },
    write: (name: 'inbox' | 'sign-in', value: string, forMs: number): string =>
      `${nameOf(name)}=${value}; Max-Age=${Math.floor(forMs / 1000)}; ${attributes}`,
    clear: (name: 'inbox' | 'sign-in'): string => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
  };
}

/** How long a person may take at the provider. */
export const pendingMs = 600_000;

/** A sign-in that has begun waits sealed in the cookie of its browser, so a flood of them takes no memory. */
export function createSealedCookie(now: () => number) {
  const secret = randomUUID();
  return {
    seal(pending: Pending): string {
      const text = JSON.stringify({ ...pending, until: now() + pendingMs });
      return seal(secret, 'sign-in', '', Buffer.from(text), randomUUID());
    },
    /** `undefined` for anything that this process has not sealed, or that is too old. */
    open(cookie: string): Pending | undefined {
      const text = unseal(secret, 'sign-in', '', cookie);
      const { until, ...pending } = text ? JSON.parse(Buffer.from(text).toString()) : { until: 0 };
      return now() < until ? pending : undefined;
    },
  };
}
