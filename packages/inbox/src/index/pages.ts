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
  const rows = db.all<Listed>(
    `SELECT entry.row, id, at ${sql} AND (at, entry.row) < (?, ?) ${newest} LIMIT ?`,
    ...[...values, ...cursorIn(after, Infinity), mostIds + 1],
  );
  return { ids: rows.slice(0, mostIds).map(({ id }) => id), ...nextOf(rows, mostIds) };
}

/** Sealed entries, oldest first, for the page that opens them. @param after The `next` of an earlier call. */
export function sealedAfter(db: Database, choice: Choice, after: string | undefined, count: number) {
  const { values } = choice;
  const sql = `${choice.sql} AND sealed = 1`;
  const rows = db.all<Listed>(
    `SELECT row, id, form, at ${sql} AND (at, row) > (?, ?) ORDER BY at, row LIMIT ?`,
    ...[...values, ...cursorIn(after, -Infinity), count + 1],
  );
  return {
    entries: rows.slice(0, count).map(({ id, form, at }) => ({ id, form, receivedAt: at })),
    ...nextOf(rows, count),
    total: countOf(db, { sql, values }),
  };
}

/** Where a page of so many ends, if more rows follow. */
const nextOf = (rows: readonly Listed[], count: number) => {
  const last = rows.length > count ? rows[count - 1] : undefined;
  return last && { next: `${last.at}-${last.row}` };
};

function cursorIn(after: string | undefined, start: number): readonly number[] {
  const [at = 0, row = 0] = after?.split('-').map(Number) ?? [start];
  return [at, row];
}
