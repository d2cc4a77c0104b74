import { linkField, pageAddress, withQuery } from '../../api_urls.ts';
import type { FieldError } from '../../base/outcome.ts';
import { firstValue, type Values, withoutEmpty } from '../../base/values.ts';
import { inputsOf } from '../../fields/field.ts';
import { fieldsForLater } from '../../fields/kept.ts';
import type { Form, Found, Passage } from '../../form.ts';
import { openedLink } from '../links/link_answers.ts';
import { type Link, sealLink } from '../links/sealed_link.ts';
import { linkBefore, outcomeOf, tooLong } from './hold.ts';
import { mostLinkCharacters } from './link_room.ts';
import { type Resume, resumeMail } from './visitor_mail.ts';
import { visitorMailer } from './visitor_mailer.ts';

/**
 * Mails a link that opens the form with the answers so far, which it holds. Nothing is delivered, and nothing kept.
 *
 * @param reader The form in the visitor's language.
 */
export async function mailLink(asked: Resume, reader: Form, passage: Passage): Promise<Found> {
  const { form, world, tell, submission } = passage;
  const { values, receivedAt, requestId, deadline } = submission;
  const { formTokenSecret, publicUrl } = world.settings;
  if (formTokenSecret === '') return { ending: { kind: 'no_token_secret' } };
  const before = publicUrl === undefined ? undefined : linkBefore(publicUrl, world.request);
  if (before === undefined) return { ending: { kind: 'no_public_url' } };
  const error = addressError(reader, asked.to, values);
  if (error) return { ending: { kind: 'invalid', errors: [error] } };
  const link = linkOf(asked, passage);
  const sealed = sealLink(formTokenSecret, form.id, link, world.effects.uuid());
  const href = withQuery(asked.page?.href ?? pageAddress(before, reader), `${linkField}=${sealed}`);
  if (href.length > mostLinkCharacters)
    return { ending: tooLong(inputsOf(fieldsForLater(form.fields)), values, 'resume_too_long') };
  const { prepare } = await visitorMailer(world);
  const prepared = await prepare({
    key: 'resume',
    id: `${requestId}-resume`,
    mail: resumeMail(asked, reader, link.until),
    form: reader,
    // Nothing was validated; what stands in the mail are options alone.
    submission: { ...passage.checked(), values },
    button: { words: reader.say({ code: 'resume_open' }), href },
    until: deadline,
    tell,
  });
  const ending = prepared.ok ? await prepared.value() : prepared.error;
  if (ending === 'sent') return { ending: { kind: 'saved' } };
  return { ending: outcomeOf(ending, asked.to) };

  /** A link of the owner's passes on what it fills in, and for no longer than it. */
  function linkOf({ expires }: Resume, { settings }: Passage): Link {
    const opened = openedLink(form, firstValue(values, linkField), { settings, now: receivedAt });
    const owners = opened.kind === 'open' && opened.link.isOwners ? opened.link : undefined;
    return {
      until: Math.min(receivedAt + expires, owners?.until ?? Infinity),
      values: new Map([...(owners?.values ?? []), ...valuesForLater(form, values)]),
      locked: owners?.locked ?? [],
      isOwners: owners !== undefined,
      singleUse: owners?.singleUse,
    };
  }
}

/** Only the address is looked at: the rest may be half finished. */
function addressError({ fields }: Form, to: string, values: Values): FieldError | undefined {
  const field = fields.find(({ name }) => name === to);
  const filled = withoutEmpty(values.get(to) ?? []);
  if (field && filled.length === 0) return { field: to, ...field.missing };
  return field?.check(filled);
}

/** What links may fill in (`from_query`), or else a stranger's link could. What was emptied stays empty. */
function valuesForLater(form: Form, values: Values): Values {
  const fields = fieldsForLater(form.fields.filter(({ from_query }) => from_query));
  const later = new Map<string, readonly string[]>();
  for (const [name, sent] of values) {
    const field = fields.find((one) => name === one.name || name.startsWith(`${one.name}.`));
    const filled = withoutEmpty(sent);
    if (field && (filled.length > 0 || field.value)) later.set(name, filled);
  }
  return later;
}
