import { late } from '../../base/late.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { lateSchema } from '../../schema/keys.ts';
import type { Closed } from './closed.ts';

/** The key `closed`. */
export const lateClosed = late(() => import('./closed.ts'), 'closed');
export const closedDays: Schema<Closed> = lateSchema(lateClosed, (loaded) => loaded.closedDays);

/** The key `time_zone`. */
export const lateTimeZone = late(() => import('./key_time_zone.ts'), 'time_zone');
export const timeZone: Schema<string> = lateSchema(lateTimeZone, (loaded) => loaded.timeZone);
