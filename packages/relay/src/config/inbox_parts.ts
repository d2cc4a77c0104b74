import { late } from '../base/late.ts';
import type { Schema } from '../schema/any_schema.ts';
import { lateSchema } from '../schema/keys.ts';
import type { InboxSettings } from './inbox_keys.ts';

/** The keys of a team's inbox. Most relays have none. */
export const inboxParts = late(() => import('./inbox_keys.ts'), 'inbox');
export const inboxSchema: Schema<InboxSettings> = lateSchema(inboxParts, (loaded) => loaded.inboxSchema);
