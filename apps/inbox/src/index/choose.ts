/** Turns a query into SQL. */
import type { Query, Standing } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import { visible } from './entries.ts';
import type { Database, Value } from './sqlite.ts';
import { endsWithAddress, matchOf } from './texts.ts';

/** `FROM … WHERE …`, with its values. */
export interface Choice {
  readonly sql: string;
  readonly values: readonly Value[];
}

const mostLookedUp = 1_000;

/** The first `Standing` that applies. */
const standings: Readonly<Record<Standing, string>> = {
  failed: 'failed = 1',
  waiting: "+state = 'kept' AND failed = 0",
  dropped: "+state = 'dropped' AND failed = 0",
  doubted: "doubted = 1 AND mark IS NULL AND +state = 'stored' AND failed = 0",
  delivered: "+state = 'stored' AND failed = 0 AND (doubted = 0 OR mark IS NOT NULL)",
};
export const standing = `CASE WHEN failed = 1 THEN 'failed' WHEN state = 'kept' THEN 'waiting' WHEN state = 'dropped' THEN 'dropped'
  WHEN doubted = 1 AND mark IS NULL THEN 'doubted' ELSE 'delivered' END`;

/** A complete address matches itself; if nothing has it, all addresses that begin with it. */
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
  // Few matches are looked up by row. With many matches, the list is scanned until enough entries are found.
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
  // The list's index contains rows, but no ids.
  else if (work === 'open') need(`entry.row NOT IN (${worked('done = 1')})`);
  const from = isFew ? `(${found}) AS one CROSS JOIN entry ON entry.row = one.found` : 'entry';
  const all = isFew && match ? [match, match, ...values] : values;
  return { sql: `FROM ${from} WHERE ${['1', ...conditions].join(' AND ')}`, values: all };
}

/** Words in a change also find the original submission. */
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

/** Takes the forms as JSON. */
export const inForms = 'form IN (SELECT value FROM json_each(?))';
