/** Recipients of copies, Reply-To, and the owner's own headers. */

import {
  addressOf as bareAddressOf,
  parseMailbox,
  parseRecipient,
  parseSender,
} from '@form-relay/base/address';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Delivery,
  Mailbox,
  OutputForm,
  Parsed,
  Plugin,
  Schema,
  Template,
  Transport,
} from '@form-relay/core/index';
import { headerTwice } from '@form-relay/core/outputs/http';
import { oneLine } from '@form-relay/core/outputs/mail';
import {
  hintOfMailbox,
  recipients,
  recipientsOf,
  submittedMailbox,
  warnOfUtf8,
} from '@form-relay/core/outputs/recipients';
import { record } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import { checked, optional } from '@form-relay/schema/schema';
import { template } from '@form-relay/schema/templates';

/** A sender: one address, with or without a name. */
export const ownMailbox = textSchema(
  (written, at) =>
    parseSender(written) ??
    at.error(
      `found ${shown(written, at)}; expected one address like forms@example.com, or one with a name: Example <forms@example.com>${hintOfMailbox(written)}`,
    ),
  { title: 'text', type: 'string', pattern: '@' },
);

/** Accepts only text that renders to one address, or to nothing. */
export const replyTemplate = (kind: Schema<Template>): Schema<Template> =>
  checked(kind, (read, at) => {
    const { content } = read;
    if (typeof content !== 'string' || content === '') return read;
    warnOfUtf8(content, at);
    return parseMailbox(content)
      ? read
      : at.error(
          'expected one address like name@example.com, one with a name as in Name <name@example.com>, or a template',
        );
  });

/** Headers that the mail format or the mail server sets. */
const mailsOwn =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|in-reply-to|references|mime-version|content-.*|auto-submitted|return-path|received|dkim-signature|arc-.*|authentication-results|resent-.*|apparently-to|delivered-to|disposition-notification-to|return-receipt-to|errors-to)$/i;

function headerProblem(name: string): string | undefined {
  // The syntax is that of RFC 5322, 3.6.8; a longer name leaves no room on its line.
  if (!/^[!-9;-~]{1,70}$/.test(name))
    return 'this is not a header name: letters, digits and hyphens, at most 70';
  return mailsOwn.test(name)
    ? `${name} is set by the relay or by mail servers, and cannot be configured`
    : undefined;
}

const keys = {
  cc: optional('Recipients of a copy, as in `to`, but without submitted values.', recipients(false)),
  bcc: optional('Recipients of a blind copy, as in `cc`.', recipients(false)),
  reply_to: optional(
    'Address for replies, usually `{{ .fields.email }}`. The relay leaves out an invalid address, with a warning in the log.',
    replyTemplate(template()),
  ),
  reply_to_name: optional('Name for `reply_to`, often `{{ .fields.name }}`.', template()),
  headers: optional(
    'More headers, such as `{X-Priority: "1"}`. Headers that every mail has cannot be replaced.',
    record(template(), headerProblem),
  ),
  from: optional(
    'Sender (`forms@example.com`). Default: `relay@<host>` with `smtp`, MAIL_FROM_ADDRESS with `email`, which needs an address that SES has verified.',
    ownMailbox,
  ),
};

type Written = Partial<Parsed<typeof keys>>;
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const mailHeaders = outputExtension({
  name: 'mail_headers',
  types: ['smtp', 'email'],
  keys,
  configure: ({ output }, at) => {
    const { cc, bcc, reply_to, reply_to_name, headers, from } = output;
    if (!cc && !bcc && !reply_to && !reply_to_name && !headers && !from) return undefined;
    headerTwice(headers, at);
    if (reply_to_name && !reply_to) at.in('reply_to_name').warning('this has no effect without `reply_to`');
    return { wrapTransport: (inner, { form }) => withHeaders(inner, output, form) };
  },
});

function withHeaders(inner: Transport, written: Written, { fields }: OutputForm): Transport {
  const { cc, bcc, headers, from } = written;
  return {
    ...inner,
    // The recipients of copies must be checked, too.
    check: cc || bcc ? undefined : inner.check,
    send: (delivery, call) => {
      const { mail, templateContext } = delivery;
      // A feature's mail has its own recipients.
      if (mail?.to) {
        const sender = mail.from ?? from;
        return inner.send(sender ? { ...delivery, mail: { ...mail, from: sender } } : delivery, call);
      }
      const { replyTo, warning } = replyToOf(written, delivery);
      const parts: Writable<NonNullable<Delivery['mail']>> = { ...mail, replyTo };
      if (from) parts.from = from;
      if (cc) parts.cc = recipientsOf('cc', cc, templateContext, fields).mailboxes;
      if (bcc) parts.bcc = recipientsOf('bcc', bcc, templateContext, fields).mailboxes;
      if (headers) parts.headers = headersOf(headers, delivery);
      const sending = inner.send({ ...delivery, mail: parts }, call);
      if (warning === undefined) return sending;
      delivery.warn?.(warning);
      return sending.then((other) => other ?? warning);
    },
  };
}

/** Returns an address or nothing, because a bad Reply-To must not cost a submission. */
function replyToOf(
  { reply_to: reply, reply_to_name: naming }: Written,
  { templateContext }: Delivery,
): { readonly replyTo?: Mailbox; readonly warning?: string } {
  if (!reply) return {};
  const rendered = reply.render(templateContext).trim();
  if (rendered === '' || /<\s*>$/.test(rendered)) return {};
  const mailbox = reply.isSubmitted
    ? submittedMailbox(reply.source, rendered, parseRecipient)
    : parseMailbox(rendered);
  if (mailbox === undefined) return { warning: '`reply_to` did not render to one address and was left out' };
  const name = naming && submittedName(naming.render(templateContext));
  return { replyTo: name ? { name, address: bareAddressOf(mailbox) } : mailbox };
}

const longestName = 100;

/** A submitted name to put before an address: on one line, without encoded words or bidirectional controls. */
export const submittedName = (text: string): string =>
  text
    .replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .replaceAll('=?', '= ?')
    .replaceAll(/[<>"\\]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, longestName)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();

const headersOf = (
  headers: ReadonlyMap<string, Template>,
  { mail, templateContext }: Delivery,
): ReadonlyMap<string, string> =>
  new Map([
    ...(mail?.headers ?? []),
    ...[...headers].map(([name, value]) => [name, oneLine(value.render(templateContext))] as const),
  ]);

export const plugin: Plugin = { name: 'mail_headers', outputExtensions: [mailHeaders] };
