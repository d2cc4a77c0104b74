import { readClient } from '../base/client.ts';
import type { ClientUnknown, GateEvidence } from '../base/event.ts';
import { clientNetwork } from '../base/networks.ts';
import { after } from '../base/soon.ts';
import type { Found } from '../form.ts';
import type { Taken } from '../memory/rates.ts';
import { optional } from '../schema/keys.ts';
import { type Rate, rate } from '../schema/rate.ts';
import { feature, timeInWords } from './feature.ts';

export interface Keys {
  readonly rate_limit?: Rate | undefined;
}

/**
 * A client sends a form only so often (`rate_limit`), in one copy of the relay: others count for themselves. A
 * submission that comes back for a correction does not count.
 */
export const rateLimit = feature({
  name: 'rate_limit',
  isForBrowsers: true,
  keys: {
    formAndTop: {
      rate_limit: optional(
        'How often one client may send one form, such as `5 per 10m`; `off` in a form switches off what stands at the top.',
        rate(),
      ),
    },
  },
  check: { key: 'rate_limit', isToldIfOn: true },
  settings: ({ form, top }: { readonly form: Keys; readonly top: Keys }) =>
    'rate_limit' in form ? form.rate_limit : top.rate_limit,
  stages: (asked) => ({
    head: ({ form, world, settings, memory }) => {
      const client = readClient(world.request, settings);
      if (!('address' in client)) return { evidence: { check, code: 'client_unknown', ...client } };
      const network = clientNetwork(client.address);
      return after(memory.rates.take(`${form.id}\0${network}`, asked), (taken: Taken): Found => {
        if ('undo' in taken) return { evidence: { check, code: 'within' }, undo: taken.undo };
        const client = memory.nameOf(network);
        return {
          evidence: { check, code: 'beyond', most: asked.most, withinMs: asked.withinMs, client },
          ending: { kind: 'rate_limited', retryAfterSeconds: Math.max(1, Math.ceil(taken.waitMs / 1_000)) },
        };
      });
    },
  }),
  explain: (evidence: RateEvidence) => {
    if (evidence.code === 'within') return 'within the rate limit';
    return evidence.code === 'beyond'
      ? `more than ${evidence.most} within ${timeInWords(evidence.withinMs)}`
      : `not counted, since nobody knows who sends it: ${clientWords(evidence)}`;
  },
});

type RateEvidence = Extract<GateEvidence, { check: 'rate_limit' }>;

export function clientWords({ why, network }: ClientUnknown): string {
  switch (why) {
    case 'no_peer':
      return 'the runtime does not say who connected';
    case 'proxy_unlisted':
      return `it comes from ${network}, as from a proxy; name that in TRUSTED_PROXIES, or write none where no proxy is`;
    case 'proxy_silent':
      return 'a proxy of TRUSTED_PROXIES does not say whom it speaks for in the header of PROXY_HEADER';
  }
}

const check = 'rate_limit';
