import { createHmac } from 'node:crypto';
import type { Services } from '@form-relay/core/index';
import { createRates } from '@form-relay/core/kit';
import type { MailKey, Withheld } from './mail.ts';
import { plainAddressOf } from './recipient.ts';

const withinMs = 3_600_000;

/** How many an address gets in an hour. Of those that visitors wait for, one may be lost, and another come late. */
const mostToAddress: Readonly<Record<MailKey, number>> = {
  confirmation_mail: 1,
  double_opt_in: 3,
  verification_mail: 3,
  once: 1,
};

interface Asked {
  readonly key: MailKey;
  readonly formId: string;
  readonly perHour: number;
  readonly address: string;
}

type Taken = Extract<Withheld, 'address_had_one' | 'per_hour_reached'> | { readonly undo: () => void };

/** Limits each kind of mail for an hour, by address and by form. It keeps hashes alone. `onReached`: told hourly by form, with how often since. */
export function createMailLimits(
  { now, uuid }: Pick<Services, 'now' | 'uuid'>,
  onReached: (asked: Asked, times: number) => void,
) {
  const secret = uuid() + uuid();
  const rates = createRates(now);
  const told = new Map<string, { at: number; times: number }>();

  const tell = (asked: Asked) => {
    const of = `${asked.key} ${asked.formId}`;
    const { at: last, times } = told.get(of) ?? { at: -Infinity, times: 0 };
    const at = now();
    const isDue = at < last || at - last >= withinMs;
    if (isDue) onReached(asked, times + 1);
    told.set(of, isDue ? { at, times: 0 } : { at: last, times: times + 1 });
  };

  return {
    /** Counts the mail, if it may go to this address now. `undo`: the address may have another; for the form it still counts. */
    take: (asked: Asked): Taken => {
      const { key, formId, perHour, address } = asked;
      const hash = createHmac('sha256', secret)
        .update(`${key} ${plainAddressOf(address)}`)
        .digest('base64');
      const taken = rates.take(hash, { most: mostToAddress[key], withinMs });
      if ('waitMs' in taken) return 'address_had_one';
      if ('undo' in rates.take(`${key} ${formId}`, { most: perHour, withinMs })) return taken;
      taken.undo();
      tell(asked);
      return 'per_hour_reached';
    },
  };
}
