import * as v from 'valibot';
import { finding } from '../config_finding.ts';
import { err, ok } from '../result.ts';
import { parseUrl } from '../url.ts';
import type { Schema } from './any_schema.ts';
import { read, wrong } from './issue.ts';

/** Pages of one origin (RFC 6454), or of all hosts below one. */
export interface OriginPattern {
  /** As written. */
  readonly source: string;
  matches(url: URL): boolean;
}

/** `https://example.com`, or `https://*.example.com` for all hosts below that one. */
export const originPattern = (): Schema<OriginPattern> =>
  v.pipe(
    v.string(wrong('not_an_origin')),
    read((source) => {
      const isOpen = /^https?:\/\/\*\./i.test(source);
      const url = parseUrl(isOpen ? source.replace('*.', '') : source);
      if (
        !url ||
        !/^https?:$/.test(url.protocol) ||
        url.href !== `${url.origin}/` ||
        url.hostname.includes('*')
      )
        return err(finding('not_an_origin', [], { found: source }));
      const { protocol, host, origin } = url;
      return ok<OriginPattern>({
        source,
        matches: isOpen
          ? (sent) => sent.protocol === protocol && sent.host.endsWith(`.${host}`)
          : (sent) => sent.origin === origin,
      });
    }),
    v.metadata({ jsonSchema: { title: 'origin', type: 'string', pattern: '^https?://' } }),
  );
