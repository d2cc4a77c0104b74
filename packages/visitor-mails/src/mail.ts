/** Mails to the people who fill in a form, as the config requests them. */

import { createHmac } from 'node:crypto';
import { domainOf, parseSubmittedAddress } from '@form-relay/base/address';
import { type Address, clientNetwork, masked, writeNetwork } from '@form-relay/base/networks';
import { createRates } from '@form-relay/base/rates';
import { withoutEmpty } from '@form-relay/base/values';
import type { Form, Outcome, Services, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import type { VisitorMail } from './keys.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    confirmation_mail: SentMail;
  }
}

/** The mails that a form sends to visitors, with the keys that request them. */
export const mailsOf = ({ provided }: Pick<Form, 'provided'>): readonly (readonly [MailKey, SentMail])[] =>
  (
    [
      ['confirmation_mail', provided.get('confirmation_mail')],
      ['double_opt_in', provided.get('double_opt_in')?.config],
      ['verification_mail', provided.get('verify')?.mail],
    ] as const
  ).flatMap(([key, mail]) => (mail ? [[key, mail] as const] : []));

export type SentMail = Pick<VisitorMail, 'from' | 'through'>;

/** The key that requests a mail, or the name of the feature that sends it. */
export type MailKey = string;

/** Whether visitors wait for the mail. */
export const isAwaited = (key: MailKey): boolean => key !== 'confirmation_mail' && key !== 'registered_mail';

/** Why a visitor gets no mail although nothing failed, in words for the owner. */
export const withheldWords = {
  taken_by_nobody: 'no output received the submission, so there is nothing to confirm',
  no_address: 'the field has no address, or more than one',
  automatic_address: 'the address belongs to a program, a list or no one',
  address_had_one: 'the address already got a mail this hour',
  client_had_share: 'the client or its network has used its share of `per_hour`',
  per_hour_reached: 'the form has reached `per_hour`',
} as const;

export type Withheld = keyof typeof withheldWords;

/** Notes in the submission's log line why the visitor gets no mail. */
export function noteIn(submission: Submission, key: MailKey, withheld: Withheld): void {
  submission.addLogFields({ [key]: withheld });
  submission.trace?.note(`${key}: ${withheldWords[withheld]}`);
}

/** Whether there were deliveries, and no output accepted one. */
export function noOutputSucceeded({ deliveries }: Pick<Submission, 'deliveries'>): boolean {
  const isTaken = deliveries.some((one) => one && one.outcome !== 'failed' && one.outcome !== 'skipped');
  return deliveries.length > 0 && !isTaken;
}

type NoRecipient = 'no_address' | 'automatic_address';

/** The visitor’s address, unless no person would read a mail there. */
export function recipientOf(
  field: string,
  { values }: Pick<Submission, 'values'>,
): { readonly address: string } | NoRecipient {
  const [submitted = '', ...more] = withoutEmpty(values.get(field) ?? []);
  const address = more.length === 0 ? parseSubmittedAddress(submitted.trim()) : undefined;
  if (address === undefined) return 'no_address';
  return isAutomatic(address) ? 'automatic_address' : { address };
}

/** Domains that ignore dots before the `@`. */
const dotless = ['gmail.com', 'googlemail.com'];

/**
 * Maps all spellings of a mailbox to one address: without case, `+tag`, and dots at Gmail. Only for
 * comparison, not for sending.
 */
export function plainAddressOf(address: string): string {
  const domain = domainOf(address);
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
  const untagged = local.replace(/(?<=.)\+.*$/s, '');
  return dotless.includes(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}

/** Local parts of programs and lists, which must get no automatic reply (RFC 3834, 2), and of mailboxes that no one reads. */
const automatic =
  /^(mailer-?daemon|postmaster|(no|do-?not)[._-]?reply|bounces?|listserv|majordomo|mailman|mdaemon|auto-?reply|autoresponder)$|^(bounces?|owner|noreply|no-reply)[-+_=]|-(request|owner|bounces?)$/;

const isAutomatic = (address: string): boolean => {
  const [local = ''] = plainAddressOf(address).split('@');
  return automatic.test(local) || automatic.test(address.slice(0, address.lastIndexOf('@')).toLowerCase());
};

/** An optional address may be left empty. */
export function addressError(field: string, submission: Pick<Submission, 'values'>): Outcome | undefined {
  const isEmpty = withoutEmpty(submission.values.get(field) ?? []).length === 0;
  return !isEmpty && recipientOf(field, submission) === 'no_address'
    ? invalid([{ field, code: 'no_mail_address' }])
    : undefined;
}

export const hourMs = 3_600_000;

/** How many mails of a kind an address may get per hour. If visitors wait for the mail, allows for a lost and a late one. */
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

/** Limits each kind of mail per hour, by address, client and form. Stores only hashes. */
export function createMailLimits({ now, uuid }: Pick<Services, 'now' | 'uuid'>) {
  const secret = uuid() + uuid();
  const rates = createRates(now);
  return {
    /** Counts the mail, if it may be sent now. `undo` frees only the address's limit, not those of the client and the form. */
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

/**
 * A client may cause a fifth of the form's mails, and the network around it a half, so that neither can use
 * up the limit for everyone.
 */
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

/**
 * The client that a share applies to. None applies to a server that sends for many people, or to a client
 * behind an unknown proxy.
 */
export const clientWithShare = ({
  client,
  isTrusted,
}: Pick<Submission, 'client' | 'isTrusted'>): Address | undefined =>
  !isTrusted && 'address' in client ? client.address : undefined;

/** The minimum share, because several people may share an IP address. */
const leastShare = 5;
