/** What a choice has, in pages. */
import type { Choice } from './choose.ts';
import type { Listed } from './entries.ts';
import type { Database } from './sqlite.ts';

const mostIds = 5_000;
export const newest = 'ORDER BY at DESC, entry.row DESC';

/** Ids of a choice. */
export interface IdPage {
  readonly ids: readonly string[];
  /** To go on with; absent at the end. */
  readonly next?: string;
}

export const countOf = (db: Database, { sql, values }: Choice): number =>
  db.get<{ count: number }>(`SELECT count(*) AS count ${sql}`, ...values)?.count ?? 0;

/** All of a choice, newest first. @param after The `next` of an earlier call. */
export function idsAfter(db: Database, { sql, values }: Choice, after: string | undefined): IdPage {
  const [at = 0, row = 0] = after?.split('-').map(Number) ?? [Infinity];
  const rows = db.all<Listed>(
    `SELECT entry.row, id, at ${sql} AND (at, entry.row) < (?, ?) ${newest} LIMIT ?`,
    ...[...values, at, row, mostIds + 1],
  );
  const last = rows.length > mostIds ? rows[mostIds - 1] : undefined;
  return { ids: rows.slice(0, mostIds).map(({ id }) => id), ...(last && { next: `${last.at}-${last.row}` }) };
}
