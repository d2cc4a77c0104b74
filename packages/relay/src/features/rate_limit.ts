import { clientNetwork } from '../base/networks.ts';
import { after } from '../base/soon.ts';
import type { Taken } from '../memory/rates.ts';
import type { Gate, Passed } from './gate.ts';

/**
 * A client sends a form only so often (`rate_limit`), as far as the workers of one relay know: copies count for themselves. A
 * submission that comes back for a correction does not count (D109).
 */
export const rateLimit: Gate = {
  name: 'rate_limit',
  isOn: ({ rate }) => rate !== undefined,
  examine: ({ gates: { rate }, client, formId, memory }) => {
    if (!rate) throw new Error('the form has no rate limit');
    if (!('address' in client)) return { evidence: { check, code: 'client_unknown', ...client } };
    const network = clientNetwork(client.address);
    return after(memory.rates.take(`${formId}\0${network}`, rate), (taken: Taken): Passed => {
      if ('undo' in taken) return { evidence: { check, code: 'within' }, undo: taken.undo };
      const client = memory.nameOf(network);
      return {
        evidence: { check, code: 'beyond', most: rate.most, withinMs: rate.withinMs, client },
        ending: { kind: 'rate_limited', retryAfterSeconds: Math.max(1, Math.ceil(taken.waitMs / 1_000)) },
      };
    });
  },
};

const check = 'rate_limit';
