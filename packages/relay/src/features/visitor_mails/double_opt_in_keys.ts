import type { Schema } from '../../schema/any_schema.ts';
import { required, withDefault } from '../../schema/keys.ts';
import { duration, name, number } from '../../schema/kinds.ts';
import type { DoubleOptIn } from './visitor_mail.ts';
import { visitorMailKeys, visitorMailSection } from './visitor_mail_keys.ts';

export const doubleOptInKeys = {
  ...visitorMailKeys,
  to: required(
    'The name of the `email` field that holds the address to be confirmed. It is `required`.',
    name(),
  ),
  per_hour: withDefault(
    '100',
    'How many of these mails the form sends in an hour, of each relay that runs. An address gets three in an hour at most.',
    number({ least: 1, most: 10_000, whole: true }),
  ),
  expires: withDefault(
    '48h',
    'How long the link can be used, from a minute to 90 days.',
    duration({ leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
};

/** What stands under `double_opt_in`. */
export const doubleOptInSchema = visitorMailSection(doubleOptInKeys) as Schema<DoubleOptIn>;
