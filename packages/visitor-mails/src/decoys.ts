/** Answers for bots in forms that ask for a confirmed address: as late as those of people, and the same to read. */

import { createRates } from '@form-relay/base/rates';
import { firstValue } from '@form-relay/base/values';
import { LatestMap } from '@form-relay/clients/latest_map';
import type { Outcome, Rates, Submission } from '@form-relay/core/index';
import { validate } from '@form-relay/core/pipeline/validate';
import { addressIn, asking, newCode, openCode, sealed, tokenField, typedCode } from './code_input.ts';
import type { VisitorMail } from './keys.ts';
import { addressError, recipientOf } from './mail.ts';
import { clientWithShare, createMailLimits, hourMs, type MailLimits } from './mail_limits.ts';

/** The usual wait of a person, by what is awaited, until a real one has been measured. */
const usualMs = { mail: 300, try: 5 };

/** No wait of a person is longer: an output's usual timeout. */
const longestMs = 10_000;

export type Awaited = keyof typeof usualMs;

const mostForms = 1_000;

/** How long people of a form waited last. Bots wait as long. */
export function createPace() {
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

export type Pace = ReturnType<typeof createPace>;

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
