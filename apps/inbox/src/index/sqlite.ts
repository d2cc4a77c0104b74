/** SQLite as the index needs it: Node's own where it has one without a flag, else compiled to WebAssembly. */

import { renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { removeIndex } from '@form-relay/stored/search_index';

export type Value = string | number | boolean | null | undefined;

export interface Database {
  /** Runs statements without values. */
  exec(sql: string): void;
  run(sql: string, ...values: readonly Value[]): void;
  /** @param sql The statement is kept, so no value may stand in it. */
  all<T>(sql: string, ...values: readonly Value[]): readonly T[];
  /** The first row. */
  get<T>(sql: string, ...values: readonly Value[]): T | undefined;
  /** Rewrites the file: deleted rows can be read in its free pages, and next to rows that were moved. */
  rewrite(): void;
  close(): void;
}

/** Either of the two. Node's takes the values one by one, the other as a list. */
interface Opened {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: readonly unknown[]): unknown;
    all(...values: readonly unknown[]): unknown;
    finalize?(): void;
  };
  close(): void;
}

/**
 * @param file Its folder must be there. A lock that a killed process left must be gone (see `lockOf`).
 * @param setUp Statements for each connection.
 */
export function openDatabase(file: string, setUp: string): Database {
  const load = createRequire(import.meta.url);
  const isOwn = hasOwn();
  // Node 20, whose types are used here, has no `node:sqlite`.
  const Opened = isOwn ? load('node:sqlite').DatabaseSync : load('node-sqlite3-wasm').Database;
  const statements = new Map<string, ReturnType<Opened['prepare']>>();
  const open = (): Opened => {
    const one: Opened = new Opened(file);
    try {
      one.exec(setUp);
      return one;
    } catch (error) {
      one.close();
      throw error;
    }
  };
  let opened = open();
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? opened.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const given = (values: readonly Value[]) => {
    const all = values.map((value) => (typeof value === 'boolean' ? Number(value) : (value ?? null)));
    return isOwn ? all : [all];
  };
  const all = <T>(sql: string, ...values: readonly Value[]) =>
    prepared(sql).all(...given(values)) as readonly T[];
  const run = (sql: string, ...values: readonly Value[]) => void prepared(sql).run(...given(values));
  const close = () => {
    for (const statement of statements.values()) statement.finalize?.();
    statements.clear();
    opened.close();
  };
  return {
    exec: (sql) => opened.exec(sql),
    run,
    all,
    get: <T>(sql: string, ...values: readonly Value[]) => all<T>(sql, ...values)[0],
    rewrite() {
      const next = nextOf(file);
      rmSync(next, { force: true });
      run('VACUUM INTO ?', next);
      close();
      renameSync(next, file);
      opened = open();
    },
    close,
  };
}

/** The file that `rewrite` writes. */
const nextOf = (file: string): string => `${file}.new`;

/** WebAssembly's SQLite locks with a folder, which a killed process leaves behind. */
export const lockOf = (file: string): string => `${file}.lock`;

/** Unflagged since 22.13 and 23.4. */
function hasOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}

/** The tables of the index. All of it can be built again from the places that are read. */

const version = 15;

/**
 * `entry.sealed` is null while there is no document. Rows are never reused, since listings of archives and stores
 * remember them. `entry.failed` is 1 while a delivery waits for its owner; `entry.why` is the check that dropped it, or the
 * signal that doubts it most. A list reads only `entry_listed`, which has all that filters need. `words` has no positions,
 * which halves it. `origin` is the submission that a
 * change or withdrawal (`part`) is of: lists show that instead. `work` copies what filters need of the inbox's store. `about.removed` is 1 while entries that were removed can still be read in the file.
 */
const schema = `
  CREATE TABLE about (version INTEGER NOT NULL, sources TEXT NOT NULL, flags INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE entry (row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, form TEXT NOT NULL,
    at INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'stored', doubted INTEGER NOT NULL DEFAULT 0,
    read INTEGER NOT NULL DEFAULT 0, sealed INTEGER, mark TEXT, marked_at INTEGER NOT NULL DEFAULT 0,
    kept TEXT NOT NULL DEFAULT '', failed INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '',
    sender TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '', files INTEGER NOT NULL DEFAULT 0,
    origin TEXT, part TEXT);
  CREATE INDEX entry_listed ON entry (at, form, state, failed, doubted, read, sealed, mark, origin);
  CREATE INDEX entry_origin ON entry (origin, at) WHERE origin IS NOT NULL;
  CREATE INDEX entry_kept ON entry (kept) WHERE kept <> '';
  CREATE INDEX entry_marked ON entry (mark) WHERE mark IS NOT NULL;
  CREATE TABLE stored (archive INTEGER NOT NULL, path TEXT NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (archive, path)) WITHOUT ROWID;
  CREATE INDEX stored_row ON stored (row);
  CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  INSERT INTO words (words, rank) VALUES ('hashsize', 2097152);
  CREATE TRIGGER gone AFTER DELETE ON entry BEGIN
    DELETE FROM stored WHERE row = old.row;
    DELETE FROM words WHERE rowid = old.row AND old.sealed = 0;
    UPDATE about SET removed = 1 WHERE removed = 0;
  END;
  CREATE TABLE work (id TEXT PRIMARY KEY, form TEXT NOT NULL, version INTEGER NOT NULL, done INTEGER NOT NULL,
    assigned TEXT NOT NULL, labels TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE seen (place TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (place, name))
    WITHOUT ROWID;`;

const pragmas = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -6000; PRAGMA temp_store = MEMORY;`;

/** Opens the index of these places. A damaged one, or one of other places or versions, is replaced by an empty one. */
export function openTables(folder: string, sources: string): Database {
  const file = join(folder, 'index.sqlite');
  for (const left of [lockOf(file), nextOf(file), lockOf(nextOf(file))])
    rmSync(left, { recursive: true, force: true });
  const known = opened(file, sources);
  if (known) return known;
  removeIndex(folder);
  const db = openDatabase(file, pragmas);
  db.exec(schema);
  db.run('INSERT INTO about (version, sources) VALUES (?, ?)', version, sources);
  return db;
}

function opened(file: string, sources: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = openDatabase(file, pragmas);
    const isKnown = db.get('SELECT 1 FROM about WHERE version = ? AND sources = ?', version, sources);
    if (isKnown) return db;
  } catch {}
  db?.close();
  return undefined;
}

/** Writes the index without the entries that were removed, if there are any: FTS5 keeps their words until it merges. */
export function forgetRemoved(db: Database): void {
  if (!db.get('SELECT 1 FROM about WHERE removed = 1')) return;
  db.exec("INSERT INTO words (words) VALUES ('optimize')");
  db.rewrite();
  db.exec('UPDATE about SET removed = 0');
}

/** The longest that a removal may wait while the index is rewritten. */
const quickMs = 500;

/** Forgets at once unless the index is large and was written just now: then a later call does it. */
export function forgettingNowAndThen(db: Database): () => void {
  let [endedAt, tookMs] = [0, 0];
  return () => {
    const startedAt = Date.now();
    if (tookMs > quickMs && startedAt - endedAt < 10 * tookMs) return;
    try {
      forgetRemoved(db);
    } finally {
      endedAt = Date.now();
      tookMs = endedAt - startedAt;
    }
  };
}

/** The names read from one place, with a number each. */
export class Seen {
  constructor(
    private readonly db: Database,
    private readonly place: string,
  ) {}

  get(name: string): number | undefined {
    const sql = 'SELECT value FROM seen WHERE place = ? AND name = ?';
    return this.db.get<{ value: number }>(sql, this.place, name)?.value;
  }

  set(name: string, value: number): void {
    if (this.get(name) !== value)
      this.db.run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)', this.place, name, value);
  }

  delete(name: string): void {
    this.db.run('DELETE FROM seen WHERE place = ? AND name = ?', this.place, name);
  }

  /** In alphabetical order. */
  names(): readonly string[] {
    const sql = 'SELECT name FROM seen WHERE place = ? ORDER BY name';
    return this.db.all<{ name: string }>(sql, this.place).map(({ name }) => name);
  }
}
