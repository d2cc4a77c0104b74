import { late } from '../base/late.ts';
import { lateSchema, optional } from '../schema/keys.ts';

/** The key `country` of `tel`. Its library is large, so other keys and values of this name should not load it. */
export const latePhone = late(() => import('./phone.ts'), 'country:', 'country"', "country'", 'country :');

export const phoneCountry = optional(
  'Asks for the country beside the number, checks the number, and delivers it as E.164, such as `+4930901820`: `true`, or the code of the country that is chosen at first, such as `DE`.',
  lateSchema(latePhone, (loaded) => loaded.phoneCountry),
);
