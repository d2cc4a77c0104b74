/** Pages of a choice for programs: what arrives meanwhile moves nothing from one page to another. */
import type { Entry, Query } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import { choose } from './choose.ts';
import { type Listed, listed, shown } from './entries.ts';
import type { Database } from './sqlite.ts';

export interface PageAsked {
  readonly query: Query;
  readonly forms: Forms;
  readonly isOldestFirst: boolean;
  /** The entry after which the page begins. Default: it begins with the first. */
  readonly after?: { readonly at: number; readonly id: string } | undefined;
  readonly count: number;
}

/** An extra entry shows that there are more. */
export function pageOf(
  db: Database,
  { query, forms, isOldestFirst, after, count }: PageAsked,
): readonly Entry[] {
  const { sql, values } = choose(db, query, forms);
  const [sign, order] = isOldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
  const { at = isOldestFirst ? -1 : Number.MAX_SAFE_INTEGER, id = '' } = after ?? {};
  return db
    .all<Listed>(
      `SELECT ${listed} ${sql} AND (at, id) ${sign} (?, ?) ORDER BY at ${order}, id ${order} LIMIT ?`,
      ...[...values, at, id, count + 1],
    )
    .map(shown);
}
