/** Groups submissions that are much like an earlier one of their form, as the signal `repeated` compares them. */
import { createTexts, mostTexts } from '@form-relay/relay/base';
import type { Sketch } from '@form-relay/relay/schema';
import type { Database } from './sqlite.ts';

/** `alike` has only rows of groups; `sketch` the latest ones, from which the next start goes on. */
const schema = `
  CREATE TABLE IF NOT EXISTS alike (row INTEGER PRIMARY KEY, campaign INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS alike_campaign ON alike (campaign);
  CREATE TABLE IF NOT EXISTS sketch (place INTEGER PRIMARY KEY, row INTEGER NOT NULL, form INTEGER NOT NULL,
    at REAL NOT NULL, marks TEXT NOT NULL);`;

const statements = (db: Database) => ({
  campaign: db.prepare('SELECT campaign FROM alike WHERE row = ?'),
  join: db.prepare('INSERT OR REPLACE INTO alike VALUES (?, ?)'),
  merge: db.prepare('UPDATE alike SET campaign = ? WHERE campaign = ?'),
  leave: db.prepare('DELETE FROM alike WHERE row = ?'),
  rows: db.prepare('SELECT row FROM alike WHERE campaign = ?'),
  count: db.prepare('SELECT count(*) AS count FROM (SELECT 1 FROM alike WHERE campaign = ? LIMIT ?)'),
  sketch: db.prepare('INSERT OR REPLACE INTO sketch VALUES (?, ?, ?, ?, ?)'),
  sketches: db.prepare('SELECT row, form, at, marks FROM sketch ORDER BY row'),
});

/** More of a campaign are not counted, so that a list of any campaigns is quick. */
export const mostCounted = 1_000;

export interface Compared {
  readonly row: number;
  /** The number of its form. */
  readonly form: number;
  readonly at: number;
  readonly sketch: Sketch;
}

export class Campaigns {
  readonly #sql: ReturnType<typeof statements>;
  readonly #texts = createTexts();

  constructor(db: Database) {
    db.exec(schema);
    this.#sql = statements(db);
    for (const { row, form, at, marks } of this.#sql.sketches.all([]))
      this.#note({ row: Number(row), form: Number(form), at: Number(at), sketch: JSON.parse(String(marks)) });
  }

  #note({ row, form, at, sketch }: Compared): readonly number[] {
    const { similar } = this.#texts.note({ at, id: `${row}`, form: `${form}`, client: '', sketch });
    return similar?.ids.map(Number) ?? [];
  }

  /** @param isThere Whether a row was not removed since. */
  add(compared: Compared, isThere: (row: number) => boolean): void {
    const { row, form, at, sketch } = compared;
    const sql = this.#sql;
    const found = this.#note(compared).filter(isThere);
    sql.sketch.run([row % mostTexts, row, form, at, JSON.stringify(sketch)]);
    if (found.length === 0) return;
    const campaigns = new Set(found.map((one) => this.#campaign(one) ?? one));
    const first = Math.min(...campaigns);
    for (const one of campaigns) if (one !== first) sql.merge.run([first, one]);
    for (const one of [...found, row]) sql.join.run([one, first]);
  }

  remove(row: number): void {
    this.#sql.leave.run([row]);
  }

  #campaign(row: number): number | undefined {
    const found = this.#sql.campaign.all([row])[0];
    return found && Number(found.campaign);
  }

  /** The rows that are like one, itself among them; only itself if none is. */
  rows(row: number): readonly number[] {
    const campaign = this.#campaign(row);
    return campaign === undefined ? [row] : this.#sql.rows.all([campaign]).map((found) => Number(found.row));
  }

  /** How many they are. */
  count(row: number): number {
    const campaign = this.#campaign(row);
    return campaign === undefined ? 1 : Number(this.#sql.count.all([campaign, mostCounted])[0]?.count);
  }
}
