import { apiPath, sealedField, withQuery } from '../../api_urls.ts';
import type { MailError, MailWithheld } from '../../base/event.ts';
import type { RelayRequest } from '../../base/http.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Checked } from '../../base/submission.ts';
import type { Values } from '../../base/values.ts';
import type { Field } from '../../fields/field.ts';
import type { Form, Found, Held, Passage } from '../../form.ts';
import { page } from '../page.ts';
import { mostLinkCharacters } from './link_room.ts';
import type { Send } from './mailer.ts';
import { packed, sealSubmission } from './sealed_submission.ts';
import type { DoubleOptIn } from './visitor_mail.ts';
import { visitorMailer } from './visitor_mailer.ts';

/**
 * Mails a confirmation link instead of delivering. The link holds the submission, since nothing is kept here.
 *
 * @param reader The form in the visitor's language.
 */
export async function hold(mail: DoubleOptIn, reader: Form, passage: Passage): Promise<Found> {
  return { ending: await sendLink(mail, reader, passage) };
}

async function sendLink(mail: DoubleOptIn, reader: Form, passage: Passage): Promise<Outcome> {
  const { form, world, tell } = passage;
  const { formTokenSecret, publicUrl } = world.settings;
  if (formTokenSecret === '') return { kind: 'no_token_secret' };
  const before = publicUrl === undefined ? undefined : linkBefore(publicUrl, world.request);
  if (before === undefined) return { kind: 'no_public_url' };
  const submission = passage.checked();
  for (const foresee of form.stages.foresee) {
    const ending = await foresee(form, submission, tell, world);
    if (ending) return ending;
  }
  const values = packed(form, submission.values);
  const href = shortLink(reader, { ...submission, values }, (held) => {
    const sealed = sealSubmission(formTokenSecret, form.id, held, world.effects.uuid());
    return withQuery(apiPath(before, 'confirm', reader), `${sealedField}=${sealed}`);
  });
  if (href === undefined) return tooLong(form.fields, submission.values, 'opt_in_too_long');
  const { prepare } = await visitorMailer(world);
  const prepared = await prepare({
    key: 'double_opt_in',
    id: `${submission.requestId}-opt-in`,
    mail,
    form: reader,
    submission,
    button: { words: reader.say({ code: 'opt_in_button' }), href },
    until: submission.deadline,
    tell,
  });
  const ending = prepared.ok ? await prepared.value() : prepared.error;
  return ending === 'sent' ? { kind: 'held' } : outcomeOf(ending, mail.to);
}

export function outcomeOf(
  ending: Exclude<Awaited<ReturnType<Send>>, 'sent'> | MailWithheld | MailError,
  to: string,
): Outcome {
  switch (ending) {
    case 'no_address':
      return { kind: 'invalid', errors: [{ field: to, code: 'not_an_email' }] };
    case 'own_address':
    case 'automatic_address':
    case 'blocked_address':
    case 'no_such_address':
      return { kind: 'invalid', errors: [{ field: to, code: 'opt_in_address' }] };
    case 'address_had_one':
      return { kind: 'limited', by: 'address' };
    case 'per_hour_reached':
    case 'no_room':
      return { kind: 'limited', by: 'form' };
    default:
      return { kind: 'undelivered' };
  }
}

/**
 * Never trust the Host header: a stranger's would lead the mail's recipient to the stranger's site. On Lambda
 * a path may stand before the relay's own: any but the stage's may hold words of whoever sent the request.
 */
export function linkBefore(publicUrl: string, { mountPath = '', isMountSure = false }: RelayRequest) {
  return mountPath === '' || isMountSure ? publicUrl + mountPath : undefined;
}

/** With the page where the form was filled in, if there is room for that. */
function shortLink(
  form: Form,
  { requestId, receivedAt, values, page: from }: Checked,
  linkTo: (held: Held) => string,
): string | undefined {
  const pages = page.of(form) && from ? [from, undefined] : [undefined];
  return pages
    .map((one) => linkTo({ requestId, receivedAt, values, page: one }))
    .find((href) => href.length <= mostLinkCharacters);
}

/** People's entries always fit where nothing is delivered without the link (link_room.ts). */
export function tooLong(
  fields: readonly Pick<Field, 'name'>[],
  values: Values,
  code: 'opt_in_too_long' | 'resume_too_long',
): Outcome {
  const sizeOf = (name: string) => Buffer.byteLength((values.get(name) ?? []).join(''));
  const [longest] = fields.map(({ name }) => name).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return { kind: 'invalid', errors: [{ field: longest ?? '', code }] };
}
