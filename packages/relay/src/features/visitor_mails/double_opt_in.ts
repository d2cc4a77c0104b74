import { late, lateFunction } from '../../base/late.ts';
import type { Soon } from '../../base/soon.ts';
import type { Found } from '../../form.ts';
import { feature } from '../feature.ts';
import type { DoubleOptIn } from './visitor_mail.ts';

const hold = lateFunction(late(async () => (await import('./hold.ts')).hold));

/** Delivers nothing before the link in a mail was clicked by whoever filled in the form (D88). */
export const doubleOptIn = feature({
  name: 'double_opt_in',
  settings: ({ form }: { readonly form: { readonly double_opt_in?: DoubleOptIn } }) => form.double_opt_in,
  needs: () => [
    { name: 'FORM_TOKEN_SECRET', path: ['double_opt_in'] },
    { name: 'PUBLIC_URL', path: ['double_opt_in'] },
  ],
  stages: (asked) => ({
    accept: (passage): Soon<Found> => {
      const reader = passage.world.reader(passage.form);
      return hold(doubleOptIn.of(reader) ?? asked, reader, passage);
    },
  }),
});
