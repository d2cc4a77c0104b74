import type { RelayResponse } from '../../base/http.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { Soon } from '../../base/soon.ts';
import type { Found } from '../../form.ts';
import { optional } from '../../schema/keys.ts';
import { feature } from '../feature.ts';
import { doubleOptInSchema } from './mail_parts.ts';
import { type DoubleOptIn, mailWarnings, placedTemplates } from './visitor_mail.ts';

const hold = lateFunction(late(async () => (await import('./hold.ts')).hold));

/** Delivers nothing before the link in a mail was clicked by whoever filled in the form. */
export const doubleOptIn = feature({
  name: 'double_opt_in',
  keys: {
    form: {
      double_opt_in: optional(
        'Holds a submission back until whoever filled in the form clicks the link in a mail. Needs FORM_TOKEN_SECRET and PUBLIC_URL in the environment.',
        doubleOptInSchema,
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly double_opt_in?: DoubleOptIn } }) => form.double_opt_in,
  needs: () => [
    { name: 'FORM_TOKEN_SECRET', path: ['double_opt_in'] },
    { name: 'PUBLIC_URL', path: ['double_opt_in'] },
  ],
  mailsTo: ({ to }) => to,
  templates: (mail) => placedTemplates('double_opt_in', mail),
  warnings: (mail, form) => mailWarnings('double_opt_in', mail, form),
  answers: () => ({ dropsAs: () => 'held' }),
  routes: [
    {
      name: 'confirm',
      methods: 'GET, POST',
      answer: async (call): Promise<RelayResponse> => {
        const { showConfirmation, postConfirmation } = await import('./confirm.ts');
        const answer = call.request.method === 'POST' ? postConfirmation : showConfirmation;
        return answer(call, doubleOptIn.of);
      },
    },
  ],
  stages: (asked) => ({
    accept: (passage): Soon<Found> => {
      const reader = passage.world.reader(passage.form);
      return hold(doubleOptIn.of(reader) ?? asked, reader, passage);
    },
  }),
});
