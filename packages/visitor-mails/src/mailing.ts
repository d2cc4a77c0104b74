import { stackOf } from '@form-relay/base/client_error';
import { createRates } from '@form-relay/base/rates';
import { firstValue } from '@form-relay/base/values';
import { LatestMap } from '@form-relay/clients/collections';
import type { Outcome, Rates, Submission } from '@form-relay/core/index';
import { validate } from '@form-relay/core/pipeline/validate';
import { addressIn, asking, newCode, openCode, sealed, tokenField, typedCode } from './code_input.ts';
import type { VisitorMail } from './keys.ts';
import { addressError, recipientOf } from './mail.ts';
import { clientWithShare, createMailLimits, hourMs, type MailLimits } from './mail_limits.ts';
import type { Mailer, Occasion } from './mailer.ts';

/** The relay's only mailer, loaded with the first mail. */
export function createMailing() {
  let loading: Promise<Mailer> | undefined;
  const mailer = () => {
    loading ??= import('./mailer.ts').then(({ createMailer }) => createMailer());
    return loading;
  };
  return {
    once: createConfirmed(),
    pace: createPace(),
    /** Mails what the visitor waits for. Resolves with the answer if it was not sent. */
    awaited: async (occasion: Omit<Occasion, 'until'>): Promise<Outcome | undefined> => {
      const [{ outcomeWithout }, { prepare }] = await Promise.all([import('./mailer.ts'), mailer()]);
      const prepared = prepare({ ...occasion, until: occasion.submission.deadline });
      const ending = typeof prepared === 'string' ? prepared : await prepared.send();
      return ending === 'sent' ? undefined : outcomeWithout(ending, occasion.mail.to);
    },
    /** Mails after the answer, which neither waits for the mail nor changes with it. Never rejects. */
    afterwards: async (occasion: Omit<Occasion, 'until'>): Promise<void> => {
      const { submission } = occasion;
      try {
        const { prepare } = await mailer();
        const until = submission.request.livesOn ? Infinity : submission.deadline;
        const prepared = prepare({ ...occasion, until });
        if (typeof prepared === 'object') await submission.defer(async () => void (await prepared.send()));
      } catch (error) {
        // The submission stays as it is, whatever bug follows.
        submission.log('error', 'internal_error', { stack: stackOf(error) });
      }
    },
  };
}

export type Mailing = ReturnType<typeof createMailing>;

interface Delivered {
  readonly outcome: Outcome;
  /** Every output failed without failing the submission. */
  readonly noOutputSucceeded: boolean;
}

/** A link that is opened again after this many others delivers again. */
const mostConfirmed = 10_000;

/** Whether it must not be delivered again. */
const isTaken = ({ outcome, noOutputSucceeded }: Delivered): boolean =>
  outcome.kind === 'delivered' && !noOutputSucceeded;

/** Delivers unless that is done or under way; a delivery that no output took may be repeated. */
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

// Answers for bots in forms that ask for a confirmed address: as late as those of people, and the same to read.

/** The usual wait of a person, by what is awaited, until a real one has been measured. */
const usualMs = { mail: 300, try: 5 };

/** No wait of a person is longer: an output's usual timeout. */
const longestMs = 10_000;

type Awaited = keyof typeof usualMs;

const mostForms = 1_000;

/** How long people of a form waited last. Bots wait as long. */
function createPace() {
  const latest = new LatestMap<number>(mostForms);
  const keyOf = (what: Awaited, formId: string) => `${what} ${formId}`;
  return {
    /** Remembers the time from `startedAt`. */
    keep: (what: Awaited, { formId, services }: Submission, startedAt: number) => {
      // The clock may have been set meanwhile.
      latest.set(keyOf(what, formId), Math.min(longestMs, Math.max(0, services.now() - startedAt)));
    },
    wait: async (what: Awaited, { formId, services }: Submission) => {
      if (!services.isDryRun) await services.sleep(latest.get(keyOf(what, formId)) ?? usualMs[what]);
    },
  };
}

type Pace = ReturnType<typeof createPace>;

/** Answers bots as `verify` answers people, with codes that are never mailed, and limits of their own. */
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
