/**
 * The inbox's own store: what people add to submissions, and who may sign in. This data is in no archive, so
 * it cannot be rebuilt.
 */
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { whyUnwritten } from '@form-relay/base/text_file';
import { isAlive, makeFolder, ownerOf } from '@form-relay/stored/search_index';
import { type Database, lockOf, openDatabase } from '../index/sqlite.ts';

/** Tables owned by one part of the inbox. Their names begin with the part's name. */
export interface Part {
  readonly name: string;
  /** Migrations, each to the next version. Released migrations never change. */
  readonly migrations: readonly string[];
}

/** Writes are on disk when the call returns. */
export interface Tables extends Pick<Database, 'run' | 'all' | 'get' | 'write'> {
  /** Runs `work` so that erased data can no longer be read in the files. */
  erase<T>(work: () => T): T;
}

export interface Store {
  readonly folder: string;
  /** A part's tables in the latest version. Throws a `StoreFailed` if a newer program wrote them. */
  tables(part: Part): Tables;
  close(): void;
}

/** The store cannot be used; the message is for its owner. The store is unchanged. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  /** @param isInUse Whether another inbox has it open. */
  constructor(
    words: string,
    readonly isInUse = false,
  ) {
    super(words);
  }
}

/** `FRly`, which distinguishes this file from those of other programs. */
const applicationId = 0x46526c79;
/** The version of the table `part`. */
const version = 1;

/**
 * WAL in exclusive mode survives SIGKILL with either build of SQLite: a rollback journal that WebAssembly's
 * left behind would be ignored.
 */
const pragmas = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON; PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY;`;

const opened = new Set<string>();

/** Opens or creates the store in a folder. Throws a `StoreFailed`. */
export function openStore(given: string): Store {
  const folder = resolve(given);
  const file = join(folder, 'inbox.sqlite');
  const release = own(folder);
  let db: Database | undefined;
  try {
    prepare(file);
    // Only a killed process leaves this lock.
    rmSync(lockOf(file), { recursive: true, force: true });
    db = openChecked(file);
    return storeOn(db, folder, release);
  } catch (error) {
    db?.close();
    release();
    throw failureOf(error, file);
  }
}

/** Removes the pid file of a process that has ended. */
function takeOver(folder: string, file: string, inUse: (pid: number) => Error): void {
  const pid = ownerOf(folder);
  // In a container, the first process has the same id after each start.
  if (pid !== undefined && pid !== process.pid) throw inUse(pid);
  const old = `${file}.${process.pid}.old`;
  try {
    renameSync(file, old);
  } catch (error) {
    if (isSystem(error, 'ENOENT')) return;
    throw error;
  }
  // Another process may have taken over just before.
  const now = Number(readFileSync(old, 'utf8'));
  if (now !== process.pid && isAlive(now)) {
    renameSync(old, file);
    throw inUse(now);
  }
  rmSync(old, { force: true });
}

/** Keeps other inboxes out by a file with the process id, because WebAssembly's SQLite cannot lock. */
function own(folder: string): () => void {
  const inUse = (pid: number) =>
    new StoreFailed(
      `another inbox (process ${pid}) uses ${folder}; stop it, or choose another folder with --store`,
      true,
    );
  if (opened.has(folder)) throw inUse(process.pid);
  const file = join(folder, 'owner');
  try {
    makeFolder(folder);
    const mine = `${file}.${process.pid}`;
    writeFileSync(mine, String(process.pid), { mode: 0o600 });
    try {
      takeOver(folder, file, inUse);
      // A link is created atomically and fails if the file exists, so only one of several starting processes wins.
      linkSync(mine, file);
    } catch (error) {
      if (isSystem(error, 'EEXIST')) throw inUse(ownerOf(folder) ?? 0);
      throw error;
    } finally {
      rmSync(mine, { force: true });
    }
  } catch (error) {
    if (error instanceof StoreFailed) throw error;
    const why = isSystem(error, 'EEXIST') ? 'not a folder' : whyUnwritten(error as NodeJS.ErrnoException);
    throw new StoreFailed(`${folder} cannot be written: ${why}; choose another folder with --store`);
  }
  opened.add(folder);
  return () => {
    opened.delete(folder);
    rmSync(file, { force: true });
  };
}

/** Creates a missing file, and rejects another program's file before SQLite changes a byte of it. */
function prepare(file: string): void {
  const head = headOf(file);
  if (head === undefined) make(file);
  else if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged(file);
  else if (head.readInt32BE(68) !== applicationId)
    throw new StoreFailed(`${file} belongs to another program; choose another folder with --store`);
  else if (head.readInt32BE(60) > version) throw newer(file);
}

/** The file's SQLite header; `undefined` if the file is missing or empty. */
function headOf(file: string): Buffer | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return undefined;
  const head = Buffer.alloc(100);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, head);
    return head;
  } finally {
    closeSync(opened);
  }
}

/** Writes under a temporary name, then renames. SQLite gives its other files the mode of this one. */
function make(file: string): void {
  const next = `${file}.new`;
  rmSync(next, { force: true });
  rmSync(lockOf(next), { recursive: true, force: true });
  closeSync(openSync(next, 'wx', 0o600));
  const db = openDatabase(next, 'PRAGMA synchronous = FULL');
  db.exec(`CREATE TABLE part (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
  db.close();
  renameSync(next, file);
}

function openChecked(file: string): Database {
  const db = openDatabase(file, pragmas);
  try {
    const found = db.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check;
    if (found !== 'ok') throw damaged(file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function storeOn(db: Database, folder: string, release: () => void): Store {
  const tables: Tables = {
    ...db,
    erase(work) {
      const done = db.write(work);
      // Deleted rows are zeroed in the file itself, but remain in the write-ahead log.
      if (!db.isWriting()) db.all('PRAGMA wal_checkpoint(TRUNCATE)');
      return done;
    },
  };
  return {
    folder,
    tables({ name, migrations }) {
      const found = db.get<{ version: number }>('SELECT version FROM part WHERE name = ?', name)?.version;
      const before = found ?? 0;
      if (before > migrations.length) throw newer(join(folder, 'inbox.sqlite'));
      if (before < migrations.length)
        db.write(() => {
          for (const statements of migrations.slice(before)) db.exec(statements);
          db.run('INSERT OR REPLACE INTO part VALUES (?, ?)', name, migrations.length);
        });
      return tables;
    },
    close() {
      db.close();
      release();
    },
  };
}

const isSystem = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

const newer = (file: string) =>
  new StoreFailed(`${file} was written by a newer version of the relay; update the relay`);

const damaged = (file: string) =>
  new StoreFailed(`${file} is damaged; restore it from a backup, or choose another folder with --store`);

function failureOf(error: unknown, file: string): unknown {
  if (error instanceof StoreFailed || !(error instanceof Error)) return error;
  if (/not a database|malformed|corrupt|no such table/i.test(error.message)) return damaged(file);
  if (/locked|busy/i.test(error.message))
    return new StoreFailed(
      `another program uses ${file}; stop it, or choose another folder with --store`,
      true,
    );
  return new StoreFailed(`${file} cannot be opened: ${error.message}`);
}
