/** Counts of the index: by form, by day, and by the reason for which entries need a look. */
import { type Counts, type Numbers, noCounts, type Query, type Standing } from '../api.ts';
import type { CountedForm, KeptReason } from '../entry_index.ts';
import { type Choice, standing } from './choose.ts';
import { visible } from './entries.ts';
import type { Database } from './sqlite.ts';

/** From, and before, in milliseconds since the epoch. */
export type Day = readonly [since: number, until: number];

/** @param print An expression that differs for each state of an entry. */
export function countForms(db: Database, print: string): readonly CountedForm[] {
  const forms = db.all<Omit<CountedForm, 'attention'>>(
    `SELECT form AS id, count(*) AS total, count(*) FILTER (WHERE read = 0) AS unread,
      sum(row * (${print}) % 999983) AS print FROM entry WHERE ${visible} GROUP BY form`,
  );
  // Most entries are delivered, and left out before they are grouped.
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

const mostReasons = 100;

/** Groups kept deliveries by failure, and others by the check that dropped them or doubts them most. */
export function reasonsOf(db: Database, { state }: Query, { sql, values }: Choice): readonly KeptReason[] {
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
}
