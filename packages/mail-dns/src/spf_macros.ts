import { isIPv6 } from 'node:net';

export interface MacroContext {
  /** The domain whose record is read. */
  readonly domain: string;
  /** The domain of the sender, whose record was read first. */
  readonly sender: string;
  readonly ip: string;
}

const maxNameLength = 253;

/** Writes out the macros of a domain (RFC 7208, 7); `undefined` if one stands for what only receivers know. */
export function expandMacros(text: string, about: MacroContext): string | undefined {
  let isUnknown = false;
  const name = text.replaceAll(
    /%(?:([%_-])|\{(\w)(\d*)(r?)([^}]*)\})/gi,
    (_, sign: string | undefined, letter = '', digits = '', reversed = '', delimiters = '') => {
      if (sign) return { '%': '%', _: ' ', '-': '%20' }[sign] ?? '';
      const value = knownValue(letter.toLowerCase(), about);
      if (value === undefined) isUnknown = true;
      const parts = (value ?? '').split(new RegExp(`[${escaped(delimiters || '.')}]`));
      if (reversed !== '') parts.reverse();
      const kept = parts.slice(-(Number(digits) || parts.length)).join('.');
      return letter === letter.toUpperCase() ? encodeURIComponent(kept) : kept;
    },
  );
  if (isUnknown) return undefined;
  // Too long a name loses labels from its left.
  let short = name.replace(/\.$/, '').toLowerCase();
  while (short.length > maxNameLength) short = short.slice(short.indexOf('.') + 1);
  return short;
}

const escaped = (delimiters: string) => delimiters.replaceAll(/[-/\\\]^]/g, '\\$&');

function knownValue(letter: string, { domain, sender, ip }: MacroContext): string | undefined {
  if (letter === 'd') return domain;
  if (letter === 'o') return sender;
  if (letter === 'v') return isIPv6(ip) ? 'ip6' : 'in-addr';
  return letter === 'i' ? dotted(ip) : undefined;
}

/** An IPv6 address as its 32 digits. */
function dotted(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.replace(/[\d.]+$/, inHex).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return [...all.map((group) => group.padStart(4, '0')).join('')].join('.');
}

/** The last 32 bits, which may be written as IPv4. */
function inHex(four: string): string {
  if (!four.includes('.')) return four;
  const [a = 0, b = 0, c = 0, d = 0] = four.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
