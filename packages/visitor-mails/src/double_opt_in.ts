import { mostLinkCharacters } from '@form-relay/base/url';
import { isUnchanged } from '@form-relay/capacity/places/claims';
import type {} from '@form-relay/capacity/places/index';
import { apiPath } from '@form-relay/core/html/element_ids';
import { publicAddress } from '@form-relay/core/http/request';
import type { Diagnostics, Feature, FormConfig, Handler, Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import { feature } from '@form-relay/core/plugin';
import { noTokenSecret, onOutcome } from '@form-relay/core/submission';
import { optional } from '@form-relay/schema/schema';
import { checkMail, type DoubleOptIn, doubleOptInSchema } from './keys.ts';
import { addressError } from './mail.ts';
import type { Mailing } from './mailing.ts';

interface Confirming {
  readonly config: DoubleOptIn;
  next: Handler | undefined;
  readonly once: Mailing['once'];
}

declare module '@form-relay/core/plugin' {
  interface Provided {
    double_opt_in: Confirming;
  }
}

const held: Outcome = { kind: 'held', status: 200, says: { code: 'opt_in_sent' } };

export const noPublicUrl: Outcome = {
  ...noTokenSecret,
  kind: 'no_public_url',
  why: 'PUBLIC_URL is not set, or its path is unknown',
};

/** Delivers a submission only after its sender has clicked the link in a mail. */
export const doubleOptIn = (mailing: Mailing): Feature =>
  feature({
    name: 'double_opt_in',
    after: ['captcha', 'min_fill'],
    keys: {
      form: {
        double_opt_in: optional(
          'Mails a confirmation link, and delivers once the visitor clicks it. Needs FORM_TOKEN_SECRET and PUBLIC_URL.',
          doubleOptInSchema,
        ),
      },
    },
    configure: (context, at) => {
      const { double_opt_in: optIn } = context.form;
      if (!optIn) return undefined;
      at.in('double_opt_in').needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
      checkMail(optIn, context, at.in('double_opt_in'));
      checkDemanded(optIn.to, context, at);
      const provides: Confirming = { config: optIn, next: undefined, once: mailing.once };
      return {
        provides,
        // Bots get the same response as people.
        onRequest: onOutcome(async (outcome, submission) => {
          if (outcome.kind !== 'dropped') return outcome;
          if (submission.values.size === 0) await mailing.pace.wait('mail', submission);
          return { ...outcome, says: held.says };
        }),
        afterValidation: (next) => {
          provides.next = next;
          return (submission) => {
            if (isUnchanged(submission, optIn.to)) return next(submission);
            return addressError(optIn.to, submission) ?? hold(optIn, mailing, submission);
          };
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

/** Reports an optional address, and files. `at`: the path of the form. */
function checkDemanded(
  to: string | undefined,
  { fields, pathOf }: Pick<FormConfig, 'fields' | 'pathOf'>,
  at: Diagnostics,
): void {
  const taking = fields.find(({ takeFiles }) => takeFiles);
  if (taking)
    at.in('double_opt_in').error(
      `a confirmation link cannot contain files, which the field "${taking.comesWith ?? taking.name}" accepts; remove one of the two`,
      { aboutKey: true },
    );
  const field = fields.find(({ name }) => name === to);
  if (!field) return;
  const place = at.in(...pathOf(field));
  const without = `double_opt_in needs an address in "${to}" to confirm`;
  if (field.visible_when) place.error(`${without}; remove visible_when from it and its step`);
  else if (!field.required)
    place.error(`${without}; add required: true`, { fix: [[[...place.path, 'required'], true]] });
}

/** Mails a confirmation link instead of delivering. The link contains the submission, because the relay does not store it. */
async function hold(mail: DoubleOptIn, mailing: Mailing, submission: Submission): Promise<Outcome> {
  const { form, services, request } = submission;
  const { formTokenSecret, publicUrl } = submission.settings;
  const relay = publicAddress(request, publicUrl);
  const startedAt = services.now();
  if (formTokenSecret === '') return noTokenSecret;
  // Never trust the Host header, which could point to a stranger's site, nor a path prefix that the sender may have made up.
  if (relay === undefined) return noPublicUrl;
  const ending = await form.provided.get('places')?.precheck(submission);
  if (ending) return ending;
  const { packed, sealSubmission, sealedField } = await import('./sealed_submission.ts');
  const locale = form.locale(request);
  const values = packed(form.fields, submission.values);
  const { requestId, receivedAt, page } = submission;
  const query = [locale.query, `${sealedField}=`].filter(Boolean).join('&');
  const address = `${apiPath(relay, 'confirm', form.id)}?${query}`;
  // Includes the page with the form if there is room.
  const href = (page ? [page, undefined] : [undefined])
    .map((one) => {
      const held = { requestId, receivedAt, values, page: one };
      return address + sealSubmission(formTokenSecret, form.id, held, services.uuid());
    })
    .find((link) => link.length <= mostLinkCharacters);
  if (href === undefined) return tooLong(submission);
  const button = { words: locale.translate({ code: 'opt_in_button' }), href };
  const ended = await mailing.awaited({ key: 'double_opt_in', mail, submission, button });
  if (!ended) mailing.pace.keep('mail', submission, startedAt);
  return ended ?? held;
}

function tooLong({ form, values }: Submission): Outcome {
  const sizeOf = (name: string) => Buffer.byteLength((values.get(name) ?? []).join(''));
  const [field = ''] = form.fields.map(({ name }) => name).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return invalid([{ field, code: 'opt_in_too_long' }]);
}
