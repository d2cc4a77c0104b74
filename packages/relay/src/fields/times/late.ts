import { late } from '../../base/late.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { lateSchema, optional } from '../../schema/keys.ts';
import type { Closed } from './closed.ts';

/** The key `closed`. */
export const lateClosed = late(() => import('./closed.ts'), 'closed');
const closed: Schema<Closed> = lateSchema(lateClosed, (loaded) => loaded.closedDays);
export const closedDays = optional(
  'Days that cannot be chosen: weekdays, days, and days in a row, such as `[sunday, 2030-12-24 to 2030-12-26]`.',
  closed,
);

/** The key `time_zone`. */
export const lateTimeZone = late(() => import('./key_time_zone.ts'), 'time_zone');
export const timeZone: Schema<string> = lateSchema(lateTimeZone, (loaded) => loaded.timeZone);
