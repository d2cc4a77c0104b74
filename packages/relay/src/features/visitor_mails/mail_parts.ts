import { late } from '../../base/late.ts';
import { loadOutputType } from '../../outputs/index.ts';
import { lateSchema } from '../../schema/keys.ts';

/** The schemas and checks of mails to visitors. */
export const visitorMailParts = late(
  async () => {
    // A server of their own may carry them.
    await loadOutputType('smtp');
    return import('./visitor_mail_keys.ts');
  },
  'confirmation_mail',
  'double_opt_in',
  'resume',
);

export const confirmationMailSchema = lateSchema(
  visitorMailParts,
  ({ confirmationMailSchema }) => confirmationMailSchema,
);

export const resumeSchema = lateSchema(visitorMailParts, ({ resumeSchema }) => resumeSchema);

export const doubleOptInSchema = lateSchema(visitorMailParts, ({ doubleOptInSchema }) => doubleOptInSchema);
