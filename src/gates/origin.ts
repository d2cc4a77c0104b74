import { parseUrl } from '../url.ts';
import type { Gate, GateContext } from './gate.ts';

/** A form is sent from the pages that its owner names (`origins`), and from the relay's own. */
export const origin: Gate = {
  name: 'origin',
  isOn: ({ origins }) => origins !== undefined,
  examine: (context) => {
    const { gates } = context;
    const { origins = [], unknown } = gates;
    const sent = originOf(context);
    if (sent === undefined) {
      if (unknown === 'refuse') {
        return { evidence: { check, code: 'unknown' }, ending: { kind: 'origin_refused' } };
      }
      return { evidence: { check, code: 'unknown' }, ...(unknown === 'challenge' && { mustProve: true }) };
    }
    return origins.some((pattern) => pattern.matches(sent))
      ? { evidence: { check, code: 'listed' } }
      : { evidence: { check, code: 'unlisted', origin: sent.origin }, ending: { kind: 'origin_refused' } };
  },
};

const check = 'origin';

/** As the browser says; what comes from no page, or hides it, has none. */
function originOf({ request: { headers } }: GateContext): URL | undefined {
  const { origin, referer } = headers;
  const url = parseUrl(origin ?? referer ?? '');
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
