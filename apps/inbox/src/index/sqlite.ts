/** The SQLite interface that the index uses: Node's own where no flag is needed, else a WebAssembly build. */

import { renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { removeIndex } from '@form-relay/stored/search_index';

export type Value = string | number | boolean | null | undefined;

export interface Database {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  run(sql: string, ...values: readonly Value[]): void;
  /** @param sql The prepared statement is cached, so values must be passed as parameters. */
  all<T>(sql: string, ...values: readonly Value[]): readonly T[];
  get<T>(sql: string, ...values: readonly Value[]): T | undefined;
  /** Commits everything, or nothing if it throws. Calls may be nested: the outermost one commits. */
  write<T>(work: () => T): T;
  /** Like `write`, for asynchronous work. All writes share one commit, so FTS5 flushes only once. */
  bulk(work: () => Promise<void>): Promise<void>;
  isWriting(): boolean;
  /** Rewrites the file, because deleted rows remain readable in free pages and next to moved rows. */
  rewrite(): void;
  close(): void;
}

/** Common interface of both: Node's takes parameters one by one, WebAssembly's as a list. */
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
 * @param file Its folder must exist. First remove the lock of a killed process (see `lockOf`).
 * @param setUp Statements that each connection runs first.
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
  let isWriting = false;
  const begin = () => {
    opened.exec('BEGIN IMMEDIATE');
    isWriting = true;
  };
  const end = (how: 'COMMIT' | 'ROLLBACK') => {
    isWriting = false;
    opened.exec(how);
  };
  const rollback = () => {
    try {
      end('ROLLBACK');
    } catch {
      // A full disk has already ended the transaction.
    }
  };
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
    write(work) {
      if (isWriting) return work();
      begin();
      try {
        const done = work();
        end('COMMIT');
        return done;
      } catch (error) {
        rollback();
        throw error;
      }
    },
    async bulk(work) {
      begin();
      try {
        await work();
        end('COMMIT');
      } catch (error) {
        rollback();
        throw error;
      }
    },
    isWriting: () => isWriting,
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

/** The temporary file of `rewrite`. */
const nextOf = (file: string): string => `${file}.new`;

/** The WebAssembly build locks with a folder, which remains when a process is killed. */
export const lockOf = (file: string): string => `${file}.lock`;

/** Available without a flag since 22.13 and 23.4. */
function hasOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}

/** The tables of the index, which can be rebuilt from the archives and the stores. */

const version = 15;

/**
 * `entry.sealed` is null until there is a document. Rows are never reused, because listings of archives and stores
 * remember them. `entry.failed` is 1 while a delivery waits for its owner; `entry.why` is the check that dropped the
 * entry, or its strongest spam signal. A list reads only `entry_listed`, which contains everything that filters need.
 * `words` has no positions, which halves its size. `origin` is the submission that a change or withdrawal (`part`)
 * belongs to: lists show that submission instead. `work` copies what filters need from the inbox's store.
 * `about.removed` is 1 while removed entries can still be read in the file.
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

/** Opens the index of these places. Replaces an index that is damaged, or was built for other places or by another version. */
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

/** Rewrites the index if entries were removed, because FTS5 keeps their words until it merges. */
export function forgetRemoved(db: Database): void {
  if (!db.get('SELECT 1 FROM about WHERE removed = 1')) return;
  db.exec("INSERT INTO words (words) VALUES ('optimize')");
  db.rewrite();
  db.exec('UPDATE about SET removed = 0');
}

/** The longest that a removal may wait for the index to be rewritten. */
const quickMs = 500;

/** Rewrites at once, unless the index is large and was just rewritten: then a later call does it. */
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

/** Numbers the names read from one place. */
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

  names(): readonly string[] {
    const sql = 'SELECT name FROM seen WHERE place = ? ORDER BY name';
    return this.db.all<{ name: string }>(sql, this.place).map(({ name }) => name);
  }
}
