import type { Diagnostics, Parsed, Properties } from '@form-relay/core/index';
import { ownMailbox, replyTemplate } from '@form-relay/more-outputs/mail_headers';
import { linkedTemplate } from '@form-relay/more-outputs/templates';
import { object } from '@form-relay/schema/collections';
import { boolean, duration, localized, name, number, oneOf } from '@form-relay/schema/scalars';
import { optional, required, withDefault } from '@form-relay/schema/schema';
import { ownTemplate, template } from '@form-relay/schema/templates';
import { throughSchema } from './carrier.ts';

const ownReplyTo = replyTemplate(
  ownTemplate('a visitor must not choose where answers go; write an address of yours'),
);

const perHour = (most: string) =>
  withDefault(
    '100',
    `Maximum number of mails an hour in each running relay: at most ${most} to an address, and a fifth from a client.`,
    number({ least: 1, most: 10_000, whole: true }),
  );

const commonKeys = {
  to: required('`email` field with the visitor’s address.', name()),
  subject: required('Subject, with templates of fields with options only.', localized(template())),
  text: required('Text of the mail. Fields as in `subject`.', localized(linkedTemplate())),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with a plain-text version: the form’s title, and `text`.',
    boolean(),
  ),
  footer: optional('Footer of an HTML mail.', localized(linkedTemplate())),
  from: optional('Sender. Default: that of the output which sends the mail.', ownMailbox),
  reply_to: optional('Address for replies, without visitors’ words.', ownReplyTo),
  through: optional(
    'Mail server: `{type: smtp, host: …}` or `{type: email}`. Default: that of the first output that sends mails.',
    throughSchema,
  ),
  per_hour: perHour('one'),
};

export type VisitorMail = Parsed<typeof commonKeys> & { readonly copy?: 'all' | undefined };

/** `footer` has no place in plain text. */
function footerProblem({ html }: { readonly html?: unknown }, at: Diagnostics): void {
  if (at.in('footer').written !== undefined && html === false)
    at.in('footer').error('`footer` is a part of HTML mails; add `html: true`, or write it into `text`', {
      aboutKey: true,
    });
}

const block = <K extends Properties>(keys: K, example = '{to: email, subject: …, text: …}') =>
  object(keys, example, footerProblem);

export const confirmationMailSchema = block({
  ...commonKeys,
  copy: optional(
    '`all` adds the submission below `text`. Needs a `double_opt_in` for the same `to`, so that nobody is mailed a stranger’s words.',
    oneOf(['all']),
  ),
});

const doubleOptInKeys = {
  ...commonKeys,
  to: required('The `required` `email` field to confirm.', name()),
  per_hour: perHour('three'),
  expires: withDefault(
    '48h',
    'How long the link works, from a minute to 90 days.',
    duration({ leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
  confirm: withDefault(
    'open',
    'Confirms by opening the link in a browser with scripts (`open`), or by the button on its page (`click`), which mail scanners don’t press.',
    oneOf(['open', 'click']),
  ),
};

/** A mail with a link; nothing is delivered before its click. */
export type DoubleOptIn = Parsed<typeof doubleOptInKeys>;
export const doubleOptInSchema = block(doubleOptInKeys);

const { to: _, ...keysOfAll } = commonKeys;
const codeMailKeys = { ...keysOfAll, per_hour: perHour('three') };

/** A mail with a code below its text, to the address that it verifies. */
export type CodeMail = Parsed<typeof codeMailKeys>;
export const codeMailSchema = block(codeMailKeys, '{subject: …, text: …}');

/** The keys of a mail of another feature, which may be in the relay's own words. */
export const furtherMailKeys = {
  ...codeMailKeys,
  subject: optional('', localized(template())),
  text: optional('', localized(linkedTemplate())),
};
export const furtherMailSchema = block(furtherMailKeys, '{subject: …, text: …}');
