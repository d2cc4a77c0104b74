import { parseMailbox } from '@form-relay/base/address';
import { ClientError, failures, outputWords, stackOf } from '@form-relay/base/client_error';
import { Try, withRetries } from '@form-relay/base/retries';
import { createTurns } from '@form-relay/base/turns';
import { firstValue } from '@form-relay/base/values';
import type { Form, Locale, MailParts, Outcome, Submission, TemplateContext } from '@form-relay/core/index';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { oneLine } from '@form-relay/core/outputs/mail';
import { invalid } from '@form-relay/core/pipeline/validate';
import { filledIn } from '@form-relay/more-outputs/filled_in';
import { type MailBody, renderMail } from '@form-relay/more-outputs/html_mail';
import { plainRuns, renderRuns } from '@form-relay/more-outputs/templates';
import { type MailTransport, mailTransportOf } from './carrier.ts';
import { choicesIn, type VisitorMail } from './keys.ts';
import {
  clientWithShare,
  createMailLimits,
  isAwaited,
  type MailKey,
  noteIn,
  recipientOf,
  type Withheld,
  withheldWords,
} from './mail.ts';

/**
 * `no_such_address`: the server knows that the address does not exist. `perhaps`: the server got the mail,
 * but did not respond in time.
 */
export type Sent = 'sent' | 'failed' | 'no_such_address' | 'perhaps';

export interface Occasion {
  readonly key: MailKey;
  readonly mail: VisitorMail;
  readonly submission: Submission;
  readonly button?: MailBody['button'];
  /** The code to type into the form. */
  readonly code?: string;
  /** The deadline, in milliseconds since the epoch. */
  readonly until: number;
}

export type Mailer = ReturnType<typeof createMailer>;

/** The log events of this package's mails. Other packages name theirs in the same way. */
const events: Readonly<Record<MailKey, readonly [sent: string, failed: string]>> = {
  confirmation_mail: ['confirmation_mail_sent', 'confirmation_mail_failed'],
  double_opt_in: ['double_opt_in_sent', 'double_opt_in_failed'],
  verification_mail: ['verification_mail_sent', 'verification_mail_failed'],
  registered_mail: ['registered_mail_sent', 'registered_mail_failed'],
};
const eventsOf = (key: MailKey) => events[key] ?? [`${key}_sent`, `${key}_failed`];

export function createMailer() {
  const inTurn = createTurns(mostAtOnce);
  let limits: ReturnType<typeof createMailLimits> | undefined;
  return {
    /** Renders and counts the mail before anything is sent, or returns why no mail is sent. */
    prepare: (occasion: Occasion) => {
      const { key, mail, submission } = occasion;
      const { form, services, settings } = submission;
      const { mailFromAddress } = settings;
      const startedAt = services.now();
      const withhold = (withheld: Withheld) => {
        noteIn(submission, key, withheld);
        return withheld;
      };
      const { fields } = form;
      const values = choicesIn(submission.values, fields);
      const locale = form.locale(submission.request);
      const context = templateContext(form.id, values, submission.receivedAt, services, { fields, locale });
      const about = { id: form.id, title: titleIn(form, locale), fields, locale };
      const openTransport = () =>
        mailTransportOf(mail.through, form, { services, mailFromAddress, form: about });
      submission.trace?.mailTargets.set(key, openTransport().transport.target ?? '');
      const found = recipientOf(mail.to, submission);
      if (found === 'no_address' && firstValue(values, mail.to) !== '')
        submission.log('warn', eventsOf(key)[1], { reason: withheldWords.no_address });
      if (typeof found === 'string') return withhold(found);
      const { address } = found;
      try {
        const way = openTransport();
        const mailed = mailFor(occasion, address, context, locale);
        const parts = { ...(way.from && { from: way.from }), ...mailed };
        const request = {
          key,
          formId: form.id,
          perHour: mail.per_hour,
          address,
          client: clientWithShare(submission),
        };
        limits ??= createMailLimits(services);
        const taken = services.isDryRun ? undefined : limits.take(request);
        if (typeof taken === 'string') return withhold(taken);
        return {
          /** Sends the mail and logs the result. Never rejects. */
          send: async () => {
            const sendNow = () => sendMail(parts, way, context, occasion);
            const sent = await (isAwaited(key) ? sendNow() : inTurn(sendNow));
            // Frees the limit again. Otherwise visitors who repeat the request would read that a mail was already sent.
            if ((sent === 'failed' || sent === 'no_such_address') && isAwaited(key)) taken?.undo();
            return sent;
          },
        };
      } catch (error) {
        logFailure(error, occasion, 0, services.now() - startedAt);
        return 'failed' as const;
      }
    },
  };
}

async function sendMail(
  parts: MailParts,
  { transport, timeoutMs: mostMs, retries }: MailTransport,
  context: TemplateContext,
  occasion: Occasion,
): Promise<Sent> {
  const { key, submission, until } = occasion;
  const { services, requestId, formId, receivedAt, values } = submission;
  const startedAt = services.now();
  const timeoutMs = Math.max(1, Math.min(mostMs, until - startedAt));
  let tries = 0;
  const delivery = {
    id: `${requestId}-${key}`,
    requestId,
    formId,
    receivedAt,
    values,
    payload: [],
    templateContext: context,
    files: new Map(),
    mail: parts,
  };
  try {
    const warning = await withRetries(
      (timeoutMs) => {
        tries += 1;
        const call = new Try(timeoutMs);
        return transport.send(delivery, call).finally(() => call.end());
      },
      { timeoutMs, retries, firstWaitMs: 1_000 },
      services,
    );
    const ms = services.now() - startedAt;
    submission.log(warning ? 'warn' : 'info', eventsOf(key)[0], { reason: warning, tries, ms });
    return 'sent';
  } catch (error) {
    logFailure(error, occasion, tries, services.now() - startedAt);
    if (isAddressUnknown(error)) return 'no_such_address';
    return error instanceof ClientError && error.code === 'timed_out' ? 'perhaps' : 'failed';
  }
}

function isAddressUnknown(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'no_smtputf8') return true;
  if (error.code !== 'smtp_refused') return false;
  const { command, reply }: { readonly command?: string; readonly reply?: string } = error.params;
  return command === 'RCPT' && /^5\d\d 5\.1\.(1|2|3|10)$/.test(reply ?? '');
}

function logFailure(error: unknown, { key, submission }: Occasion, tries: number, ms: number): void {
  const isExpected = error instanceof ClientError;
  if (!isExpected) submission.log('error', 'internal_error', { stack: stackOf(error) });
  const reason = isExpected ? error.message : 'internal error';
  submission.log('warn', eventsOf(key)[1], { reason, tries, ms });
}

/**
 * How many mails that no one waits for are sent at the same time. The mail client allows 20, and deliveries
 * that share it must not wait.
 */
const mostAtOnce = 5;

const titleIn = ({ title }: Form, locale: Locale) => (title === undefined ? undefined : locale.text(title));

/** Renders the mail. Throws a `ClientError` if a key of the config renders to something unusable. */
function mailFor(
  { mail, submission, button, code }: Occasion,
  address: string,
  context: TemplateContext,
  locale: Locale,
): MailParts {
  const { form } = submission;
  const { html, from, reply_to: replyTo, footer } = mail;
  const body: MailBody = {
    language: locale.language ?? 'en',
    direction: locale.direction ?? 'ltr',
    title: titleIn(form, locale) ?? form.id,
    intro: renderRuns(locale.text(mail.text), context),
    entries: mail.copy
      ? everythingIn(submission, context, locale)
      : code === undefined
        ? []
        : [{ label: locale.translate({ code: 'code_in_mail' }), values: [code] }],
    button,
    look: submission.form.provided.get('look'),
    footer: footer ? renderRuns(locale.text(footer), context) : [],
  };
  return {
    ...(from && { from }),
    to: [address],
    replyTo: replyTo && ownMailbox('reply_to', replyTo.render(context)),
    subject: oneLine(locale.text(mail.subject).render(context)) || oneLine(body.title),
    ...(html ? renderMail(body) : { text: plainText(body) }),
    isAutoReply: true,
    date: submission.receivedAt,
  };
}

function everythingIn(
  { form: { fields, takesUndeclared }, values }: Submission,
  templateContext: TemplateContext,
  locale: Locale,
) {
  const undeclared = new Map([...values].filter(([name]) => takesUndeclared?.(name)));
  const all = { mapping: undefined, static: undefined };
  return filledIn(all, { fields, locale }, { values, undeclared, templateContext });
}

/** Omits the title, which only HTML mails show above the text. */
function plainText({ intro, button, ...body }: MailBody): string {
  if (body.entries.length > 0) return renderMail({ ...body, intro, button, title: '' }).text;
  const text = plainRuns(intro).trimEnd();
  return button ? `${text}\n\n${button.href}\n` : `${text}\n`;
}

function ownMailbox(key: string, rendered: string) {
  const mailbox = parseMailbox(rendered);
  if (mailbox === undefined) throw failures(outputWords)('recipients_malformed', { key });
  return mailbox;
}

/** The outcome for a visitor who waits for a mail that was not sent. */
export function outcomeWithout(ending: Exclude<Sent, 'sent'> | Withheld, to: string): Outcome {
  switch (ending) {
    case 'no_address':
      return invalid([{ field: to, code: 'not_an_email' }]);
    case 'automatic_address':
    case 'no_such_address':
      return invalid([{ field: to, code: 'opt_in_address' }]);
    case 'address_had_one':
      return limited(429, 'opt_in_limited');
    case 'client_had_share':
      return limited(429, 'opt_in_busy');
    case 'per_hour_reached':
      return limited(503, 'opt_in_busy');
    default:
      return { kind: 'undelivered', status: 500, message: { code: 'undelivered' }, level: 'error' };
  }
}

/** `Retry-After` for hourly limits, assuming that half of the hour has passed. */
const limitedSeconds = 1_800;

const limited = (status: number, code: string): Outcome => ({
  kind: 'limited',
  status,
  message: { code },
  headers: { 'retry-after': String(limitedSeconds) },
});
