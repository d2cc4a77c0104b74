import type {} from '@form-relay/capacity/places/index';
import type { Feature, Handler, Outcome, Submission } from '@form-relay/core/index';
import { apiPath, feature, onOutcome, optional } from '@form-relay/core/kit';
import { type DoubleOptIn, doubleOptInSchema } from './keys.ts';
import { linkBefore, sealedField, tooLong, withQuery } from './link.ts';
import { checkRoom, mostLinkCharacters } from './link_room.ts';
import { readerOf } from './mail.ts';
import type { Mailing } from './mailing.ts';
import { checkMail, outputsIn } from './problems.ts';
import { addressError } from './recipient.ts';
import type { Held } from './sealed_submission.ts';

interface Confirming {
  readonly asked: DoubleOptIn;
  next: Handler | undefined;
  readonly once: Mailing['once'];
}

declare module '@form-relay/core/plugin' {
  interface Provided {
    double_opt_in: Confirming;
  }
}

const held: Outcome = { kind: 'held', status: 200, says: { code: 'opt_in_sent' } };

/** Delivers nothing before the link in a mail was clicked by whoever filled in the form. */
export const doubleOptIn = (mailing: Mailing): Feature =>
  feature({
    name: 'double_opt_in',
    after: ['captcha', 'min_fill'],
    keys: {
      form: {
        double_opt_in: optional(
          'Holds a submission back until whoever filled in the form clicks the link in a mail. Needs FORM_TOKEN_SECRET and PUBLIC_URL in the environment.',
          doubleOptInSchema,
        ),
      },
    },
    configure: (config, at) => {
      const { form, fields, formId } = config;
      const { double_opt_in: asked } = form;
      if (!asked) return undefined;
      at.in('double_opt_in').needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
      checkMail(asked, config, at.in('double_opt_in'));
      checkRoom(asked.to, { formId, fields, outputs: outputsIn(form) }, at);
      const provides: Confirming = { asked, next: undefined, once: mailing.once };
      return {
        provides,
        // Bots get the answer that others get.
        onRequest: onOutcome((outcome) =>
          outcome.kind === 'dropped' ? { ...outcome, says: held.says } : outcome,
        ),
        afterValidation: (next) => {
          provides.next = next;
          return (submission) => addressError(asked.to, submission) ?? hold(asked, mailing, submission);
        },
      };
    },
    routes: [
      {
        name: 'confirm',
        method: 'GET, POST',
        answer: async (call) => {
          const { showConfirmation, postConfirmation } = await import('./confirm.ts');
          return call.request.method === 'POST' ? postConfirmation(call) : showConfirmation(call);
        },
      },
    ],
  });

/** Mails a confirmation link instead of delivering. The link holds the submission, since nothing is kept here. */
async function hold(mail: DoubleOptIn, mailing: Mailing, submission: Submission): Promise<Outcome> {
  const { form, settings, services } = submission;
  const before = linkBefore(submission);
  if (typeof before !== 'string') return before;
  const ending = await form.provided.get('places')?.precheck(submission);
  if (ending) return ending;
  const { packed, sealSubmission } = await import('./sealed_submission.ts');
  const locale = readerOf(submission);
  const values = packed(form.fields, submission.values);
  const { requestId, receivedAt, page } = submission;
  const href = shortLink({ requestId, receivedAt, values, page }, (one) => {
    const sealed = sealSubmission(settings.formTokenSecret, form.id, one, services.uuid());
    return withQuery(apiPath(before, 'confirm', form.id), [locale.query, `${sealedField}=${sealed}`]);
  });
  if (href === undefined) return tooLong(form.fields, submission.values, 'opt_in_too_long');
  const button = { words: locale.translate({ code: 'opt_in_button' }), href };
  return (await mailing.awaited({ key: 'double_opt_in', mail, submission, button })) ?? held;
}

/** With the page where the form was filled in, if there is room for that. */
function shortLink(one: Held, linkTo: (one: Held) => string): string | undefined {
  const pages = one.page ? [one.page, undefined] : [undefined];
  return pages.map((page) => linkTo({ ...one, page })).find((href) => href.length <= mostLinkCharacters);
}
