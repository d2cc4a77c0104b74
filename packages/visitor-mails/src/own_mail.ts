/** Mails from the form's owner to one person, such as a reply, sent like the form's mails to visitors. */
import { createHash } from 'node:crypto';
import {
  addressOf,
  domainOf,
  type Mailbox,
  parseSender,
  parseSubmittedAddress,
} from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { Try, withRetries } from '@form-relay/base/retries';
import { noValues } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/index';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { defaultSender, oneLine } from '@form-relay/core/outputs/mail';
import { fixedRecipients } from '@form-relay/core/outputs/recipients';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { Template } from '@form-relay/schema/template';
import { isMailType, type MailTransport, mailTransportOf } from './carrier.ts';
import { mailsOf } from './mail.ts';

export interface OwnMail {
  /** Identifies the mail. The `Message-ID` is derived from the key. */
  readonly key: string;
  /** A single address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** In ASCII, as `renderMail` renders it. */
  readonly html?: string | undefined;
  /** Default: the carrier's. */
  readonly replyTo?: Mailbox | undefined;
  /** The ids of the mails that it replies to, without brackets, latest last. */
  readonly answers?: readonly string[];
  /** Set if a person wrote it, so that programs may reply. */
  readonly isPersonal?: boolean;
}

export type OwnMailResult =
  | { readonly state: 'sent'; readonly messageId: string; readonly warning?: string | undefined }
  /** `unsure`: the server may have accepted it. `why`: the reason, in words for the person who sent it. */
  | { readonly state: 'failed' | 'unsure'; readonly why: string };

/** The transport and sender for a form's mails. */
export interface OwnMailCarrier {
  readonly form: Form;
  readonly from: Mailbox;
  /** Where replies are sent: as the form's mails to visitors say, or else to the recipient of its submissions. */
  readonly replyTo: Mailbox | undefined;
  /** Whether its mails are HTML. */
  readonly isHtml: boolean;
  /** Host and port, such as `smtp.example.org:587`. */
  readonly target: string;
  messageId(key: string): string;
  /**
   * The ids of the mails about a submission: to its owner, then to its visitor. Amazon SES replaces ids, so
   * its ids are unknown.
   */
  idsAbout(requestId: string): readonly string[];
  send(mail: OwnMail): Promise<OwnMailResult>;
}

/** The keys of both mail outputs, including those of extensions. */
interface MailKeys {
  readonly from?: Mailbox | undefined;
  readonly host?: string;
  readonly to?: readonly Template[];
  readonly html?: boolean;
}

/** `undefined`: the form sends no mails. */
export function ownMailCarrier(
  form: Form,
  services: Services,
  { mailFromAddress }: Pick<Settings, 'mailFromAddress'>,
): OwnMailCarrier | undefined {
  const [[name, mail] = []] = mailsOf(form);
  const place = form.outputs.findIndex(({ type }) => isMailType(type));
  const output: (MailKeys & { readonly type: string }) | undefined = form.outputs[place];
  if (!mail?.through && !output) return undefined;
  const locale = form.locale(undefined);
  const title = form.title === undefined ? undefined : locale.text(form.title);
  const about = { id: form.id, title, fields: form.fields, locale };
  const way = mailTransportOf(mail?.through, form, { services, mailFromAddress, form: about });
  const keys: MailKeys = mail?.through?.keys ?? output ?? {};
  const senderIn = ({ from, host }: MailKeys) =>
    from ?? (host === undefined ? parseSender(mailFromAddress ?? '') : defaultSender(host));
  const sender = mail?.from ?? way.from;
  const from = sender ?? senderIn(keys);
  if (from === undefined) return undefined;
  const own = mail && 'reply_to' in mail ? (mail.reply_to as Template | undefined) : undefined;
  const [replyTo] = fixedRecipients(own ? [own] : (output?.to ?? [])) ?? [];
  const idAt = (id: string, mailbox: Mailbox) => `${id}@${domainOf(addressOf(mailbox))}`;
  const toOwner = output?.host === undefined ? undefined : senderIn(output);
  return {
    ...{ form, from, replyTo, isHtml: keys.html === true, target: way.transport.target ?? '' },
    messageId: (key) => idAt(createHash('sha256').update(key).digest('hex').slice(0, 32), from),
    idsAbout: (id) => [
      ...(toOwner ? [idAt(`${id}-${place}`, toOwner)] : []),
      ...(name === 'confirmation_mail' && keys.host !== undefined ? [idAt(`${id}-${name}`, from)] : []),
    ],
    send(mail) {
      return send({ ...mail, replyTo: mail.replyTo ?? replyTo }, this, { way, sender, services });
    },
  };
}

interface Sending {
  readonly way: MailTransport;
  /** Missing if the output itself has a sender. */
  readonly sender: Mailbox | undefined;
  readonly services: Services;
}

async function send(
  { key, to, subject, text, html, replyTo, answers = [], isPersonal }: OwnMail,
  { form, target, messageId }: OwnMailCarrier,
  { way: { transport, timeoutMs, retries }, sender, services }: Sending,
): Promise<OwnMailResult> {
  const address = parseSubmittedAddress(to.trim());
  if (address === undefined)
    return { state: 'failed', why: 'a mail needs one address, such as ada@example.org' };
  const at = services.now();
  const id = messageId(key);
  const delivery = {
    id: id.slice(0, id.indexOf('@')),
    requestId: id,
    formId: form.id,
    receivedAt: at,
    values: noValues,
    payload: [],
    templateContext: templateContext(form.id, noValues, at, services),
    files: new Map(),
    mail: {
      ...(sender && { from: sender }),
      ...{ to: [address], replyTo, subject: oneLine(subject), text, html, messageId: id, date: at },
      headers: new Map([...threadOf(answers), ...(isPersonal ? [['Auto-Submitted', 'no'] as const] : [])]),
    },
  };
  try {
    const warning = await withRetries(
      (timeoutMs) => {
        const call = new Try(timeoutMs);
        return transport.send(delivery, call).finally(() => call.end());
      },
      { timeoutMs, retries, firstWaitMs: 1_000 },
      services,
    );
    return { state: 'sent', messageId: id, warning };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const isUnsure = error.code === 'timed_out' && !error.isUnsent;
    const remedy = isUnsure ? 'the mail may have been delivered' : 'test this output with relay doctor';
    return {
      state: isUnsure ? 'unsure' : 'failed',
      why: `${target} did not accept the mail: ${error.message}; ${remedy}`,
    };
  }
}

/** RFC 5322, 3.6.4. */
function threadOf(answers: readonly string[]): readonly (readonly [string, string])[] {
  const ids = answers
    .filter((id) => /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.:[\]-]+$/.test(id))
    .map((id) => `<${id}>`);
  const last = ids.at(-1);
  return last === undefined
    ? []
    : [
        ['In-Reply-To', last],
        ['References', ids.join(' ')],
      ];
}
