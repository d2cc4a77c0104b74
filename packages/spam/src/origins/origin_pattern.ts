import { parseUrl } from '@form-relay/base/url';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import type { Schema } from '@form-relay/schema/schema';

/** Pages of an origin (RFC 6454), or of all hosts below a domain. */
export interface OriginPattern {
  /** As written. */
  readonly source: string;
  matches(url: URL): boolean;
}

/** `https://example.com`, or `https://*.example.com` for all hosts below it. */
export const originPattern = (): Schema<OriginPattern> =>
  textSchema<OriginPattern>(
    (source, at) => {
      const isOpen = openHost.test(source);
      const url = webUrl(isOpen ? source.replace('*.', '') : source);
      if (url?.href !== `${url?.origin}/`) return at.error(`found ${shown(source, at)}; ${whyNone(source)}`);
      const { protocol, host, hostname, origin } = url;
      // `https://*.192.0.2.1`: no name ends with an address.
      if (isOpen && /^\[|\.\d+$/.test(hostname))
        return at.error(
          `found ${shown(source, at)}; no host is below an address; write the address alone, or a name`,
        );
      return {
        source,
        matches: isOpen
          ? (sent) => sent.protocol === protocol && sent.host.endsWith(`.${host}`)
          : (sent) => sent.origin === origin,
      };
    },
    { title: 'origin', type: 'string', pattern: '^https?://' },
  );

const openHost = /^https?:\/\/\*\./i;

function webUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  // URL treats a star as a letter; Chromium writes it as %2A.
  return url && /^https?:$/.test(url.protocol) && !/\*|%2a/i.test(url.hostname) ? url : undefined;
}

function whyNone(found: string): string {
  if (found === '*') return 'in a list it would make the others useless; for any page, write origins: "*"';
  if (/^null$/i.test(found))
    return 'this is what browsers send for pages that they hide, whose submissions are taken; leave it out';
  const isHost = /^(?:\*\.)?[^\s:/*]+\.[^\s:/*]+(?::\d+)?(?:\/|$)/.test(found);
  const whole = isHost ? `https://${found}` : found;
  const star = openHost.test(whole) ? '*.' : '';
  const meant = webUrl(star ? whole.replace('*.', '') : whole);
  return meant
    ? `an origin is scheme, host and port alone: write ${meant.protocol}//${star}${meant.host}`
    : 'expected scheme, host and port alone, such as https://example.com, or https://*.example.com for all hosts below it';
}
