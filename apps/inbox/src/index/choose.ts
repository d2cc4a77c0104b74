/** Which entries a query means. */
import { searchFor } from '@form-relay/stored/person/find';
import type { Entry, Mark, Query, Standing } from '../api.ts';
import type { ExportRow, Forms, IndexedEntry, MarkCounts, MarkedAt, StoredAt } from '../entry_index.ts';
import { type Entries, type Listed, listed, shown, visible } from './entries.ts';
import type { Database, Value } from './sqlite.ts';
import { endsWithAddress, holdsAddress, matchOf } from './texts.ts';

/** `FROM … WHERE …`, with its values. */
export interface Choice {
  readonly sql: string;
  readonly values: readonly Value[];
}

const mostLookedUp = 1_000;

/** The first `Standing` that holds. */
const standings: Readonly<Record<Standing, string>> = {
  failed: 'failed = 1',
  waiting: "+state = 'kept' AND failed = 0",
  dropped: "+state = 'dropped' AND failed = 0",
  doubted: "doubted = 1 AND mark IS NULL AND +state = 'stored' AND failed = 0",
  delivered: "+state = 'stored' AND failed = 0 AND (doubted = 0 OR mark IS NOT NULL)",
};
export const standing = `CASE WHEN failed = 1 THEN 'failed' WHEN state = 'kept' THEN 'waiting' WHEN state = 'dropped' THEN 'dropped'
  WHEN doubted = 1 AND mark IS NULL THEN 'doubted' ELSE 'delivered' END`;

/** An address means itself, or while nothing has it, all that begin so. */
export function choose(db: Database, query: Query, forms: Forms): Choice {
  const exact = endsWithAddress(query.search) ? chosen(db, query, forms, true) : undefined;
  return exact && db.get(`SELECT 1 ${exact.sql} LIMIT 1`, ...exact.values) ? exact : chosen(db, query, forms);
}

function chosen(db: Database, query: Query, forms: Forms, isExact?: boolean): Choice {
  const { search, since, until, state, form, unread, mark, reason, label, assigned, work } = query;
  const conditions: string[] = [];
  const values: Value[] = [];
  const need = (condition: string, ...more: readonly Value[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  const match = matchOf(search, isExact);
  // A few are looked up by their rows. Among many, the list is read until enough are found.
  const isFew = match ? countFound(db, match) < mostLookedUp : false;
  if (match === '') need('0');
  else if (match !== undefined && !isFew) need(`+row IN (${found})`, match, match);
  need(visible);
  if (forms) need(inForms, JSON.stringify([...forms]));
  if (form !== undefined) need('form = ?', form);
  if (since !== undefined) need('at >= ?', since);
  if (until !== undefined) need('at < ?', until);
  if (state === 'stored' || state === 'kept') need('+state = ?', state);
  else if (state !== undefined) need(standings[state]);
  if (unread) need('read = 0');
  if (mark === 'none') need('+mark IS NULL');
  else if (mark !== undefined) need('+mark = ?', mark);
  if (reason !== undefined) need('(why = ? OR instr(kept, ?))', reason, `"reason":${JSON.stringify(reason)}`);
  if (label !== undefined)
    need(`id IN (SELECT work.id FROM work, json_each(labels) ${hasName('value')})`, label);
  if (assigned === '-') need(`entry.row NOT IN (${worked("assigned <> ''")})`);
  else if (assigned !== undefined) need(`id IN (SELECT id FROM work ${hasName('assigned')})`, assigned);
  if (work === 'done') need('id IN (SELECT id FROM work WHERE done = 1)');
  // Rows are in the index of the list, ids are not.
  else if (work === 'open') need(`entry.row NOT IN (${worked('done = 1')})`);
  const from = isFew ? `(${found}) AS one CROSS JOIN entry ON entry.row = one.found` : 'entry';
  const all = isFew && match ? [match, match, ...values] : values;
  return { sql: `FROM ${from} WHERE ${['1', ...conditions].join(' AND ')}`, values: all };
}

/** The words of a change are those of its submission, too. */
const found = `SELECT rowid AS found FROM words WHERE words MATCH ?
  UNION SELECT first.row FROM entry AS part JOIN entry AS first ON first.id = part.origin AND first.form = part.form
    WHERE part.origin IS NOT NULL AND part.row IN (SELECT rowid FROM words WHERE words MATCH ?)`;

const hasName = (column: string) => `WHERE lower(${column}) = lower(?)`;
const worked = (condition: string) =>
  `SELECT one.row FROM work JOIN entry AS one USING (id) WHERE ${condition}`;

const countFound = (db: Database, match: string): number => {
  const found = `SELECT 1 FROM words WHERE words MATCH ? LIMIT ${mostLookedUp}`;
  return db.get<{ count: number }>(`SELECT count(*) AS count FROM (${found})`, match)?.count ?? 0;
};

/** Forms as JSON. */
export const inForms = 'form IN (SELECT value FROM json_each(?))';

const mostRows = 1_000;
export const newest = 'ORDER BY at DESC, entry.row DESC';

/** A part of a choice. */
export interface RowPage {
  readonly rows: readonly ExportRow[];
  /** To go on with; absent at the end. */
  readonly next?: string;
}

export const countOf = (db: Database, { sql, values }: Choice): number =>
  db.get<{ count: number }>(`SELECT count(*) AS count ${sql}`, ...values)?.count ?? 0;

/** All of a choice, newest first. @param after The `next` of an earlier call. */
export function rowsAfter(db: Database, { sql, values }: Choice, after: string | undefined): RowPage {
  const [at = 0, row = 0] = after?.split('-').map(Number) ?? [Infinity];
  const found = db.all<Listed>(
    `SELECT entry.row, id, form, at, state ${sql} AND (at, entry.row) < (?, ?) ${newest} LIMIT ?`,
    ...[...values, at, row, mostRows + 1],
  );
  const rows = found.slice(0, mostRows);
  const last = found.length > mostRows ? rows.at(-1) : undefined;
  return { rows: withPlaces(db, rows), ...(last && { next: `${last.at}-${last.row}` }) };
}

const storedAt = 'SELECT archive, path FROM stored WHERE row = ?';

/** Archives of what was dropped follow all others. */
function withPlaces(db: Database, rows: readonly Listed[]): readonly ExportRow[] {
  const places = new Map<number, StoredAt[]>(rows.map(({ row }) => [row, []]));
  const sql =
    'SELECT row, archive, path FROM stored WHERE row IN (SELECT value FROM json_each(?)) ORDER BY archive';
  for (const { row, ...at } of db.all<StoredAt & { row: number }>(sql, JSON.stringify([...places.keys()])))
    places.get(row)?.push(at);
  const ofLatest = `SELECT row, id FROM entry WHERE origin = ? AND form = ? AND sealed = 0 ORDER BY at DESC LIMIT 1`;
  return rows.map(({ row, id, form, at, state }) => {
    const later = db.get<{ row: number; id: string }>(ofLatest, id, form);
    const latest = later && { id: later.id, form, stored: db.all<StoredAt>(storedAt, later.row) };
    return { id, form, receivedAt: at, state, stored: places.get(row) ?? [], ...(latest && { latest }) };
  });
}

/** Some of the entries, in this order. */
export function rowsOf(db: Database, ids: readonly string[], forms: Forms): readonly ExportRow[] {
  const sql = 'SELECT row, id, form, at, state FROM entry WHERE id = ?';
  const found = [...new Set(ids)].flatMap((id) => db.get<Listed>(sql, id) ?? []);
  return withPlaces(
    db,
    found.filter(({ form }) => !forms || forms.has(form)),
  );
}

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

/** The entries of a choice from a position on, the newest first. */
export const windowOf = (
  db: Database,
  { sql, values }: Choice,
  from: number,
  count: number,
): readonly Entry[] =>
  db
    .all<Listed>(
      `SELECT ${listed} FROM (SELECT entry.row AS chosen ${sql} ${newest} LIMIT ? OFFSET ?)
        JOIN entry ON row = chosen ${newest}`,
      ...[...values, Math.min(count, 1_000), Math.max(0, from)],
    )
    .map(shown);

export function countSealed(db: Database, forms: Forms): number {
  const { sql, values } = choose(db, {}, forms);
  return countOf(db, { sql: `${sql} AND sealed = 1`, values });
}

/** Entries in which this address occurs, ignoring case, dropped ones included; sealed ones are not found. */
export async function ofAddress(
  db: Database,
  entries: Entries,
  email: string,
  forms: Forms,
  read: Parameters<typeof holdsAddress>[2],
): Promise<readonly IndexedEntry[]> {
  if (email.trim() === '') return [];
  const { sql, values } = choose(db, { search: searchFor(email) }, forms);
  const found = [];
  for (const { id } of db.all<Listed>(`SELECT id ${sql} ${newest}`, ...values)) {
    const entry = entries.get(id);
    const stored = entry && [entry, ...entry.changes].flatMap((one) => one.stored);
    if (entry && (await holdsAddress(stored ?? [], email, read))) found.push(entry);
  }
  return found;
}

// Pages of a choice for programs: what arrives meanwhile moves nothing from one page to another.

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
