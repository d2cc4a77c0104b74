/** Queries on the index: entries in pages, and counts by form, day and reason. */
import { searchFor } from '@form-relay/stored/person/find';
import {
  type Counts,
  type Entry,
  type Mark,
  type Numbers,
  noCounts,
  type Query,
  type Standing,
} from '../api.ts';
import type {
  CountedForm,
  ExportRow,
  Forms,
  IndexedEntry,
  KeptReason,
  MarkCounts,
  MarkedAt,
  StoredAt,
} from '../entry_index.ts';
import { type Choice, choose, inForms, standing } from './choose.ts';
import { type Entries, type Listed, listed, shown, visible } from './entries.ts';
import type { Database } from './sqlite.ts';
import { holdsAddress } from './texts.ts';

const mostRows = 1_000;
const mostReasons = 100;
const newest = 'ORDER BY at DESC, entry.row DESC';

/** Start (inclusive) and end (exclusive), in milliseconds since the epoch. */
export type Day = readonly [since: number, until: number];

/** A page of the matching entries. */
export interface RowPage {
  readonly rows: readonly ExportRow[];
  /** Pass to the next call; absent at the end. */
  readonly next?: string;
}

/** A page for API clients: new arrivals do not move entries between pages. */
export interface PageRequest {
  readonly query: Query;
  readonly forms: Forms;
  readonly isOldestFirst: boolean;
  /** The entry before the page. Default: the page starts with the first entry. */
  readonly after?: { readonly at: number; readonly id: string } | undefined;
  readonly count: number;
}

/** @param document Reads a document. */
export function createQueries(entries: Entries, document: Parameters<typeof holdsAddress>[2]) {
  const { db } = entries;
  return {
    get: (id: string) => entries.get(id),

    /** All matching entries, newest first. @param after The `next` of an earlier call. */
    rows(query: Query, forms: Forms, after?: string): RowPage {
      const { sql, values } = choose(db, query, forms);
      const [at = 0, row = 0] = after?.split('-').map(Number) ?? [Infinity];
      const found = db.all<Listed>(
        `SELECT entry.row, id, form, at, state ${sql} AND (at, entry.row) < (?, ?) ${newest} LIMIT ?`,
        ...[...values, at, row, mostRows + 1],
      );
      const rows = found.slice(0, mostRows);
      const last = found.length > mostRows ? rows.at(-1) : undefined;
      return { rows: withPlaces(db, rows), ...(last && { next: `${last.at}-${last.row}` }) };
    },

    /** These entries, in the given order. */
    rowsOf(ids: readonly string[], forms: Forms): readonly ExportRow[] {
      const sql = 'SELECT row, id, form, at, state FROM entry WHERE id = ?';
      const found = [...new Set(ids)].flatMap((id) => db.get<Listed>(sql, id) ?? []);
      return withPlaces(
        db,
        found.filter(({ form }) => !forms || forms.has(form)),
      );
    },

    /** An extra entry shows whether there are more. */
    page({ query, forms, isOldestFirst, after, count }: PageRequest): readonly Entry[] {
      const { sql, values } = choose(db, query, forms);
      const [sign, order] = isOldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
      const { at = isOldestFirst ? -1 : Number.MAX_SAFE_INTEGER, id = '' } = after ?? {};
      return db
        .all<Listed>(
          `SELECT ${listed} ${sql} AND (at, id) ${sign} (?, ?) ORDER BY at ${order}, id ${order} LIMIT ?`,
          ...[...values, at, id, count + 1],
        )
        .map(shown);
    },

    /** Entries that contain this address, including dropped ones. Sealed entries are not searched. */
    async ofAddress(email: string, forms: Forms): Promise<readonly IndexedEntry[]> {
      if (email.trim() === '') return [];
      const { sql, values } = choose(db, { search: searchFor(email) }, forms);
      const found = [];
      for (const { id } of db.all<Listed>(`SELECT id ${sql} ${newest}`, ...values)) {
        const entry = entries.get(id);
        const stored = entry && [entry, ...entry.changes].flatMap((one) => one.stored);
        if (entry && (await holdsAddress(stored ?? [], email, document))) found.push(entry);
      }
      return found;
    },

    countSealed(forms: Forms): number {
      const { sql, values } = choose(db, {}, forms);
      return countOf(db, { sql: `${sql} AND sealed = 1`, values });
    },

    /** Counts the marks in these forms. @param since Milliseconds since the epoch. */
    countMarks(forms: readonly string[], since: number): MarkCounts {
      const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`;
      const sql = `SELECT ${count("sealed IS NOT 1 AND mark = 'spam'")} AS spam, ${count("sealed IS NOT 1 AND mark = 'ham'")} AS ham,
        ${count('sealed = 1')} AS sealed, ${count('sealed IS NOT 1 AND marked_at > ?')} AS newer ${inAny}`;
      return db.get<MarkCounts>(sql, since, JSON.stringify(forms)) as MarkCounts;
    },

    /** Marked submissions of these forms that are stored and not sealed. */
    marked(forms: readonly string[]): readonly MarkedAt[] {
      const sql = `SELECT row, mark, marked_at AS markedAt ${inAny}`;
      return db
        .all<{ row: number; mark: Mark; markedAt: number }>(sql, JSON.stringify(forms))
        .flatMap((one) => {
          const at = entries.stored(one.row).find(({ path }) => !path.endsWith('.age'));
          return at ? [{ ...at, isSpam: one.mark === 'spam', markedAt: one.markedAt }] : [];
        });
    },

    /** Groups queued deliveries by failure, and other entries by the check that dropped them or the strongest spam signal. */
    reasons(query: Query, forms: Forms): readonly KeptReason[] {
      const { state } = query;
      const { sql, values } = choose(db, query, forms);
      if (state === 'dropped' || state === 'doubted')
        return db.all<KeptReason>(
          `SELECT form, why AS reason, count(*) AS count ${sql} GROUP BY 1, 2 ORDER BY 3 DESC LIMIT ?`,
          ...[...values, mostReasons],
        );
      const all = new Map<string, KeptReason>();
      for (const { form, kept } of db.all<{ form: string; kept: string }>(
        `SELECT form, kept ${sql} AND kept <> ''`,
        ...values,
      ))
        for (const { id, keptAt = 0, code, reason = '', waitsForOwner = false } of JSON.parse(kept)) {
          if (state === 'failed' && !waitsForOwner) continue;
          const output = Number(/-(\d+)$/.exec(id)?.[1]);
          const key = JSON.stringify([form, output, reason, waitsForOwner]);
          const before = all.get(key);
          const since = Math.min(keptAt, before?.since ?? keptAt);
          all.set(key, { form, output, code, reason, waitsForOwner, since, count: (before?.count ?? 0) + 1 });
        }
      return [...all.values()].toSorted((a, b) => b.count - a.count).slice(0, mostReasons);
    },
  };
}

const inAny = `FROM entry WHERE mark IS NOT NULL AND ${inForms}`;

export const countOf = (db: Database, { sql, values }: Choice): number =>
  db.get<{ count: number }>(`SELECT count(*) AS count ${sql}`, ...values)?.count ?? 0;

const storedAt = 'SELECT archive, path FROM stored WHERE row = ?';

/** Archives of dropped submissions come after all others. */
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

/** Matching entries from an offset, newest first. */
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
      ...[...values, Math.min(count, mostRows), Math.max(0, from)],
    )
    .map(shown);

/** A number that differs for each state and mark. */
const print = 'unicode(state) * length(state) * 64 + ifnull(length(mark), 0) * 4 + doubted * 2 + read';

export function countForms(db: Database): readonly CountedForm[] {
  const forms = db.all<Omit<CountedForm, 'attention'>>(
    `SELECT form AS id, count(*) AS total, count(*) FILTER (WHERE read = 0) AS unread,
      sum(row * (${print}) % 999983) AS print FROM entry WHERE ${visible} GROUP BY form`,
  );
  // Leaves out delivered entries, which are the majority, before grouping.
  const attention = gathered(
    db.all<Row>(
      `SELECT form AS of, ${standing} AS standing, count(*) AS count FROM entry WHERE ${visible} AND (failed = 1
        OR state = 'kept' OR mark IS NULL AND (state <> 'stored' OR doubted = 1)) GROUP BY 1, 2`,
    ),
  );
  const added = 'SELECT form, sum(version) AS sum FROM work GROUP BY form';
  const sums = new Map(db.all<{ form: string; sum: number }>(added).map(({ form, sum }) => [form, sum]));
  return forms.map((form) => ({
    ...form,
    print: form.print + (sums.get(form.id) ?? 0),
    attention: attention.get(form.id) ?? noCounts,
  }));
}

interface Row {
  readonly of: string | number;
  readonly standing: Standing;
  readonly count: number;
}

export function numbersOf(db: Database, choice: Choice, days: readonly Day[]): Numbers {
  const { sql, values } = choice;
  const counts = `${standing} AS standing, count(*) AS count`;
  const byForm = gathered(db.all<Row>(`SELECT form AS of, ${counts} ${sql} GROUP BY 1, 2`, ...values));
  const listed = `(SELECT key AS nth, value ->> 0 AS since, value ->> 1 AS before FROM json_each(?)) CROSS JOIN`;
  const byDay = gathered(
    db.all<Row>(
      `SELECT nth AS of, ${counts} ${sql.replace(/^FROM/, `FROM ${listed}`)} AND at >= since AND at < before GROUP BY 1, 2`,
      ...[JSON.stringify(days), ...values],
    ),
  );
  const range = db.get<Pick<Numbers, 'first' | 'last'>>(
    `SELECT min(at) AS first, max(at) AS last ${sql}`,
    ...values,
  );
  return {
    received: [...byForm.values()]
      .flatMap((counts) => Object.values(counts))
      .reduce((sum, one) => sum + one, 0),
    first: range?.first ?? undefined,
    last: range?.last ?? undefined,
    forms: [...byForm].map(([id, counts]) => ({ id: String(id), counts })),
    days: days.map((_, nth) => byDay.get(nth) ?? noCounts),
  };
}

function gathered(rows: readonly Row[]) {
  const all = new Map<string | number, Counts>();
  for (const { of, standing, count } of rows)
    all.set(of, { ...(all.get(of) ?? noCounts), [standing]: count });
  return all;
}
