import { late } from '../base/late.ts';
import { lateSchema } from '../schema/keys.ts';

export const journalParts = late(() => import('./journal_key.ts'), 'journal');
export const journalSchema = lateSchema(journalParts, (loaded) => loaded.journalSchema);
