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
  registered_mail: 1,
};

interface Asked {
  readonly key: MailKey;
  readonly formId: string;
  readonly perHour: number;
  readonly address: string;
}

type Taken = Extract<Withheld, 'address_had_one' | 'per_hour_reached'> | { readonly undo: () => void };

/** Limits each kind of mail for an hour, by address and by form. It keeps hashes alone. */
export function createMailLimits({ now, uuid }: Pick<Services, 'now' | 'uuid'>) {
  const secret = uuid() + uuid();
  const rates = createRates(now);
  return {
    /** Counts the mail, if it may go to this address now. `undo`: the address may have another; for the form it still counts. */
    take: ({ key, formId, perHour, address }: Asked): Taken => {
      const hash = createHmac('sha256', secret)
        .update(`${key} ${plainAddressOf(address)}`)
        .digest('base64');
      const taken = rates.take(hash, { most: mostToAddress[key], withinMs });
      if ('waitMs' in taken) return 'address_had_one';
      if ('undo' in rates.take(`${key} ${formId}`, { most: perHour, withinMs })) return taken;
      taken.undo();
      return 'per_hour_reached';
    },
  };
}
