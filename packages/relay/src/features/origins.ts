import { clientNetwork } from '../base/networks.ts';
import { parseUrl } from '../base/url.ts';
import type { Gate, GateContext, Passed } from './gate.ts';

/**
 * A form is sent from the pages that its owner names (`origins`), and from the relay's own. That stops pages of others,
 * and programs that care for none of it; a program can say anything (D108).
 */
export const origin: Omit<Gate, 'examine'> & { examine(context: GateContext): Passed } = {
  name: 'origin',
  isOn: ({ origins }) => origins !== undefined,
  examine: (context) => {
    const { request, settings, gates } = context;
    const { headers } = request;
    // Browsers say it themselves, and no page can: whatever the page's Referrer-Policy hides.
    if (headers['sec-fetch-site'] === 'same-origin') return own;
    const sent = headers.origin || undefined;
    if (sent === 'null') return unknown('null', context);
    const page = webPage(sent ?? headers.referer ?? '');
    if (!page) return sent === undefined ? unknown('absent', context) : refused(sent, context);
    if (page.origin === settings.publicUrl || isHost(page, headers)) return own;
    return gates.origins?.some((pattern) => pattern.matches(page))
      ? { evidence: { check, code: 'listed' } }
      : refused(page.origin, context);
  },
};

const check = 'origin';

const own: Passed = { evidence: { check, code: 'own' } };

function webPage(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** As the relay's own pages know their address where PUBLIC_URL does not say it (D38). */
function isHost({ protocol, host }: URL, headers: GateContext['request']['headers']): boolean {
  const [forwarded = ''] = headers['x-forwarded-host']?.split(',') ?? [];
  const named = forwarded.trim() || headers.host;
  // A port that the scheme has anyway may be written or not.
  return named !== undefined && parseUrl(`${protocol}//${named}`)?.host === host;
}

function unknown(how: 'null' | 'absent', { gates }: GateContext): Passed {
  const evidence = { check, code: 'unknown', unknown: how } as const;
  if (gates.unknown === 'refuse') return { evidence, ending: { kind: 'origin_refused' } };
  return gates.unknown === 'challenge' ? { evidence, mustProve: true } : { evidence };
}

/** A header may be long, and a host may be, too. */
const mostTold = 100;

function refused(origin: string, { client, memory }: GateContext): Passed {
  const told = origin.length > mostTold ? `${origin.slice(0, mostTold)}…` : origin;
  const name = 'address' in client ? { client: memory.nameOf(clientNetwork(client.address)) } : {};
  return {
    evidence: { check, code: 'unlisted', origin: told, ...name },
    ending: { kind: 'origin_refused' },
  };
}
