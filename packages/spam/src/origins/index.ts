import { clientNames } from '@form-relay/base/client';
import { clientNetwork } from '@form-relay/base/networks';
import { parseUrl } from '@form-relay/base/url';
import { hostOf } from '@form-relay/core/http/request';
import type { Outcome, Plugin, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import { jsonSchemaOf, optional, type Schema, schema } from '@form-relay/schema/schema';

/** Pages of an origin (RFC 6454), or of all subdomains of a domain. */
interface OriginPattern {
  /** As written. */
  readonly source: string;
  matches(url: URL): boolean;
}

/** `https://example.com`, or `https://*.example.com` for all its subdomains. */
const originPattern = (): Schema<OriginPattern> =>
  textSchema<OriginPattern>(
    (source, at) => {
      const isOpen = openHost.test(source);
      const url = webUrl(isOpen ? source.replace('*.', '') : source);
      if (url?.href !== `${url?.origin}/`) return at.error(`found ${shown(source, at)}; ${whyNone(source)}`);
      const { protocol, host, hostname, origin } = url;
      // `https://*.192.0.2.1`: an IP address has no subdomains.
      if (isOpen && /^\[|\.\d+$/.test(hostname))
        return at.error(
          `found ${shown(source, at)}; an IP address has no subdomains; write only the address, or a host name`,
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
  // URL accepts a star as an ordinary character, and Chromium writes it as %2A.
  return url && /^https?:$/.test(url.protocol) && !/\*|%2a/i.test(url.hostname) ? url : undefined;
}

function whyNone(found: string): string {
  if (found === '*') return '"*" makes the other origins useless; to allow any page, write origins: "*"';
  if (/^null$/i.test(found))
    return 'browsers send null for hidden pages, which are always accepted; remove this entry';
  const isHost = /^(?:\*\.)?[^\s:/*]+\.[^\s:/*]+(?::\d+)?(?:\/|$)/.test(found);
  const whole = isHost ? `https://${found}` : found;
  const star = openHost.test(whole) ? '*.' : '';
  const meant = webUrl(star ? whole.replace('*.', '') : whole);
  return meant
    ? `an origin has only scheme, host and port: write ${meant.protocol}//${star}${meant.host}`
    : 'expected only scheme, host and port, such as https://example.com, or https://*.example.com for all its subdomains';
}

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly origin: Origins;
  }
}

export interface Origins {
  /** Why the origin of a request to another endpoint of the form is refused; `undefined` if it is allowed. */
  refusal(submission: Submission): Outcome | undefined;
}

const patterns = array(originPattern(), { least: 1 });

/** `"*"`: any page. */
const patternsOrAny: Schema<readonly OriginPattern[] | '*'> = schema(
  () => ({ anyOf: [{ const: '*' }, jsonSchemaOf(patterns)] }),
  (value, at) => (value === '*' ? '*' : patterns(value, at)),
);

const keys = {
  origins: optional(
    'Sites that may send the form, besides the relay’s own, such as `[https://example.com, "https://*.example.com"]`; `"*"` allows any (docs/spam.md).',
    patternsOrAny,
  ),
};

/**
 * Accepts a form only from the pages that its owner lists and from the relay's own. This stops other people's
 * pages and careless programs; a program can forge the headers.
 */
export const plugin = (): Plugin => {
  const nameOf = clientNames();
  return {
    name: 'origins',
    features: [
      feature({
        name: 'origin',
        keys: { form: keys, top: keys },
        configure: ({ form, top }) => {
          const named = form.origins ?? top.origins;
          if (named === undefined || named === '*') return undefined;
          const refusal: Origins['refusal'] = (submission) => check(named, submission, nameOf);
          return { provides: { refusal }, browsersOnly: true, onRequest: guard(refusal) };
        },
      }),
    ],
    messages: {
      en: { origin_refused: 'This form cannot be sent from this page. Please tell its owner.' },
    },
  };
};

function check(
  origins: readonly OriginPattern[],
  submission: Submission,
  nameOf: ReturnType<typeof clientNames>,
): Outcome | undefined {
  const { request, settings, trace } = submission;
  const { headers } = request;
  const noted = (words: string) => {
    trace?.note(words);
    return undefined;
  };
  // Browsers set this header themselves. Pages cannot change it, and their Referrer-Policy does not hide it.
  if (headers['sec-fetch-site'] === 'same-origin') return noted('sent from a page of the relay’s own origin');
  const sent = headers.origin || undefined;
  const page = webPage(sent ?? headers.referer ?? '');
  if (sent === 'null' || (!page && sent === undefined)) return noted('the browser does not report the page');
  if (page && (`${settings.publicUrl}/`.startsWith(`${page.origin}/`) || isHost(page, hostOf(request))))
    return noted('sent from a page of the relay’s own origin');
  if (page && origins.some((pattern) => pattern.matches(page)))
    return noted('sent from a page of one of the origins');
  const { client } = submission;
  if ('address' in client)
    submission.addLogFields({ client: nameOf(clientNetwork(client.address), submission) });
  const origin = page?.origin ?? sent ?? '';
  const shown = origin.length > mostShown ? `${origin.slice(0, mostShown)}…` : origin;
  return {
    kind: 'origin_refused',
    status: 403,
    message: { code: 'origin_refused' },
    why: `sent from ${shown}, which is not among the allowed origins`,
    isFrequent: true,
  };
}

/** A header and a host can be long. */
const mostShown = 100;

function webPage(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Without PUBLIC_URL, the relay's own pages take their address from the requested host. */
const isHost = ({ protocol, host }: URL, named: string | undefined): boolean =>
  // The scheme's default port may be written or omitted.
  named !== undefined && parseUrl(`${protocol}//${named}`)?.host === host;
