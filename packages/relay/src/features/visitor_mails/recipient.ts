import {
  addressOf,
  domainOf,
  mailboxParts,
  parseMailbox,
  parseSubmittedAddress,
} from '../../base/address.ts';
import type { MailWithheld } from '../../base/event.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { withoutEmpty } from '../../base/values.ts';
import type { Output } from '../../outputs/output.ts';
import type { Scope } from '../../schema/template/render.ts';
import { recipientsOf, takesMails } from '../../transports/index.ts';
import { carrierOf, type VisitorMail } from './visitor_mail.ts';

type NoRecipient = Extract<MailWithheld, 'no_address' | 'own_address' | 'automatic_address'>;

interface Senders {
  readonly outputs: readonly Output[];
  /** MAIL_FROM_ADDRESS. */
  readonly mailFromAddress: string | undefined;
}

/** The visitor's address, unless a mail there would begin a loop or reach no person. */
export function recipientOf(mail: VisitorMail, senders: Senders, scope: Scope): Result<string, NoRecipient> {
  const [submitted = '', ...more] = withoutEmpty(scope.fields.get(mail.to) ?? []);
  const address = more.length === 0 ? parseSubmittedAddress(submitted.trim()) : undefined;
  if (address === undefined) return err('no_address');
  if (isAutomatic(address)) return err('automatic_address');
  const own = ownAddresses(mail, senders, scope).map(plainAddressOf);
  return own.includes(plainAddressOf(address)) ? err('own_address') : ok(address);
}

/** The form's recipients and senders: a mail to them in answer to their own mail would loop. */
function ownAddresses(
  mail: VisitorMail,
  { outputs, mailFromAddress }: Senders,
  scope: Scope,
): readonly string[] {
  const targets = [...outputs, carrierOf(mail, outputs)].map(({ target }) => target);
  const replies = outputs.flatMap(({ templates }) =>
    templates.flatMap(({ path, template }) => (path[0] === 'reply_to' ? template : [])),
  );
  const templates = [...targets.flatMap(recipientsOf), ...replies, ...(mail.reply_to ? [mail.reply_to] : [])];
  const senders = [mail.from, mailFromAddress, ...targets.filter(takesMails).map(({ from }) => from)];
  return [
    ...senders.flatMap((from) => (from === undefined ? [] : addressesIn(addressOf(from)))),
    // Skip the visitor's own address, which may stand there, too.
    ...templates.filter(({ isSubmitted }) => !isSubmitted).flatMap((one) => addressesIn(one.render(scope))),
  ];
}

const addressesIn = (text: string): readonly string[] =>
  mailboxParts(text).flatMap((part) => {
    const mailbox = parseMailbox(part);
    return mailbox === undefined ? [] : addressOf(mailbox);
  });

/** Mailboxes in which a dot before the `@` means nothing. */
const dotless = ['gmail.com', 'googlemail.com'];

/**
 * The same address for all that reach one mailbox, as far as anybody knows: in lower case, without `+tag`, and of Gmail
 * without dots. For comparisons alone: no mail goes to it.
 */
export function plainAddressOf(address: string): string {
  const domain = domainOf(address);
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
  const untagged = local.replace(/(?<=.)\+.*$/s, '');
  return dotless.includes(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}

/** Local parts of programs and lists, which must get no automatic answer (RFC 3834, 2), and of unread mailboxes. */
const automatic =
  /^(mailer-?daemon|postmaster|(no|do-?not)[._-]?reply|bounces?|listserv|majordomo|mailman|mdaemon|auto-?reply|autoresponder)$|^(bounces?|owner|noreply|no-reply)[-+_=]|-(request|owner|bounces?)$/;

const isAutomatic = (address: string): boolean => {
  const [local = ''] = plainAddressOf(address).split('@');
  return automatic.test(local) || automatic.test(address.slice(0, address.lastIndexOf('@')).toLowerCase());
};
