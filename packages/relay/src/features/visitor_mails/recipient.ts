import { addressOf, mailboxParts, parseMailbox, parseSubmittedAddress } from '../../base/address.ts';
import type { MailWithheld } from '../../base/event.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { withoutEmpty } from '../../base/values.ts';
import type { Output } from '../../outputs/output.ts';
import type { Scope } from '../../schema/template/render.ts';
import { recipientsOf, takesMails } from '../../transports/index.ts';
import { isAutomatic, plainAddressOf } from './address_of_person.ts';
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
