import { createHmac } from 'node:crypto';
import type { Services } from '@form-relay/core/index';
import type { MailKey, Withheld } from './mail.ts';
import { plainAddressOf } from './recipient.ts';

const windowMs = 3_600_000;

/** How many mails of the last hour a process remembers, of all forms. For more it has no room, and sends none. */
const mostRemembered = 10_000;

/** How many an address gets in an hour. Of those with a link, one may be lost, and another come late. */
const mostToAddress: Readonly<Record<MailKey, number>> = {
  confirmation_mail: 1,
  double_opt_in: 3,
  once: 1,
};

type Limit = Extract<Withheld, 'address_had_one' | 'per_hour_reached' | 'no_room'>;

interface Asked {
  readonly key: MailKey;
  readonly formId: string;
  readonly perHour: number;
  readonly address: string;
}

interface Reached {
  readonly key: MailKey;
  readonly form: string;
  readonly limit: number;
  readonly isFull: boolean;
  /** How often since it was last told. */
  readonly times: number;
}

/** Limits each kind of mail for an hour, by address and by form. It keeps hashes alone. `onReached`: told hourly by form. */
export function createMailLimits(
  { now, uuid }: Pick<Services, 'now' | 'uuid'>,
  onReached: (reached: Reached) => void,
  most = mostRemembered,
) {
  const secret = uuid() + uuid();
  /** Mails of the last hour, the oldest first. */
  const sent = new Map<string, { readonly at: number; readonly of: string }>();
  const counts = new Map<string, number>();
  const told = new Map<string, { at: number; times: number }>();

  const forgetOld = (at: number) => {
    for (const [hash, one] of sent) {
      // After a clock was set back, what it says of the future is worth nothing.
      if (one.at <= at && at - one.at < windowMs) break;
      sent.delete(hash);
      const left = (counts.get(one.of) ?? 1) - 1;
      if (left > 0) counts.set(one.of, left);
      else counts.delete(one.of);
    }
    for (const [of, { at: toldAt }] of told) if (toldAt > at || at - toldAt >= 2 * windowMs) told.delete(of);
  };
  const tell = (of: string, at: number, reached: Omit<Reached, 'times'>) => {
    const last = told.get(of) ?? { at: -Infinity, times: 0 };
    last.times += 1;
    if (at - last.at >= windowMs) {
      onReached({ ...reached, times: last.times });
      last.at = at;
      last.times = 0;
    }
    told.set(of, last);
  };

  /** As many as the address may have, none of which says whose they are. */
  const placesOf = (key: MailKey, address: string): readonly string[] => {
    const hash = createHmac('sha256', secret)
      .update(`${key} ${plainAddressOf(address)}`)
      .digest('base64');
    return Array.from({ length: mostToAddress[key] }, (_, index) => `${hash}${index}`);
  };

  return {
    /** Whether the mail may go to this address now. If so, it counts. */
    take({ key, formId, perHour, address }: Asked): Limit | undefined {
      const at = now();
      forgetOld(at);
      const of = `${key} ${formId}`;
      const free = placesOf(key, address).find((one) => !sent.has(one));
      if (free === undefined) return 'address_had_one';
      const count = counts.get(of) ?? 0;
      const isFull = sent.size >= most;
      if (isFull || count >= perHour) {
        tell(of, at, { key, form: formId, limit: isFull ? most : perHour, isFull });
        return isFull ? 'no_room' : 'per_hour_reached';
      }
      sent.set(free, { at, of });
      counts.set(of, count + 1);
      return undefined;
    },
    /** It was not sent after all, so that the address may have another. For the form it still counts. */
    giveBack({ key, address }: Asked): void {
      const last = placesOf(key, address).findLast((one) => sent.has(one));
      const one = last === undefined ? undefined : sent.get(last);
      if (last === undefined || !one) return;
      sent.delete(last);
      sent.set(uuid(), one);
    },
  };
}

export type MailLimits = ReturnType<typeof createMailLimits>;
