/** Submissions that somebody marked. */
import type { Mark } from '../api.ts';
import type { MarkCounts, MarkedAt } from '../entry_index.ts';
import { inForms } from './choose.ts';
import type { Entries } from './entries.ts';
import type { Database } from './sqlite.ts';

const inAny = `FROM entry WHERE mark IS NOT NULL AND ${inForms}`;

export function countMarks(db: Database, forms: readonly string[], since: number): MarkCounts {
  const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`;
  const sql = `SELECT ${count("sealed IS NOT 1 AND mark = 'spam'")} AS spam, ${count("sealed IS NOT 1 AND mark = 'ham'")} AS ham,
    ${count('sealed = 1')} AS sealed, ${count('sealed IS NOT 1 AND marked_at > ?')} AS newer ${inAny}`;
  return db.get<MarkCounts>(sql, since, JSON.stringify(forms)) as MarkCounts;
}

export function marked(entries: Entries, forms: readonly string[]): readonly MarkedAt[] {
  const sql = `SELECT row, mark, marked_at AS markedAt ${inAny}`;
  return entries.db
    .all<{ row: number; mark: Mark; markedAt: number }>(sql, JSON.stringify(forms))
    .flatMap((one) => {
      const at = entries.stored(one.row).find(({ path }) => !path.endsWith('.age'));
      return at ? [{ ...at, isSpam: one.mark === 'spam', markedAt: one.markedAt }] : [];
    });
}
