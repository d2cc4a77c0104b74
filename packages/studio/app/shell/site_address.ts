/** The address at which visitors reach the relay, which goes into all that an owner copies. */
import { signal } from '@preact/signals';
import { state } from '../store.ts';

const key = 'relay-url';

const typed = signal(localStorage.getItem(key) || undefined);

/** As typed now or last time, or else PUBLIC_URL. */
export const addressText = (): string => typed.value ?? state.value?.publicUrl ?? '';

export function typeAddress(text: string): void {
  typed.value = text;
  if (text === '' || readAddress(text).origin) localStorage.setItem(key, text);
}

interface ReadAddress {
  readonly origin?: string;
  readonly problem?: string;
}

/** Neither is there while nothing wrong is typed yet. */
export function readAddress(text: string): ReadAddress {
  if (['http://', 'https://'].some((start) => start.startsWith(text))) return {};
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  // Some browsers escape a space in a host.
  if (!url || url.hostname.includes('%'))
    return { problem: 'Write the whole address, such as https://forms.example.com.' };
  const { origin, protocol, hostname, username, password } = url;
  if (username || password)
    return { problem: 'Leave out the user name and the password: visitors would see them.' };
  if (url.href !== `${origin}/`) return { problem: `Leave out what follows the host: ${origin}` };
  if (protocol === 'http:' && !isLocal.test(hostname))
    return { problem: 'Use https: over http, others can read what visitors send.' };
  return { origin };
}

/** Hosts that the public internet does not have: names without a domain or of a local one, and private networks (RFC 1918, 4193). */
const isLocal =
  /^(?:[\w-]+|.+\.(?:localhost|local|internal|lan|home\.arpa)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].+)\])$/;
