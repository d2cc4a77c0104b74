/** The tables of the index. All of it can be built again from the places that are read. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeIndex } from '@form-relay/stored/search_index';
import { type Database, lockOf, nextOf, openDatabase } from './sqlite.ts';

const version = 12;

/**
 * `entry.sealed` is null while there is no document. Rows are never reused, since listings of archives and stores
 * remember them. A list reads only `entry_listed`, which has all that filters need. `words` has no positions, which
 * halves it. `about.removed` is 1 while entries that were removed can still be read in the file.
 */
const schema = `
  CREATE TABLE about (version INTEGER NOT NULL, sources TEXT NOT NULL, flags INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE entry (row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, form TEXT NOT NULL,
    at INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'stored', doubted INTEGER NOT NULL DEFAULT 0,
    read INTEGER NOT NULL DEFAULT 0, sealed INTEGER, mark TEXT, marked_at INTEGER NOT NULL DEFAULT 0,
    kept TEXT NOT NULL DEFAULT '',
    sender TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '', files INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX entry_listed ON entry (at, form, state, doubted, read, sealed, mark);
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
