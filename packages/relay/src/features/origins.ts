import * as v from 'valibot';
import { type Client, readClient } from '../base/client.ts';
import { clientNetwork } from '../base/networks.ts';
import { parseUrl } from '../base/url.ts';
import type { Arrival, Found } from '../form.ts';
import type { Schema } from '../schema/any_schema.ts';
import { optional } from '../schema/keys.ts';
import { choice, list, oneOf } from '../schema/kinds.ts';
import { type OriginPattern, originPattern } from '../schema/origin_pattern.ts';
import { feature } from './feature.ts';

interface Origins {
  readonly patterns: readonly OriginPattern[];
  /** What becomes of a submission that does not say where it comes from. */
  readonly unknown: 'allow' | 'challenge' | 'refuse';
}

const someOrigins: Schema<readonly OriginPattern[] | undefined> = list(originPattern(), { least: 1 });

const anyOrigin: Schema<readonly OriginPattern[] | undefined> = v.pipe(
  v.literal('*'),
  v.transform((): undefined => undefined),
);

export const originKeys = {
  origins: optional(
    'The origins of the pages on which the form may be filled in, such as `[https://example.com, "https://*.example.com"]`; beside them, the relay’s own. `"*"` is any (docs/spam.md).',
    oneOf([someOrigins, anyOrigin], (input) => (input === '*' ? anyOrigin : someOrigins)),
  ),
  origins_unknown: optional(
    'What becomes of a submission whose browser does not say from which page it comes, where `origins` are named: `allow`, `challenge` or `refuse`. Default: `allow`.',
    choice(['allow', 'challenge', 'refuse']),
  ),
};

interface Keys {
  readonly origins?: readonly OriginPattern[] | undefined;
  readonly origins_unknown?: Origins['unknown'];
}

/** The form's own; `undefined`: any page may send it. */
export function originsAsked(form: Keys, top: Keys): Origins | undefined {
  const patterns = 'origins' in form ? form.origins : top.origins;
  return patterns && { patterns, unknown: form.origins_unknown ?? top.origins_unknown ?? 'allow' };
}

/**
 * A form is sent from the pages that its owner names (`origins`), and from the relay's own. That stops pages of others,
 * and programs that care for none of it; a program can say anything (D108).
 */
export const origins = feature({
  name: 'origin',
  check: { key: 'origin', isToldIfOn: true },
  settings: ({ form, top }: { readonly form: Keys; readonly top: Keys }) => originsAsked(form, top),
  stages: (asked) => ({ head: (arrival) => examineOrigin(asked, arrival) }),
});

/** Looks at where a request comes from, and counts nothing. */
export function examineOrigin(asked: Origins, arrival: Arrival): Found {
  const { world, settings } = arrival;
  const { headers } = world.request;
  // Browsers say it themselves, and no page can: whatever the page's Referrer-Policy hides.
  if (headers['sec-fetch-site'] === 'same-origin') return own;
  const sent = headers.origin || undefined;
  if (sent === 'null') return unknown('null', asked);
  const page = webPage(sent ?? headers.referer ?? '');
  if (!page) return sent === undefined ? unknown('absent', asked) : refused(sent, arrival);
  if (page.origin === settings.publicUrl || isHost(page, headers)) return own;
  return asked.patterns.some((pattern) => pattern.matches(page))
    ? { evidence: { check, code: 'listed' } }
    : refused(page.origin, arrival);
}

const check = 'origin';

const own: Found = { evidence: { check, code: 'own' } };

function webPage(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** As the relay's own pages know their address where PUBLIC_URL does not say it (D38). */
function isHost({ protocol, host }: URL, headers: Arrival['world']['request']['headers']): boolean {
  const [forwarded = ''] = headers['x-forwarded-host']?.split(',') ?? [];
  const named = forwarded.trim() || headers.host;
  // A port that the scheme has anyway may be written or not.
  return named !== undefined && parseUrl(`${protocol}//${named}`)?.host === host;
}

function unknown(how: 'null' | 'absent', asked: Origins): Found {
  const evidence = { check, code: 'unknown', unknown: how } as const;
  if (asked.unknown === 'refuse') return { evidence, ending: { kind: 'origin_refused' } };
  return asked.unknown === 'challenge' ? { evidence, mustProve: true } : { evidence };
}

/** A header may be long, and a host may be, too. */
const mostTold = 100;

function refused(origin: string, { world, settings, memory }: Arrival): Found {
  const told = origin.length > mostTold ? `${origin.slice(0, mostTold)}…` : origin;
  const client: Client = readClient(world.request, settings);
  const name = 'address' in client ? { client: memory.nameOf(clientNetwork(client.address)) } : {};
  return {
    evidence: { check, code: 'unlisted', origin: told, ...name },
    ending: { kind: 'origin_refused' },
  };
}
