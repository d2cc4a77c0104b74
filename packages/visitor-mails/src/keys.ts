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
    `The most mails in an hour, for each running relay. An address gets ${most} an hour at most, and a client causes a fifth of them.`,
    number({ least: 1, most: 10_000, whole: true }),
  );

const commonKeys = {
  to: required('The `email` field with the visitor’s address.', name()),
  subject: required('The subject. Its templates may only use fields with options.', localized(template())),
  text: required('The text of the mail, a template. Fields as in `subject`.', localized(linkedTemplate())),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with a plain-text version: the form’s title, and `text`.',
    boolean(),
  ),
  footer: optional('The footer of an HTML mail. A template, like `text`.', localized(linkedTemplate())),
  from: optional('The sender. Default: that of the output which sends the mail.', ownMailbox),
  reply_to: optional('Where replies go. It may use no visitor’s words.', ownReplyTo),
  through: optional(
    'The mail server to send it through: `{type: smtp, host: …}` or `{type: email}`, with the keys of such an output. Default: that of the first output that sends mails.',
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
    '`all` adds what was sent below `text`. It needs a `double_opt_in` for the same `to`, so that no stranger’s words are mailed to anyone.',
    oneOf(['all']),
  ),
});

const doubleOptInKeys = {
  ...commonKeys,
  to: required('The `email` field with the address to confirm. It must be `required`.', name()),
  per_hour: perHour('three'),
  expires: withDefault(
    '48h',
    'How long the link works, from a minute to 90 days.',
    duration({ leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
  confirm: withDefault(
    'open',
    'What confirms the address: opening the link in a browser with scripts (`open`), or pressing the button on its page (`click`), which programs that check mails don’t do.',
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
