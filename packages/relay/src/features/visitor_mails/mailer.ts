import { ClientError, failed } from '../../base/client_error.ts';
import type { Listener, MailError, MailWithheld, VisitorMailKey } from '../../base/event.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Checked } from '../../base/submission.ts';
import type { Form, World } from '../../form.ts';
import type { MailBody } from '../../outputs/html_mail.ts';
import { lateHtml } from '../../outputs/mail_text.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { type Message, transportOf } from '../../transports/index.ts';
import { type RetryRule, withRetries } from '../../transports/retries.ts';
import { createSemaphores } from '../../transports/semaphores.ts';
import { isAddressUnknown } from '../../transports/smtp/smtp_transport.ts';
import { choicesIn, copyOf } from './choices.ts';
import { createMailLimits, type Reached } from './mail_limits.ts';
import { mailToVisitor } from './mail_to_visitor.ts';
import { recipientOf } from './recipient.ts';
import { type Carrier, carrierOf, type VisitorMail } from './visitor_mail.ts';

/** Mails to those who fill in forms. */
export interface VisitorMailer {
  /** Makes the mail, and counts it, before anything is sent; or tells why there is none. */
  prepare(occasion: Occasion): Promise<Result<Send, MailWithheld | MailError>>;
}

/** Sends it, and tells how that ended. Never rejects. */
export type Send = () => Promise<Sent>;

/** `no_such_address`: the server knows that nobody can be reached there. `perhaps`: it was given the mail, and said nothing in time. */
type Sent = 'sent' | 'failed' | 'no_such_address' | 'perhaps';

interface Occasion {
  readonly key: VisitorMailKey;
  /** The prefix of its `Message-ID`. */
  readonly id: string;
  readonly mail: VisitorMail;
  /** In the visitor's language. */
  readonly form: Form;
  /** With values that were checked. */
  readonly submission: Checked;
  readonly button?: MailBody['button'];
  /** When it must have ended, in milliseconds since the epoch. */
  readonly until: number;
  readonly tell: Listener;
}

export function createVisitorMailer({
  settings,
  effects,
  transports,
  memory,
  limitsMails,
}: Pick<World, 'settings' | 'effects' | 'transports' | 'memory' | 'limitsMails'>): VisitorMailer {
  const { mailFromAddress } = settings;
  const inLane = createSemaphores(mostAtOnce);
  const tellReached = ({ key, form, limit, isFull, times }: Reached) => {
    const name = isFull ? 'mails to visitors' : `${key}.per_hour`;
    effects.log('warn', 'limit_reached', { name, form, limit, times });
  };
  const limits = memory.late('mails', () => createMailLimits(effects, tellReached));

  return {
    prepare: async (occasion) => {
      const { key, id, mail, form, submission, button, tell } = occasion;
      const startedAt = effects.now();
      const withhold = (reason: MailWithheld) => {
        tell({ kind: 'mail_withheld', mail: key, reason });
        return err(reason);
      };
      const values = choicesIn(submission.values, form.fields);
      const scope = scopeOf(form.id, { ...submission, values }, effects, form.fields);
      const recipient = recipientOf(mail, { outputs: form.outputs, mailFromAddress }, scope);
      if (!recipient.ok) return withhold(recipient.error);
      const address = recipient.value;
      if (await form.stages.isBlocked?.(address, { settings, effects })) return withhold('blocked_address');
      try {
        const { id: formId, title, language, direction = 'ltr' } = form;
        const written = { id: formId, title, language, direction };
        const carrier = carrierOf(mail, form.outputs);
        if (mail.copy) await lateHtml.load();
        const copy = copyOf(mail, form, submission.values, scope);
        const content = mailToVisitor(
          mail,
          { id, date: submission.receivedAt, address, form: written, button, copy },
          scope,
        );
        const message = carrier.carry(content, scope);
        const asked = { key, formId, perHour: mail.per_hour, address };
        const reached = limitsMails ? limits.take(asked) : undefined;
        if (reached) return withhold(reached);
        return ok(async () => {
          const sent = await sendInTurn(message, carrier, occasion);
          // Otherwise visitors who wait for the link would read that a mail is on its way.
          const isLost = sent === 'failed' || sent === 'no_such_address';
          if (isLost && isAwaited(key)) limits.giveBack(asked);
          return sent;
        });
      } catch (error) {
        return err(tellFailure(error, { key, tell, attempts: 0, ms: effects.now() - startedAt }));
      }
    },
  };

  async function sendInTurn(
    message: Message,
    { timeout, retries }: Pick<Carrier, 'timeout' | 'retries'>,
    occasion: Occasion,
  ): Promise<Sent> {
    const { key, until, tell } = occasion;
    const askedAt = effects.now();
    const timeoutMs = Math.max(1, Math.min(timeout, until - askedAt));
    if (isAwaited(key)) return send(message, { timeoutMs, retries }, occasion);
    return inLane(serverOf(message), async () => {
      // To wait in line takes of its time. What has waited for most of it is not begun.
      const ms = effects.now() - askedAt;
      if (ms <= timeoutMs / 2) return send(message, { timeoutMs: timeoutMs - ms, retries }, occasion);
      tellFailure(failed('timed_out', { timeoutMs }), { key, tell, attempts: 0, ms });
      return 'failed';
    });
  }

  async function send(message: Message, limits: SendLimits, { key, tell }: Occasion): Promise<Sent> {
    const startedAt = effects.now();
    let attempts = 0;
    const attempt = (timeoutMs: number) => {
      attempts += 1;
      tell({ kind: 'mail_tried', mail: key, attempt: attempts, message });
      return transportOf(transports, message).send(message, timeoutMs);
    };
    const rule = {
      ...limits,
      firstWaitMs: 1_000,
      onRetry: (error: ClientError) => tell({ kind: 'mail_retried', mail: key, error }),
    };
    try {
      const answer = await withRetries(attempt, rule, effects);
      tell({ kind: 'mail_sent', mail: key, answer, attempts, ms: effects.now() - startedAt });
      return 'sent';
    } catch (error) {
      tellFailure(error, { key, tell, attempts, ms: effects.now() - startedAt });
      if (isAddressUnknown(error)) return 'no_such_address';
      return error instanceof ClientError && error.code === 'timed_out' ? 'perhaps' : 'failed';
    }
  }
}

/** Whether visitors wait for the link in it. */
const isAwaited = (key: VisitorMailKey): boolean => key !== 'confirmation_mail';

type SendLimits = Pick<RetryRule, 'timeoutMs' | 'retries'>;

/**
 * How many mails that nobody waits for go to a server at once. It takes 20 (transports/smtp/smtp_pool.ts), and a server that is
 * slow with some of them would keep the deliveries waiting that share it.
 */
const mostAtOnce = 5;

const serverOf = (message: Message): string =>
  message.via === 'smtp' ? `${message.host}:${message.port}` : message.via;

interface Failed {
  readonly key: VisitorMailKey;
  readonly tell: Listener;
  readonly attempts: number;
  readonly ms: number;
}

function tellFailure(error: unknown, { key, tell, attempts, ms }: Failed): MailError {
  const isExpected = error instanceof ClientError;
  if (!isExpected) tell({ kind: 'broken', error });
  const reason = isExpected ? error : 'internal_error';
  tell({ kind: 'mail_failed', mail: key, error: reason, attempts, ms });
  return reason;
}
