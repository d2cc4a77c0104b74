import { parseMailbox } from '../../base/address.ts';
import { failed } from '../../base/client_error.ts';
import type { Mailbox } from '../../base/effects.ts';
import type { MailBody } from '../../outputs/html_mail.ts';
import { plainRuns, renderRuns } from '../../outputs/linked_template.ts';
import { oneLine } from '../../outputs/mail_outputs.ts';
import { inBoth } from '../../outputs/mail_text.ts';
import type { FormAbout } from '../../outputs/output.ts';
import type { Scope } from '../../schema/template/render.ts';
import type { MailContent } from '../../transports/transport.ts';
import type { VisitorMail } from './visitor_mail.ts';

interface Occasion {
  /** The prefix of its `Message-ID`: the same on every try. */
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly date: number;
  /** The visitor's, as `recipientOf` gave it. */
  readonly address: string;
  /** The form in the visitor's language. */
  readonly form: Pick<FormAbout, 'id' | 'title' | 'language' | 'direction'>;
  readonly button?: MailBody['button'];
  /** What was sent, if the mail shows it. */
  readonly copy?: MailBody['entries'];
}

/** The mail to a visitor. Throws a `ClientError` when a key that is there renders to nothing that can be used. */
export function mailToVisitor(
  { subject, text, html, footer, from, reply_to: replyTo }: VisitorMail,
  { id, date, address, form, button, copy = [] }: Occasion,
  scope: Scope,
): MailContent {
  const letter: MailBody = {
    language: form.language,
    direction: form.direction,
    title: form.title ?? form.id,
    intro: renderRuns(text, scope),
    entries: copy,
    button,
    footer: footer ? renderRuns(footer, scope) : [],
  };
  return {
    id,
    date,
    from,
    to: [address],
    replyTo: replyTo && ownMailbox('reply_to', replyTo.render(scope)),
    subject: oneLine(subject.render(scope)) || oneLine(letter.title),
    ...(html ? inBoth(letter) : { text: plainText(letter) }),
    isAutoReply: true,
  };
}

/** Without a title, which is for those who see it above the text. */
function plainText({ intro, button, ...body }: MailBody): string {
  if (body.entries.length > 0) return inBoth({ ...body, intro, button, title: '' }).text;
  const text = plainRuns(intro).trimEnd();
  return button ? `${text}\n\n${button.href}\n` : `${text}\n`;
}

function ownMailbox(key: string, rendered: string): Mailbox {
  const mailbox = parseMailbox(rendered);
  if (mailbox === undefined) throw failed('recipients_malformed', { key });
  return mailbox;
}
