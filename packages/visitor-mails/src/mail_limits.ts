import { createHmac } from 'node:crypto';
import { type Address, clientNetwork, masked, writeNetwork } from '@form-relay/base/networks';
import { createRates } from '@form-relay/base/rates';
import type { Services, Submission } from '@form-relay/core/index';
import { isAwaited, type MailKey, plainAddressOf, type Withheld } from './mail.ts';

export const hourMs = 3_600_000;

/**
 * How many an address gets in an hour. Where visitors wait for the mail, the limit leaves room for a lost mail and a
 * late one.
 */
const mostToAddress = (key: MailKey): number => (isAwaited(key) ? 3 : 1);

interface MailRequest {
  readonly key: MailKey;
  readonly formId: string;
  readonly perHour: number;
  readonly address: string;
  readonly client: Address | undefined;
}

type Limited = Extract<Withheld, 'address_had_one' | 'client_had_share' | 'per_hour_reached'>;

export type MailLimits = ReturnType<typeof createMailLimits>;

/** Limits each kind of mail per hour, by address, client and form. Keeps only hashes. */
export function createMailLimits({ now, uuid }: Pick<Services, 'now' | 'uuid'>) {
  const secret = uuid() + uuid();
  const rates = createRates(now);
  return {
    /** Counts the mail, if it may be sent now. `undo`: the address may have another; for the others it still counts. */
    take: ({
      key,
      formId,
      perHour,
      address,
      client,
    }: MailRequest): Limited | { readonly undo: () => void } => {
      const hash = createHmac('sha256', secret)
        .update(`${key} ${plainAddressOf(address)}`)
        .digest('base64');
      const limits: readonly (readonly [string, number, Limited])[] = [
        [hash, mostToAddress(key), 'address_had_one'],
        ...sharesOf(client, perHour).map(
          ([network, most]) => [`${key} ${formId} ${network}`, most, 'client_had_share'] as const,
        ),
        [`${key} ${formId}`, perHour, 'per_hour_reached'],
      ];
      const undos: (() => void)[] = [];
      for (const [counted, most, limited] of limits) {
        const taken = rates.take(counted, { most, withinMs: hourMs });
        if ('waitMs' in taken) {
          for (const undo of undos) undo();
          return limited;
        }
        undos.push(taken.undo);
      }
      return { undo: undos[0] as () => void };
    },
  };
}

/** A client has a fifth of the form's mails, and the network around it a half, so that neither ends them for all others. */
function sharesOf(
  address: Address | undefined,
  perHour: number,
): readonly (readonly [network: string, most: number])[] {
  if (!address) return [];
  const share = Math.max(leastShare, Math.ceil(perHour / 5));
  const bits = address.length === 2 ? 24 : 48;
  const around = writeNetwork({ address: masked(address, bits), bits });
  return [
    [clientNetwork(address), share],
    [around, Math.max(share, Math.ceil(perHour / 2))],
  ];
}

/** The client, if it has a share: a server that sends for many people has none, nor does a client behind an unknown proxy. */
export const clientWithShare = ({
  client,
  isTrusted,
}: Pick<Submission, 'client' | 'isTrusted'>): Address | undefined =>
  !isTrusted && 'address' in client ? client.address : undefined;

/** Several people may share an address. */
const leastShare = 5;
