import { late } from '../base/late.ts';

export type { InboxSettings } from './inbox_keys.ts';

/** The keys of a team's inbox. Most relays have none. */
export const inboxParts = late(() => import('./inbox_keys.ts'), 'inbox');
