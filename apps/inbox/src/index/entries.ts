/** The index: one SQLite row for each submission. */

import type { earlierOf } from '@form-relay/more-outputs/archive_layout';
import type { Entry as Archived } from '@form-relay/stored/archive/archive';
import { entryAt } from '@form-relay/stored/archive/archive';
import type { Entry, Mark } from '../api.ts';
import type { IndexedEntry, KeptAt, StoredAt } from '../entry_index.ts';
import type { WorkRow } from '../work/work.ts';
import type { Database } from './sqlite.ts';
import type { Texts } from './texts.ts';

export interface KeptFact extends KeptAt {
  /** The submission's id. */
  readonly submission: string;
  readonly form: string;
  /** The output's type; empty if the entry is damaged. */
  readonly output: string;
  readonly at: number;
}

type Submission = Pick<Archived, 'id' | 'form' | 'receivedAt'>;

/** The columns that `shown` needs. */
export const listed = `entry.row, id, form, at, state, failed, doubted, read, sealed, mark, ${latest('sender')}, ${latest('summary')},
  files, ${latest('part')}`;

/** A column of the latest change, if there is one. */
function latest(column: string): string {
  const one = 'SELECT %s FROM entry AS later WHERE later.origin = entry.id AND later.form = entry.form';
  return `coalesce((${one.replace('%s', `later.${column}`)} ORDER BY later.at DESC LIMIT 1), entry.${column}) AS ${column}`;
}

/** Hides changes whose original submission is indexed, unless a delivery is queued for them. */
export const visible = `(origin IS NULL OR +state = 'kept'
  OR NOT EXISTS (SELECT 1 FROM entry AS first WHERE first.id = entry.origin AND first.form = entry.form))`;

export interface Listed extends Pick<Entry, 'id' | 'form' | 'state' | 'sender' | 'summary' | 'files'> {
  readonly row: number;
  readonly at: number;
  readonly failed: number;
  readonly doubted: number;
  readonly read: number;
  readonly sealed: number | null;
  readonly mark: Mark | null;
  readonly part: Entry['part'] | null;
}

export const shown = ({ row: _, at, failed, doubted, read, sealed, mark, part, ...one }: Listed): Entry => ({
  ...one,
  receivedAt: at,
  isFailed: failed === 1,
  isDoubted: doubted === 1,
  isRead: read === 1,
  isSealed: sealed === 1,
  mark: mark ?? undefined,
  part: part ?? undefined,
});

export interface Known extends Pick<Listed, 'row' | 'form' | 'at' | 'sealed'> {
  /** The path of the submission's first document. */
  readonly path: string | null;
}

/** Whether the form or time differs from the indexed submission, so that one document was planted. */
export function isOther({ path }: Known, { form, receivedAt }: Submission): boolean {
  const first = path === null ? undefined : entryAt(path);
  return first !== undefined && (first.form !== form || first.receivedAt !== receivedAt);
}

const taken =
  ', sealed = excluded.sealed, sender = excluded.sender, summary = excluded.summary, files = excluded.files';

export class Entries {
  /** @param isDropped Whether each archive holds dropped submissions. @param changed Called after writes. */
  constructor(
    readonly db: Database,
    private readonly isDropped: readonly boolean[],
    private readonly changed: () => void,
  ) {}

  /** Writes everything, or nothing if it throws. */
  write(work: () => void): void {
    this.db.write(work);
    this.changed();
  }

  find(id: string): number | undefined {
    return this.db.get<{ row: number }>('SELECT row FROM entry WHERE id = ?', id)?.row;
  }

  #add({ id, form, receivedAt }: Submission): number {
    const sql = 'INSERT INTO entry (id, form, at) VALUES (?, ?, ?) RETURNING row';
    return this.db.get<{ row: number }>(sql, id, form, receivedAt)?.row as number;
  }

  rowAt({ archive, path }: StoredAt): number | undefined {
    const sql = 'SELECT row FROM stored WHERE archive = ? AND path = ?';
    return this.db.get<{ row: number }>(sql, archive, path)?.row;
  }

  pathsIn(archive: number, folder: string): readonly string[] {
    const sql = 'SELECT path FROM stored WHERE archive = ? AND path > ? AND path < ?';
    return this.db.all<StoredAt>(sql, archive, `${folder}/`, `${folder}0`).map(({ path }) => path);
  }

  /** For an archive that is listed completely: finds indexed documents that the listing did not contain. */
  listing(archive: number) {
    const { db } = this;
    const known = db.get<{ row: number }>('SELECT max(row) AS row FROM entry')?.row ?? 0;
    db.exec('DROP TABLE IF EXISTS temp.listed; CREATE TEMP TABLE listed (row INTEGER PRIMARY KEY)');
    return {
      see: (row: number) => db.run('INSERT OR IGNORE INTO listed VALUES (?)', row),
      unseen: () =>
        db
          .all<StoredAt>(
            'SELECT path FROM stored WHERE archive = ? AND row <= ? AND row NOT IN (SELECT row FROM listed)',
            archive,
            known,
          )
          .map(({ path }) => path),
    };
  }

  forms(): readonly string[] {
    return this.db.all<{ form: string }>('SELECT DISTINCT form FROM entry').map(({ form }) => form);
  }

  known(id: string): Known | undefined {
    return this.db.get<Known>(
      `SELECT row, form, at, sealed, (SELECT path FROM stored WHERE stored.row = entry.row LIMIT 1) AS path
        FROM entry WHERE id = ?`,
      id,
    );
  }

  /** Indexes a document. @param texts `undefined` if the document is sealed. */
  store(
    { id, form, receivedAt }: Submission,
    known: Known | undefined,
    stored: StoredAt,
    texts: Texts | undefined,
    isDoubted: boolean,
    why = '',
    earlier?: ReturnType<typeof earlierOf>,
  ): void {
    const { sender = '', summary = '', files = 0 } = texts ?? {};
    // The texts come from the first document that is not sealed.
    const { row } = this.db.get<{ row: number }>(
      `INSERT INTO entry (id, form, at, doubted, why, sealed, sender, summary, files) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET doubted = max(doubted, excluded.doubted), why = max(why, excluded.why)${known?.sealed === 0 ? '' : taken} RETURNING row`,
      ...[id, form, receivedAt, isDoubted, why, !texts, sender, summary, files],
    ) as { row: number };
    this.db.run('INSERT OR REPLACE INTO stored VALUES (?, ?, ?)', stored.archive, stored.path, row);
    if (earlier) {
      this.db.run('UPDATE entry SET origin = ?, part = ? WHERE row = ?', earlier.id, earlier.part, row);
      // A change makes the submission unread.
      this.db.run('UPDATE entry SET read = 0 WHERE id = ? AND form = ?', earlier.id, form);
    }
    if (texts && known?.sealed !== 0) {
      this.db.run('INSERT INTO words (rowid, text) VALUES (?, ?)', row, texts.words);
    }
    if (known || this.isDropped[stored.archive]) this.#settle(row);
  }

  /** A row's documents, delivered ones before dropped ones. */
  stored(row: number): readonly StoredAt[] {
    const rank = ({ archive }: StoredAt) => (this.isDropped[archive] ? 1 : 0);
    return this.db
      .all<StoredAt>('SELECT archive, path FROM stored WHERE row = ?', row)
      .toSorted((a, b) => rank(a) - rank(b));
  }

  /** Removes one document, and the entry if it was the last. */
  unstore(at: StoredAt): void {
    const row = this.rowAt(at);
    if (row === undefined) return;
    this.db.run('DELETE FROM stored WHERE archive = ? AND path = ?', at.archive, at.path);
    this.#settle(row);
  }

  forget(id: string): void {
    this.db.run('DELETE FROM entry WHERE id = ?', id);
  }

  /** Recomputes the state. Deletes the row when no archive or store holds the submission. */
  #settle(row: number): void {
    const kept = this.db.get(`SELECT 1 FROM entry WHERE row = ? AND kept <> ''`, row);
    const stored = this.stored(row);
    // A restored submission leaves the dropped archive when all outputs have accepted it.
    const isDropped = stored.some(({ archive }) => this.isDropped[archive]);
    if (!kept && stored.length === 0) this.db.run('DELETE FROM entry WHERE row = ?', row);
    else
      this.db.run(
        'UPDATE entry SET state = ? WHERE row = ?',
        kept ? 'kept' : isDropped ? 'dropped' : 'stored',
        row,
      );
  }

  /** Replaces all queued deliveries. */
  keep(all: readonly KeptFact[]): void {
    const byId = new Map<string, KeptFact[]>();
    for (const one of all) byId.set(one.submission, [...(byId.get(one.submission) ?? []), one]);
    const changes: (() => void)[] = [];
    const before = this.db.all<Listed>(`SELECT row, id FROM entry WHERE kept <> ''`);
    for (const { row, id } of before) if (!byId.has(id)) changes.push(() => this.#keep(row, '', false));
    for (const [id, facts] of byId) {
      const text = JSON.stringify(
        facts.map(({ submission: _, form: _form, output: _output, at: _at, ...kept }) => kept),
      );
      if (this.db.get('SELECT 1 FROM entry WHERE id = ? AND kept = ?', id, text)) continue;
      const { form = '', at = 0 } = facts[0] ?? {};
      const isFailed = facts.some(({ waitsForOwner }) => waitsForOwner);
      changes.push(() =>
        this.#keep(this.find(id) ?? this.#add({ id, form, receivedAt: at }), text, isFailed),
      );
    }
    if (changes.length > 0) this.write(() => changes.forEach((change) => void change()));
  }

  #keep(row: number, text: string, isFailed: boolean): void {
    this.db.run('UPDATE entry SET kept = ?, failed = ? WHERE row = ?', text, isFailed, row);
    this.#settle(row);
  }

  setRead(id: string, isRead: boolean): void {
    this.db.run('UPDATE entry SET read = ?2 WHERE id = ?1 AND read <> ?2', id, isRead);
  }

  setMark(id: string, mark: Mark | undefined, at: number): void {
    this.db.run('UPDATE entry SET mark = ?, marked_at = ? WHERE id = ?', mark, at, id);
  }

  /** @param isAll Replaces all earlier rows. */
  setWork(rows: readonly WorkRow[], isAll: boolean): void {
    if (isAll) this.db.run('DELETE FROM work');
    for (const { id, form, version, isDone, assigned, labels } of rows) {
      const values = [id, form, version, isDone, assigned, JSON.stringify(labels)];
      if (version === 0) this.db.run('DELETE FROM work WHERE id = ?', id);
      else this.db.run('INSERT OR REPLACE INTO work VALUES (?, ?, ?, ?, ?, ?)', ...values);
    }
  }

  unknownWork(): readonly string[] {
    const sql = 'SELECT id FROM work WHERE id NOT IN (SELECT id FROM entry)';
    return this.db.all<{ id: string }>(sql).map(({ id }) => id);
  }

  /** @param isWhole Includes its changes. */
  get(id: string, isWhole = true): IndexedEntry | undefined {
    const one = this.db.get<Listed & { kept: string }>(`SELECT ${listed}, kept FROM entry WHERE id = ?`, id);
    if (!one) return undefined;
    const { kept, ...entry } = one;
    const later = 'SELECT id FROM entry WHERE origin = ? AND form = ? ORDER BY at';
    const changes = isWhole ? this.db.all<{ id: string }>(later, id, one.form) : [];
    return {
      ...shown(entry),
      stored: this.stored(one.row),
      kept: kept === '' ? [] : JSON.parse(kept),
      changes: changes.flatMap((change) => this.get(change.id, false) ?? []),
    };
  }
}
