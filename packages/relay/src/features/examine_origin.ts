import { type Client, readClient } from '../base/client.ts';
import { clientNetwork } from '../base/networks.ts';
import { parseUrl } from '../base/url.ts';
import type { Arrival, Found } from '../form.ts';
import type { OriginPattern } from '../schema/origin_pattern.ts';

export interface Origins {
  readonly patterns: readonly OriginPattern[];
  /** The treatment of a submission without an origin. */
  readonly unknown: 'allow' | 'challenge' | 'refuse';
}

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

/** As the relay's own pages know their address where PUBLIC_URL does not say it. */
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
