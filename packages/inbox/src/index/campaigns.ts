/** Groups submissions that are much like an earlier one of their form, as the signal `repeated` compares them. */
import { createTexts, mostTexts } from '@form-relay/relay/base';
import type { Sketch } from '@form-relay/relay/schema';
import type { Database } from './sqlite.ts';

export interface Compared {
  readonly row: number;
  readonly form: string;
  readonly at: number;
  readonly sketch: Sketch;
}

export class Campaigns {
  readonly #db: Database;
  readonly #texts = createTexts();

  /** Goes on from the latest sketches. */
  constructor(db: Database) {
    this.#db = db;
    const sql = 'SELECT row, form, at, marks FROM sketch ORDER BY row';
    for (const { marks, ...one } of db.all<Compared & { readonly marks: string }>(sql))
      this.#note({ ...one, sketch: JSON.parse(marks) });
  }

  #note({ row, form, at, sketch }: Compared): readonly string[] {
    return this.#texts.note({ at, id: `${row}`, form, client: '', sketch }).similar?.ids ?? [];
  }

  add(compared: Compared): void {
    const { row, form, at, sketch } = compared;
    const db = this.#db;
    // Some may be gone.
    const found = this.#note(compared).flatMap((one) =>
      db.all<Record<'row' | 'campaign', number>>(
        'SELECT row, ifnull(campaign, row) AS campaign FROM entry WHERE row = ?',
        Number(one),
      ),
    );
    const values = [row % mostTexts, row, form, at, JSON.stringify(sketch)];
    db.run('INSERT OR REPLACE INTO sketch VALUES (?, ?, ?, ?, ?)', ...values);
    if (found.length === 0) return;
    const first = Math.min(...found.map(({ campaign }) => campaign));
    for (const one of [...found, { row, campaign: row }])
      db.run('UPDATE entry SET campaign = ? WHERE row = ? OR campaign = ?', first, one.row, one.campaign);
  }
}
