import * as v from 'valibot';
import { err, ok } from '../base/result.ts';
import { parseUrl } from '../base/url.ts';
import type { Schema } from './any_schema.ts';
import { type Finding, finding } from './finding.ts';
import { read, wrong } from './issue.ts';

/** Pages of an origin (RFC 6454), or of all hosts below a domain. */
export interface OriginPattern {
  /** As written. */
  readonly source: string;
  /** Whether it names all hosts below a domain. */
  readonly isOpen: boolean;
  matches(url: URL): boolean;
}

/** `https://example.com`, or `https://*.example.com` for all hosts below it. */
export const originPattern = (): Schema<OriginPattern> =>
  v.pipe(
    v.string(wrong('not_an_origin')),
    read((source) => {
      const isOpen = openHost.test(source);
      const url = webUrl(isOpen ? source.replace('*.', '') : source);
      if (url?.href !== `${url?.origin}/`) return err(notAnOrigin(source));
      const { protocol, host, hostname, origin } = url;
      // `https://*.192.0.2.1`: no name ends with an address.
      if (isOpen && /^\[|\.\d+$/.test(hostname))
        return err(finding('origin_of_addresses', [], { found: source }));
      return ok<OriginPattern>({
        source,
        isOpen,
        matches: isOpen
          ? (sent) => sent.protocol === protocol && sent.host.endsWith(`.${host}`)
          : (sent) => sent.origin === origin,
      });
    }),
    v.metadata({ jsonSchema: { title: 'origin', type: 'string', pattern: '^https?://' } }),
  );

const openHost = /^https?:\/\/\*\./i;

function webUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  // URL treats a star as a letter; Chromium writes it as %2A.
  return url && /^https?:$/.test(url.protocol) && !/\*|%2a/i.test(url.hostname) ? url : undefined;
}

function notAnOrigin(found: string): Finding {
  if (found === '*') return finding('origin_of_all', [], { found });
  if (/^null$/i.test(found)) return finding('origin_unknown_listed', [], { found });
  const isHost = /^(?:\*\.)?[^\s:/*]+\.[^\s:/*]+(?::\d+)?(?:\/|$)/.test(found);
  const whole = isHost ? `https://${found}` : found;
  const star = openHost.test(whole) ? '*.' : '';
  const meant = webUrl(star ? whole.replace('*.', '') : whole);
  const near = meant && `${meant.protocol}//${star}${meant.host}`;
  return finding('not_an_origin', [], { found, near });
}
