import type { CountPlace } from '../../base/counts.ts';
import type { KeysEvidence } from '../../base/event.ts';
import { late } from '../../base/late.ts';
import type { Form } from '../../form.ts';
import { lateSchema, optional, withDefault } from '../../schema/keys.ts';
import { type Rate, rate } from '../../schema/rate.ts';
import { feature, timeInWords } from '../feature.ts';
import { countedFor } from '../links/single_use.ts';
import { type AskedOfPlaces, countedAt } from '../places/places.ts';
import type { Keys } from './senders.ts';

export const keysParts = late(() => import('./keys_parts.ts'), 'keys_env');

interface Asked extends Pick<AskedOfPlaces, 'top'> {
  readonly form: {
    readonly keys_env?: readonly string[] | undefined;
    readonly keys_limit: Rate | undefined;
  };
}

/** Servers send a form with a key, on a way without checks for browsers. */
export const keys = feature({
  name: 'keys',
  keys: {
    form: {
      keys_env: optional(
        'The environment variables with the keys of servers that may send the form, one a server: `[KEY_BILLING, KEY_SHOP]`. A server sends `Authorization: Bearer` and its key, and skips the checks for browsers (docs/keys.md).',
        lateSchema(keysParts, (loaded) => loaded.variableNames),
      ),
      keys_limit: withDefault(
        '600 per 1m',
        'How often each key may send the form, such as `600 per 1m`; `off` for as often as it likes. `rate_limit` does not apply to keys.',
        rate(),
      ),
    },
  },
  check: { key: 'keys_env', isToldIfOn: true },
  settings: ({ form, top }: Asked): Keys | undefined =>
    form.keys_env && { names: form.keys_env, limit: form.keys_limit, where: countedAt(top) },
  problems: ({ form, top }) => keysParts.value?.keysProblems(form, top) ?? [],
  warnings: (asked) => keysParts.loaded.keysWarnings(asked),
  needs: ({ names }) => names.map((name, at) => ({ name, path: ['keys_env', at], isKey: true })),
  stages: (asked) => ({ servers: keysParts.loaded.serversStage(asked) }),
  explain: (evidence: KeysEvidence) => {
    switch (evidence.code) {
      case 'known':
        return `sent with the key in ${evidence.key}`;
      case 'repeated':
        return `repeats an earlier try under the same Idempotency-Key: ${evidence.id}`;
      case 'wrong':
        return 'its key is none of the form’s';
      case 'beyond':
        return `more than ${evidence.most} within ${timeInWords(evidence.withinMs)}${evidence.key ? ` with the key in ${evidence.key}` : ' with wrong keys'}`;
      case 'unknown':
        return `the store cannot look up its Idempotency-Key: ${evidence.reason}`;
      case 'in_progress':
        return 'another try under the same Idempotency-Key is still being delivered';
      case 'other_body':
        return 'its Idempotency-Key came before, with other values';
    }
  },
});

/** Where a form counts, or remembers what servers have sent; `undefined`: nowhere. */
export const storedFor = (form: Form): CountPlace | undefined => countedFor(form) ?? keys.of(form)?.where;
