import { resumeField } from '../../api_urls.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { Soon } from '../../base/soon.ts';
import type { Field } from '../../fields/field.ts';
import type { Found } from '../../form.ts';
import { optional } from '../../schema/keys.ts';
import { feature } from '../feature.ts';
import { resumeSchema } from './mail_parts.ts';
import { mailWarnings, placedTemplates, type Resume, type ResumeKeys } from './visitor_mail.ts';

const mailLink = lateFunction(late(async () => (await import('./mail_link.ts')).mailLink));
export const resumeParts = late(() => import('./resume_answers.ts'), 'resume');

export interface Keys {
  readonly resume?: boolean | ResumeKeys | undefined;
  /** With notes between them. */
  readonly fields: readonly object[];
  readonly time_zone?: string | undefined;
}

interface Asked {
  readonly form: Keys;
  readonly top: Pick<Keys, 'time_zone'>;
}

/** Mails a link that opens the form with the answers so far (docs/saving-for-later.md). */
export const resume = feature({
  name: 'resume',
  isForBrowsers: true,
  keys: {
    form: {
      resume: optional(
        'Adds a button that mails visitors a link, with which they go on later: `true`, or a map. The link holds their answers, sealed; nothing is stored (docs/saving-for-later.md). Needs FORM_TOKEN_SECRET and PUBLIC_URL in the environment.',
        resumeSchema,
      ),
    },
  },
  settings: ({ form, top }: Asked): Resume | undefined => {
    if (!form.resume) return undefined;
    const asked = form.resume === true ? defaults : form.resume;
    const fields = form.fields as readonly Partial<Pick<Field, 'name' | 'type'>>[];
    const to = asked.to ?? fields.find(({ type }) => type === 'email')?.name ?? '';
    return { ...asked, to, zone: form.time_zone ?? top.time_zone };
  },
  names: () => [resumeField],
  reserves: ({ form }) => (form.resume === undefined ? [] : [{ name: resumeField, check: 'resume' }]),
  needs: () => [
    { name: 'FORM_TOKEN_SECRET', path: ['resume'] },
    { name: 'PUBLIC_URL', path: ['resume'] },
  ],
  templates: (asked) => placedTemplates('resume', asked),
  warnings: (asked, form) => mailWarnings('resume', asked, form),
  answers: () => ({
    add: resumeParts.loaded.button,
    // A bot that presses the button gets the answer that others get for it.
    dropsAs: (_, sent) => (sent?.has(resumeField) ? 'saved' : undefined),
  }),
  stages: (asked) => ({
    check: (passage): Soon<Found> => {
      if (!passage.submission.values.has(resumeField)) return {};
      const reader = passage.world.reader(passage.form);
      return mailLink(resume.of(reader) ?? asked, reader, passage);
    },
  }),
});

/** What `true` stands for. */
const defaults: ResumeKeys = { html: false, per_hour: 100, expires: 7 * 86_400_000 };
