import { stackOf } from '@form-relay/base/client_error';
import { createRates } from '@form-relay/base/rates';
import { firstValue } from '@form-relay/base/values';
import { LatestMap } from '@form-relay/clients/collections';
import type { Outcome, Rates, Submission } from '@form-relay/core/index';
import { validate } from '@form-relay/core/pipeline/validate';
import { addressIn, asking, newCode, openCode, sealed, tokenField, typedCode } from './code_input.ts';
import type { VisitorMail } from './keys.ts';
import {
  addressError,
  clientWithShare,
  createMailLimits,
  hourMs,
  type MailLimits,
  recipientOf,
} from './mail.ts';
import type { Mailer, Occasion } from './mailer.ts';

/** The relay's only mailer, loaded when the first mail is sent. */
export function createMailing() {
  let loading: Promise<Mailer> | undefined;
  const mailer = () => {
    loading ??= import('./mailer.ts').then(({ createMailer }) => createMailer());
    return loading;
  };
  return {
    once: createConfirmed(),
    pace: createPace(),
    /** Sends a mail that the visitor waits for. Resolves with the outcome if it was not sent. */
    awaited: async (occasion: Omit<Occasion, 'until'>): Promise<Outcome | undefined> => {
      const [{ outcomeWithout }, { prepare }] = await Promise.all([import('./mailer.ts'), mailer()]);
      const prepared = prepare({ ...occasion, until: occasion.submission.deadline });
      const ending = typeof prepared === 'string' ? prepared : await prepared.send();
      return ending === 'sent' ? undefined : outcomeWithout(ending, occasion.mail.to);
    },
    /** Sends mails after the response, which does not wait for them or depend on them. Never rejects. */
    afterwards: async (occasion: Omit<Occasion, 'until'>): Promise<void> => {
      const { submission } = occasion;
      try {
        const { prepare } = await mailer();
        const until = submission.request.livesOn ? Infinity : submission.deadline;
        const prepared = prepare({ ...occasion, until });
        if (typeof prepared === 'object') await submission.defer(async () => void (await prepared.send()));
      } catch (error) {
        // A bug here must not affect the submission.
        submission.log('error', 'internal_error', { stack: stackOf(error) });
      }
    },
  };
}

export type Mailing = ReturnType<typeof createMailing>;

interface Delivered {
  readonly outcome: Outcome;
  /** Every output failed, but none failed the submission. */
  readonly noOutputSucceeded: boolean;
}

/** The number of confirmed links that are remembered. After as many others, a repeated click delivers again. */
const mostConfirmed = 10_000;

/** Whether it must not be delivered again. */
const isTaken = ({ outcome, noOutputSucceeded }: Delivered): boolean =>
  outcome.kind === 'delivered' && !noOutputSucceeded;

/** Delivers once, even with concurrent clicks. A delivery that no output accepted may be repeated. */
function createConfirmed() {
  const known = new LatestMap<Promise<Delivered>>(mostConfirmed);
  return async (key: string, deliver: () => Promise<Delivered>) => {
    const before = known.get(key);
    if (before !== undefined) return { ...(await before), isAgain: true };
    const delivery = deliver();
    known.set(key, delivery);
    let ended: Delivered | undefined;
    try {
      ended = await delivery;
      return { ...ended, isAgain: false };
    } finally {
      if (!ended || !isTaken(ended)) known.delete(key);
    }
  };
}

// Responses to bots, in forms that require a confirmed address: the same text after the same time as for people.

/** How long a person usually waits, until a real wait has been measured. */
const usualMs = { mail: 300, try: 5 };

/** The maximum wait: an output's default timeout. */
const longestMs = 10_000;

type Awaited = keyof typeof usualMs;

const mostForms = 1_000;

/** Measures how long people wait at a form, so that bots wait as long. */
function createPace() {
  const latest = new LatestMap<number>(mostForms);
  const keyOf = (what: Awaited, formId: string) => `${what} ${formId}`;
  return {
    /** Records the time since `startedAt`. */
    keep: (what: Awaited, { formId, services }: Submission, startedAt: number) => {
      // The clock may have been changed.
      latest.set(keyOf(what, formId), Math.min(longestMs, Math.max(0, services.now() - startedAt)));
    },
    wait: async (what: Awaited, { formId, services }: Submission) => {
      if (!services.isDryRun) await services.sleep(latest.get(keyOf(what, formId)) ?? usualMs[what]);
    },
  };
}

type Pace = ReturnType<typeof createPace>;

/** Answers bots like people in `verify`, with codes that are never mailed, and with separate limits. */
export function createCodeDecoy(pace: Pace, mostTries: number) {
  let limits: MailLimits | undefined;
  let tries: Rates | undefined;
  const mailed = async (said: string, mail: VisitorMail, submission: Submission): Promise<Outcome> => {
    const { formId, services, sent } = submission;
    const found = recipientOf(mail.to, { values: sent });
    const { outcomeWithout } = await import('./mailer.ts');
    if (typeof found === 'string') return outcomeWithout(found, mail.to);
    limits ??= createMailLimits(services);
    const client = clientWithShare(submission);
    const perHour = mail.per_hour;
    const taken = limits.take({ key: 'verification_mail', formId, perHour, ...found, client });
    if (typeof taken === 'string') return outcomeWithout(taken, mail.to);
    await pace.wait('mail', submission);
    const code = newCode(sent, mail.to, submission, 0);
    return asking(said, sealed(code, submission), code.address);
  };
  /** `undefined`: a person would need no code. */
  return async (mail: VisitorMail, submission: Submission): Promise<Outcome | undefined> => {
    const { sent, formId, services, settings } = submission;
    const address = addressIn(sent, mail.to);
    const wrong = wrongValues(submission) ?? addressError(mail.to, { values: sent });
    if (wrong || address === '') return wrong;
    const token = firstValue(sent, tokenField);
    const code = openCode(settings.formTokenSecret, formId, token, address);
    if (!code) return mailed('code_sent', mail, submission);
    if (services.now() > code.until) return mailed('code_renewed', mail, submission);
    if (typedCode(sent) === '') return mailed('code_sent', mail, submission);
    tries ??= createRates(services.now);
    if ('waitMs' in tries.take(token, { most: mostTries, withinMs: hourMs }))
      return mailed('code_renewed', mail, submission);
    await pace.wait('try', submission);
    return asking('code_wrong', token, '');
  };
}

function wrongValues(submission: Submission): Outcome | undefined {
  const { values, files, form } = submission;
  const wrong = validate(submission, form);
  // The submission stays rejected.
  Object.assign(submission, { values, files });
  return wrong;
}
