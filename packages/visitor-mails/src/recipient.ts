import type { Form, Mailbox, Outcome, Submission, TemplateContext } from '@form-relay/core/index';
import {
  bareAddressOf,
  domainOf,
  invalid,
  mailboxParts,
  parseMailbox,
  parseSubmittedAddress,
  withoutEmpty,
} from '@form-relay/core/kit';
import type { VisitorMail } from './keys.ts';
import type { Withheld } from './mail.ts';

type NoRecipient = Extract<Withheld, 'no_address' | 'own_address' | 'automatic_address'>;

/** The visitor's address, unless a mail there would begin a loop or reach no person. */
export function recipientOf(
  mail: VisitorMail,
  outputs: Form['outputs'],
  mailFromAddress: string | undefined,
  context: TemplateContext,
): { readonly address: string } | NoRecipient {
  const [submitted = '', ...more] = withoutEmpty(context.fields.get(mail.to) ?? []);
  const address = more.length === 0 ? parseSubmittedAddress(submitted.trim()) : undefined;
  if (address === undefined) return 'no_address';
  if (isAutomatic(address)) return 'automatic_address';
  const own = [
    ...sendersOf(mail, outputs),
    ...(mailFromAddress === undefined ? [] : addressesIn(mailFromAddress)),
    ...recipientsOf(mail, outputs, context),
  ];
  return own.map(plainAddressOf).includes(plainAddressOf(address)) ? 'own_address' : { address };
}

// A mail to the form's senders and recipients, in answer to their own mail, would loop.

function sendersOf(mail: VisitorMail, outputs: Form['outputs']): readonly string[] {
  const carrier = typeof mail.through === 'object' ? mail.through.keys : {};
  const all: readonly Readonly<Record<string, unknown>>[] = [...outputs, carrier, { from: mail.from }].map(
    (keys) => ({ ...keys }),
  );
  return all.flatMap(({ from, type, host }) => {
    if (from !== undefined) return bareAddressOf(from as Mailbox);
    return type === 'smtp' ? `relay@${host}` : [];
  });
}

const recipientKeys: readonly unknown[] = ['to', 'cc', 'bcc', 'reply_to'];

function recipientsOf(
  { reply_to }: VisitorMail,
  outputs: Form['outputs'],
  context: TemplateContext,
): readonly string[] {
  const theirs = outputs.flatMap(({ templates }) =>
    templates.flatMap(({ path: [key], template }) => (recipientKeys.includes(key) ? template : [])),
  );
  // Skip the visitor's own address, which may stand there, too.
  return [...theirs, ...(reply_to ? [reply_to] : [])]
    .filter(({ isSubmitted }) => !isSubmitted)
    .flatMap((template) => addressesIn(template.render(context)));
}

const addressesIn = (text: string): readonly string[] =>
  mailboxParts(text).flatMap((part) => {
    const mailbox = parseMailbox(part);
    return mailbox === undefined ? [] : bareAddressOf(mailbox);
  });

/** Mailboxes in which a dot before the `@` means nothing. */
const dotless = ['gmail.com', 'googlemail.com'];

/** One address for all that reach a mailbox: without case, `+tag`, and dots at Gmail. To compare, not to mail to. */
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

export function addressError(field: string, { values }: Pick<Submission, 'values'>): Outcome | undefined {
  const [only, ...more] = withoutEmpty(values.get(field) ?? []);
  if (only === undefined) return undefined;
  if (more.length === 0 && parseSubmittedAddress(only.trim()) !== undefined) return undefined;
  return invalid([{ field, code: 'no_mail_address' }]);
}
