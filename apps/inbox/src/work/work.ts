/** The work on submissions, in the inbox's store: labels, state, assignee, notes, replies and saved views. */
import type { Draft, Label, Note, Reply, View, Work, WorkChange, WorkDetail } from '../api.ts';
import type { Person } from '../gate.ts';
import type { InboxOptions } from '../server/options.ts';
import type { Part, Store } from '../store/store.ts';

/** `gone_at`: when the submission's last copy disappeared. `owner`: the person of a private view; empty for a shared one. */
const part: Part = {
  name: 'work',
  migrations: [
    `CREATE TABLE work_entry (id TEXT PRIMARY KEY, form TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0,
      done INTEGER NOT NULL DEFAULT 0, assigned TEXT NOT NULL DEFAULT '', labels TEXT NOT NULL DEFAULT '[]',
      who TEXT NOT NULL DEFAULT '', gone_at INTEGER) WITHOUT ROWID;
    CREATE TABLE work_note (nth INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL,
      text TEXT NOT NULL, FOREIGN KEY (id) REFERENCES work_entry ON DELETE CASCADE);
    CREATE INDEX work_note_id ON work_note (id);
    CREATE TABLE work_reply (key TEXT PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL,
      address TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, state TEXT NOT NULL, why TEXT,
      FOREIGN KEY (id) REFERENCES work_entry ON DELETE CASCADE) WITHOUT ROWID;
    CREATE INDEX work_reply_id ON work_reply (id);
    CREATE TABLE work_draft (id TEXT NOT NULL, who TEXT NOT NULL, address TEXT NOT NULL, subject TEXT NOT NULL,
      text TEXT NOT NULL, PRIMARY KEY (id, who), FOREIGN KEY (id) REFERENCES work_entry ON DELETE CASCADE) WITHOUT ROWID;
    CREATE TABLE work_label (name TEXT PRIMARY KEY COLLATE NOCASE, color INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE work_view (nth INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, owner TEXT NOT NULL,
      maker TEXT NOT NULL, query TEXT NOT NULL);`,
  ],
};

export const limits = {
  noteBytes: 10_240,
  replyBytes: 51_200,
  /** Notes and replies per submission. */
  thread: 200,
  labelsOfEntry: 20,
  labels: 50,
  nameLength: 60,
  views: 50,
} as const;

/** Work is kept this long after its submission disappears, in case the place comes back. */
const goneMs = 30 * 86_400_000;

export const fullThread = `a submission can have at most ${limits.thread} notes and replies`;

export interface Noting {
  readonly work: WorkStore;
  readonly options: InboxOptions;
  readonly person: Person;
}

/** Names the author. On a single machine, the owner does not sign in. */
export const whoIs = ({ subject, name }: Person): string => (subject === undefined ? 'owner' : name);

export const lineIn = (text: string): string => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();

/** The name of a label, a person or a view. */
export function nameIn(value: unknown): string | undefined {
  const name = typeof value === 'string' && value.length < 1_000 ? lineIn(value) : '';
  return name === '' || name.length > limits.nameLength ? undefined : name;
}

/** Text of several lines, without characters that change how others are read. */
export function textIn(value: unknown, mostBytes: number): string | undefined {
  if (typeof value !== 'string' || value.length > mostBytes) return undefined;
  const text = value
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .trim();
  return text === '' || Buffer.byteLength(text) > mostBytes ? undefined : text;
}

/** A row for the index's filters. `version` 0: nothing is left. */
export interface WorkRow extends Pick<Work, 'version' | 'isDone' | 'assigned' | 'labels'> {
  readonly id: string;
  readonly form: string;
}

export interface By {
  readonly id: string;
  readonly form: string;
  readonly who: string;
}

interface Row {
  readonly id: string;
  readonly form: string;
  readonly version: number;
  readonly done: number;
  readonly assigned: string;
  readonly labels: string;
  readonly who: string;
  readonly notes: number;
  readonly replies: number;
}

const selected = `SELECT id, form, version, done, assigned, labels, who,
  (SELECT count(*) FROM work_note WHERE work_note.id = work_entry.id) AS notes,
  (SELECT count(*) FROM work_reply WHERE work_reply.id = work_entry.id AND state <> 'failed') AS replies FROM work_entry`;

const nothing: Row = {
  ...{ id: '', form: '', version: 0, done: 0, assigned: '', labels: '[]', who: '', notes: 0, replies: 0 },
};

const workOf = ({ version, done, assigned, labels, notes, replies }: Row): Work => ({
  ...{
    version,
    isDone: done === 1,
    assigned,
    labels: JSON.parse(labels) as readonly string[],
    notes,
    replies,
  },
});

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export type WorkStore = ReturnType<typeof createWorkStore>;

export function createWorkStore(store: Store, now: () => number) {
  const db = store.tables(part);
  // The process ended while sending them.
  db.run("UPDATE work_reply SET state = 'unsure' WHERE state = 'sending'");
  const rowOf = (id: string) => db.get<Row>(`${selected} WHERE id = ?`, id) ?? nothing;
  const rowsOf = (ids: readonly string[]) =>
    db.all<Row>(`${selected} WHERE id IN (SELECT value FROM json_each(?))`, JSON.stringify(ids));
  const touch = ({ id, form, who }: By) =>
    db.run(
      `INSERT INTO work_entry (id, form, version, who) VALUES (?, ?, 1, ?)
        ON CONFLICT (id) DO UPDATE SET version = version + 1, who = excluded.who`,
      ...[id, form, who],
    );
  const labels = () => db.all<Label>('SELECT name, color FROM work_label ORDER BY name');
  /** The existing label's spelling; else a new label in the least used colour. */
  const labelNamed = (name: string): string => {
    const all = labels();
    const known = all.find((one) => isSame(one.name, name));
    if (known) return known.name;
    const used = Array.from({ length: 8 }, (_, color) => all.filter((one) => one.color === color).length);
    db.run('INSERT INTO work_label VALUES (?, ?)', name, used.indexOf(Math.min(...used)));
    return name;
  };

  return {
    together: db.write,
    labels,
    of: (ids: readonly string[]): ReadonlyMap<string, Work> =>
      new Map(rowsOf(ids).map((row) => [row.id, workOf(row)])),
    /** Rows for the index. Default: all. */
    rows(ids?: readonly string[]): readonly WorkRow[] {
      const found = ids ? rowsOf(ids) : db.all<Row>(selected);
      const known = new Set(found.map(({ id }) => id));
      const gone = (ids ?? []).filter((id) => !known.has(id)).map((id) => ({ ...nothing, id }));
      return [...found, ...gone].map((row) => ({ ...workOf(row), id: row.id, form: row.form }));
    },
    detail(id: string, who: string): WorkDetail {
      const row = rowOf(id);
      const notes = db.all<Omit<Note, 'kind'>>('SELECT nth, at, who, text FROM work_note WHERE id = ?', id);
      const replies = db.all<Omit<Reply, 'kind'>>(
        'SELECT key, at, who, address AS "to", subject, text, state, why FROM work_reply WHERE id = ?',
        id,
      );
      const thread = [
        ...notes.map((one) => ({ kind: 'note', ...one }) as const),
        ...replies.map((one) => ({ kind: 'reply', ...one, why: one.why ?? undefined }) as const),
      ];
      const draft = db.get<Draft>(
        'SELECT address AS "to", subject, text FROM work_draft WHERE id = ? AND who = ?',
        ...[id, who],
      );
      return { ...workOf(row), who: row.who, thread: thread.toSorted((a, b) => a.at - b.at), draft };
    },
    /** @param version The version that the change is based on. Returns `false` if it has changed since. */
    change(by: By, { isDone, assigned, add = [], remove = [] }: WorkChange, version?: number): boolean {
      return db.write(() => {
        const row = rowOf(by.id);
        const was = workOf(row);
        if (version !== undefined && version !== row.version) return false;
        const added = add.map(labelNamed).filter((name) => !was.labels.includes(name));
        const kept = was.labels.filter((name) => !remove.some((one) => isSame(one, name)));
        const next = [...kept, ...new Set(added)].slice(0, limits.labelsOfEntry);
        const isChanged =
          (isDone ?? was.isDone) !== was.isDone ||
          (assigned ?? was.assigned) !== was.assigned ||
          JSON.stringify(next) !== row.labels;
        if (!isChanged) return true;
        touch(by);
        const sql = 'UPDATE work_entry SET done = ?, assigned = ?, labels = ? WHERE id = ?';
        db.run(sql, isDone ?? was.isDone, assigned ?? was.assigned, JSON.stringify(next), by.id);
        return true;
      });
    },
    /** Returns `false` if the submission has too many. */
    note: (by: By, text: string): boolean =>
      db.write(() => {
        const { notes, replies } = rowOf(by.id);
        if (notes + replies >= limits.thread) return false;
        touch(by);
        db.run('INSERT INTO work_note (id, at, who, text) VALUES (?, ?, ?, ?)', by.id, now(), by.who, text);
        return true;
      }),
    /** Returns `false` if this person has no such note. */
    removeNote(by: By, nth: number): boolean {
      const where = 'WHERE id = ? AND nth = ? AND who = ?';
      if (!db.get(`SELECT 1 FROM work_note ${where}`, by.id, nth, by.who)) return false;
      db.erase(() => {
        db.run(`DELETE FROM work_note ${where}`, by.id, nth, by.who);
        touch(by);
      });
      return true;
    },
    draft(by: By, { to, subject, text }: Draft): void {
      db.write(() => {
        db.run('INSERT OR IGNORE INTO work_entry (id, form) VALUES (?, ?)', by.id, by.form);
        const values = [by.id, by.who];
        if (text === '') db.run('DELETE FROM work_draft WHERE id = ? AND who = ?', ...values);
        else db.run('INSERT OR REPLACE INTO work_draft VALUES (?, ?, ?, ?, ?)', ...values, to, subject, text);
      });
    },
    /** Stores a reply with its state. A sent reply deletes its draft. */
    reply: (by: By, { key, to, subject, text, state, why }: Omit<Reply, 'kind' | 'at' | 'who'>): void =>
      db.write(() => {
        touch(by);
        db.run(
          'INSERT OR REPLACE INTO work_reply VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...[key, by.id, now(), by.who, to, subject, text, state, why],
        );
        if (state === 'sent') db.run('DELETE FROM work_draft WHERE id = ? AND who = ?', by.id, by.who);
      }),
    setColor: ({ name, color }: Label): void =>
      db.run('UPDATE work_label SET color = ? WHERE name = ?', color, labelNamed(name)),
    /** Removes the label from all submissions. Returns their ids. */
    removeLabel: (name: string, who: string): readonly string[] =>
      db.write(() => {
        db.run('DELETE FROM work_label WHERE name = ?', name);
        const sql =
          'SELECT id, form, labels FROM work_entry WHERE EXISTS (SELECT 1 FROM json_each(labels) WHERE lower(value) = lower(?))';
        return db.all<Row>(sql, name).map(({ id, form, labels }) => {
          const left = (JSON.parse(labels) as string[]).filter((one) => !isSame(one, name));
          touch({ id, form, who });
          db.run('UPDATE work_entry SET labels = ? WHERE id = ?', JSON.stringify(left), id);
          return id;
        });
      }),
    isEmpty: (): boolean => !db.get('SELECT 1 FROM work_entry WHERE version > 0'),
    assigned: (): readonly string[] =>
      db
        .all<{ assigned: string }>("SELECT DISTINCT assigned FROM work_entry WHERE assigned <> '' LIMIT 200")
        .map(({ assigned }) => assigned),
    /** @param mayManage Whether the person may also remove views that others share. */
    views: (who: string, mayManage = false): readonly View[] =>
      db
        .all<{ nth: number; name: string; query: string; owner: string; maker: string }>(
          "SELECT nth, name, query, owner, maker FROM work_view WHERE owner IN ('', ?) ORDER BY nth",
          who,
        )
        .map(({ owner, maker, ...view }) => ({
          ...view,
          isShared: owner === '',
          isOwn: mayManage || maker === who,
        })),
    saveView: (who: string, { name, query, isShared }: Pick<View, 'name' | 'query' | 'isShared'>): void =>
      db.run(
        'INSERT INTO work_view (name, owner, maker, query) VALUES (?, ?, ?, ?)',
        ...[name, isShared ? '' : who, who, query],
      ),
    /** Returns `false` if this person may not remove it, or it does not exist. */
    removeView(who: string, nth: number, mayManage = false): boolean {
      if (!this.views(who, mayManage).some((one) => one.nth === nth && one.isOwn)) return false;
      db.run('DELETE FROM work_view WHERE nth = ?', nth);
      return true;
    },
    /** Erases the work on these submissions beyond recovery. @param forms Only in these. */
    erase(ids: readonly string[], forms?: ReadonlySet<string>): readonly string[] {
      const own = rowsOf(ids).filter(({ form }) => !forms || forms.has(form));
      if (own.length === 0) return [];
      const gone = JSON.stringify(own.map(({ id }) => id));
      db.erase(() => db.run('DELETE FROM work_entry WHERE id IN (SELECT value FROM json_each(?))', gone));
      return own.map(({ id }) => id);
    },
    /**
     * Erases work whose submission has been gone for a month. @param unknown Ids without a submission now.
     * Returns what it erased.
     */
    sweep(unknown: readonly string[]): readonly string[] {
      const ids = JSON.stringify(unknown);
      const among = 'IN (SELECT value FROM json_each(?))';
      db.write(() => {
        db.run(`UPDATE work_entry SET gone_at = NULL WHERE gone_at IS NOT NULL AND id NOT ${among}`, ids);
        db.run(`UPDATE work_entry SET gone_at = ? WHERE gone_at IS NULL AND id ${among}`, now(), ids);
      });
      const old = db.all<Row>('SELECT id FROM work_entry WHERE gone_at < ?', now() - goneMs);
      return this.erase(old.map(({ id }) => id));
    },
  };
}
