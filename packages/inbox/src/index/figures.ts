/** Counts by day and form, from the journal. */

import type { LineOfSubmission } from '@form-relay/stored/journal/lines_of';
import type { JournalDelivery, StatsLine } from '@form-relay/telemetry/journal/lines';
import type { DayFigures, Figures, FiguresChoice } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import type { JournalFacts } from './journal.ts';
import type { Database, Value } from './sqlite.ts';

const mostFailures = 2_000;
const dayMs = 86_400_000;
const dayOf = (at: number) => Math.floor(at / dayMs);

type Day = { day: number; form: string };
type Stats = Record<'views' | 'starts' | 'sends', number> & { steps: string };
type Counts = Pick<DayFigures, 'received' | 'delivered' | 'kept' | 'aside' | 'failed' | 'late' | 'doubted'>;

const noCounts: Counts = { received: 0, delivered: 0, kept: 0, aside: 0, failed: 0, late: 0, doubted: 0 };

export class FigureTables {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts a submission as its facts are: once, however many lines tell of it, and also when its entry is gone. */
  count(row: number, form: string, facts: JournalFacts): void {
    const { receivedAt, isReceived, isDoubted, droppedBy, isLate, doneMs = 1 } = facts;
    if (receivedAt === undefined) return;
    const state = isReceived ? facts.state : undefined;
    const isDelivered = state === 'delivered';
    this.#db.run(
      'INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[row, dayOf(receivedAt), form, state, isReceived && isDoubted, isDelivered && isLate],
      state === 'dropped' ? (droppedBy ?? 'unknown') : undefined,
      isDelivered ? Math.max(1, doneMs) : undefined,
    );
  }

  /** Takes in the attempts that failed. */
  takeFailures(line: LineOfSubmission): void {
    for (const one of line.kind === 'delivery' ? [line] : (line.deliveries ?? []))
      if (hasFailed(one)) this.#fail(Date.parse(line.at), line.form, one.type, one.reason ?? '');
  }

  takeStats({ at, form, views, starts, sends, steps = [] }: StatsLine): void {
    const day = dayOf(Date.parse(at));
    const known = this.#db.get<Stats>('SELECT * FROM stats WHERE day = ? AND form = ?', day, form);
    const all: number[] = JSON.parse(known?.steps ?? '[]');
    for (const [index, began] of steps.entries()) all[index] = (all[index] ?? 0) + began;
    this.#db.run(
      'INSERT OR REPLACE INTO stats VALUES (?, ?, ?, ?, ?, ?)',
      ...[day, form, views + (known?.views ?? 0), starts + (known?.starts ?? 0), sends + (known?.sends ?? 0)],
      JSON.stringify(all),
    );
  }

  #fail(at: number, form: string, output: string, reason: string): void {
    this.#db.run(
      `INSERT INTO failure VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT (day, form, output, reason)
        DO UPDATE SET times = times + 1, at = max(at, excluded.at)`,
      ...[dayOf(at), form, output, reason, at],
    );
    const oldest = `(SELECT max(rowid) - ${mostFailures} FROM failure)`;
    this.#db.run(`DELETE FROM failure WHERE rowid <= ${oldest}`);
  }

  answer(
    { form, since = -Infinity, until = Infinity }: FiguresChoice,
    forms: Forms,
    hasJournal: boolean,
  ): Figures {
    const isForm = `(?1 IS NULL OR form = ?1) AND (?2 IS NULL OR form IN (SELECT value FROM json_each(?2)))`;
    const ofForm: readonly Value[] = [form, forms && JSON.stringify([...forms])];
    const where = `WHERE ${isForm} AND day >= ?3 AND day < ?4`;
    const all = <T>(sql: string) => this.#db.all<T>(sql, ...ofForm, dayOf(since), Math.ceil(until / dayMs));
    const days = new Map<string, { -readonly [name in keyof DayFigures]: DayFigures[name] }>();
    const of = ({ day, form }: Day) => {
      const key = `${day} ${form}`;
      const name = new Date(day * dayMs).toISOString().slice(0, 10);
      const known = days.get(key) ?? { day: name, form, ...noCounts, dropped: {} };
      days.set(key, known);
      return known;
    };
    const is = (state: string) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`;
    const states = ['delivered', 'kept', 'aside', 'failed'].map(is).join(', ');
    for (const { day, form, ...counts } of all<Counts & Day>(
      `SELECT day, form, count(state) AS received, ${states}, sum(late) AS late, sum(doubted) AS doubted
        FROM told ${where} GROUP BY day, form`,
    ))
      Object.assign(of({ day, form }), counts);
    for (const { by, times, ...one } of all<Day & { by: string; times: number }>(
      `SELECT day, form, dropped_by AS by, count(*) AS times FROM told ${where} AND state = 'dropped'
        GROUP BY day, form, by`,
    ))
      of(one).dropped = { ...of(one).dropped, [by]: times };
    for (const { day, form, steps, ...counts } of all<Stats & Day>(`SELECT * FROM stats ${where}`)) {
      const began: number[] = JSON.parse(steps);
      const leftAtStep = began.map((one, index) => Math.max(0, one - (began[index + 1] ?? counts.sends)));
      Object.assign(of({ day, form }), counts, leftAtStep.length > 0 && { leftAtStep });
    }
    const took = `FROM told ${where} AND done_ms IS NOT NULL`;
    const [median] = all<{ ms: number }>(
      `SELECT done_ms AS ms ${took} ORDER BY ms LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 ${took})`,
    );
    const failures = this.#db.all<Figures['failures'][number]>(
      `SELECT at, form, output, reason, times FROM failure WHERE ${isForm} AND at >= ?3 AND at < ?4 ORDER BY at DESC`,
      ...ofForm,
      since,
      until,
    );
    return {
      hasJournal,
      days: [...days.values()].sort((a, b) => (a.day + a.form < b.day + b.form ? -1 : 1)),
      failures,
      medianMs: median?.ms,
    };
  }
}

/** An attempt that failed, though the delivery may be tried again. Deliveries that were kept first have no reason. */
const hasFailed = ({ result, reason }: JournalDelivery): boolean =>
  result === 'failed' || (reason !== undefined && ['kept', 'waiting', 'aside', 'deleted'].includes(result));
