import type { Feature, Field, FormView, Html, Outcome, Submission, Values } from '@form-relay/core/index';
import {
  apiPath,
  attributes,
  feature,
  firstValue,
  guard,
  html,
  invalid,
  momentWords,
  onOutcome,
  optional,
  Template,
  withOwn,
  withoutEmpty,
} from '@form-relay/core/kit';
import { fillingHooks } from '@form-relay/senders/links/index';
import { linkField, openedLink } from '@form-relay/senders/links/opened';
import { type Link, sealLink } from '@form-relay/senders/links/sealed_link';
import { type Resume, resumeSchema } from './keys.ts';
import { linkBefore, tooLong, withQuery } from './link.ts';
import { mostLinkCharacters } from './link_room.ts';
import { readerOf } from './mail.ts';
import type { Mailing } from './mailing.ts';
import { checkMail } from './problems.ts';

/** The name of the button that mails a link to go on later. */
const resumeField = '_resume';

const asSaved = { says: { code: 'resume_sent' }, keepsForm: true } as const;
const saved: Outcome = { kind: 'saved', status: 200, ...asSaved };

/** Mails a link that opens the form with the answers so far (docs/saving-for-later.md). */
export const resume = (mailing: Mailing): Feature =>
  feature({
    name: 'resume',
    after: ['captcha', 'form_token', 'min_fill', 'time_zone'],
    keys: {
      form: {
        resume: optional(
          'Adds a button that mails visitors a link, with which they go on later: `true`, or a map. The link holds their answers, sealed; nothing is stored (docs/saving-for-later.md). Needs FORM_TOKEN_SECRET and PUBLIC_URL in the environment.',
          resumeSchema,
        ),
      },
    },
    configure: (config, at) => {
      const { form, fields, provided } = config;
      const asked = form.resume;
      if (!asked) return undefined;
      const place = at.in('resume');
      place.needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
      const emails = fields.filter(({ type }) => type === 'email').map(({ name }) => name);
      const to = asked.to ?? emails[0] ?? '';
      if (asked.to === undefined && emails.length !== 1)
        place.error(
          emails.length === 0
            ? 'nobody knows where to mail the link; give the form a field of type email'
            : `the form has several fields of type email; say which one gets the link, such as resume: {to: ${emails[0]}}`,
        );
      checkMail({ ...asked, to: asked.to }, config, place);
      const zone = provided.get('time_zone');
      const filling = provided.get('links') === undefined ? fillingHooks(false) : undefined;
      return {
        ...filling,
        provides: asked,
        browsersOnly: true,
        reservedFields: [{ name: resumeField, key: ['resume'] }, ...(filling?.reservedFields ?? [])],
        // A bot that presses the button gets the answer that others get for it.
        onRequest: onOutcome((outcome, { sent }) =>
          outcome.kind === 'dropped' && sent.has(resumeField) ? { ...outcome, ...asSaved } : outcome,
        ),
        beforeValidation: guard((submission) =>
          submission.sent.has(resumeField)
            ? mailLink({ ...asked, to }, typeof zone === 'string' ? zone : undefined, mailing, submission)
            : undefined,
        ),
        renderMarkup: (view) => ({
          ...filling?.renderMarkup(view),
          after: html`\n<p>${button(view)}</p>`,
          ...(view.medium === 'script' && { part: 'resume' }),
        }),
      };
    },
  });

/** It sends the form like any other button, but for what browsers demand. */
function button({ locale, classes = {} }: FormView): Html {
  const own = withOwn('form-resume', classes.back ?? classes.button);
  return html`<button${attributes({ type: 'submit', name: resumeField, value: '1', formnovalidate: true, class: own })}>${locale.translate({ code: 'resume_button' })}</button>`;
}

type Asked = Resume & { readonly to: string };

/** Nothing is delivered, and nothing kept. */
async function mailLink(
  asked: Asked,
  zone: string | undefined,
  mailing: Mailing,
  submission: Submission,
): Promise<Outcome> {
  const { form, settings, services, sent: values } = submission;
  const before = linkBefore(submission);
  if (typeof before !== 'string') return before;
  const error = wrongAddress(form.fields, asked.to, submission);
  if (error) return error;
  const locale = readerOf(submission);
  const link = linkOf(asked, submission);
  const sealed = sealLink(settings.formTokenSecret, form.id, link, services.uuid());
  const isFieldNamedAs = form.fields.some(({ name }) => name === 'as');
  const own = withQuery(apiPath(before, 'form', form.id), [isFieldNamedAs ? '' : 'as=page', locale.query]);
  const href = withQuery(asked.page?.href ?? own, [`${linkField}=${sealed}`]);
  if (href.length > mostLinkCharacters) return tooLong(form.fields, values, 'resume_too_long');
  const params = {
    title: form.title === undefined ? form.id : locale.text(form.title),
    time: momentWords(link.until, zone),
  };
  const words = (code: string) => {
    const said = locale.translate({ code, params });
    return new Template(said, said);
  };
  const mail = {
    ...asked,
    subject: asked.subject ?? words('resume_subject'),
    text: asked.text ?? words('resume_text'),
  };
  // Nothing was validated; what stands in the mail are options alone.
  submission.values = values;
  const button = { words: locale.translate({ code: 'resume_open' }), href };
  return (await mailing.awaited({ key: 'resume', mail, submission, button })) ?? saved;
}

/** Only the address is looked at: the rest may be half finished. */
function wrongAddress(fields: readonly Field[], to: string, submission: Submission): Outcome | undefined {
  const field = fields.find(({ name }) => name === to);
  const filled = withoutEmpty(submission.sent.get(to) ?? []);
  const error =
    field && (filled.length === 0 ? { field: to, ...field.missing } : field.check(filled, submission));
  return error && invalid([error]);
}

/** A link of the owner's passes on what it fills in, and for no longer than it. */
function linkOf({ expires }: Asked, { form, settings, sent, receivedAt }: Submission): Link {
  const opened = openedLink(settings.formTokenSecret, form.id, firstValue(sent, linkField), receivedAt);
  const owners = opened.kind === 'open' && opened.link.isOwners ? opened.link : undefined;
  return {
    until: Math.min(receivedAt + expires, owners?.until ?? Infinity),
    values: new Map([...(owners?.values ?? []), ...valuesForLater(form.fields, sent)]),
    locked: owners?.locked ?? [],
    isOwners: owners !== undefined,
  };
}

/** What the owner wants kept nowhere, and what browsers call secrets: passwords, codes, and cards. */
const secret = /(^|\s)(off|(current|new)-password|one-time-code|cc-\S+)\s*$/i;

const isForLater = ({ isEnteredAnew, type, autocomplete = '' }: Field): boolean =>
  !isEnteredAnew && type !== 'hidden' && !secret.test(autocomplete);

/** What links may fill in (`from_query`), or else a stranger's link could. What was emptied stays empty. */
function valuesForLater(fields: readonly Field[], values: Values): Values {
  const later = new Map<string, readonly string[]>();
  const open = fields
    .filter((field) => !field.isClosedToLinks && isForLater(field))
    .flatMap((field) => {
      const inputs = field.inputs?.all ?? [];
      return inputs.every(isForLater) ? [field] : inputs.filter(isForLater);
    });
  for (const [name, sent] of values) {
    const field = open.find((one) => name === one.name || name.startsWith(`${one.name}.`));
    const filled = withoutEmpty(sent);
    if (field && (filled.length > 0 || field.value)) later.set(name, filled);
  }
  return later;
}
