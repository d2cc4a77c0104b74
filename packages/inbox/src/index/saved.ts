/** The state beside the database. A file `dirty` stands there while both may differ: then all is built anew. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Columns } from './columns.ts';
import { readInto } from './read_into.ts';
import { lockOf } from './sqlite.ts';

const version = 6;

export interface Files {
  readonly database: string;
  readonly dirty: string;
  readonly columns: string;
  readonly state: string;
  readonly read: string;
}

export const filesIn = (folder: string): Files => ({
  database: join(folder, 'index.sqlite'),
  dirty: join(folder, 'dirty'),
  columns: join(folder, 'columns.bin'),
  state: join(folder, 'state.json'),
  read: join(folder, 'read.jsonl'),
});

/** Loads what was saved for the same places. `undefined`: there is nothing that can be trusted; it is gone now. */
export function loadSaved<T>(files: Files, sources: string, columns: Columns): T | undefined {
  rmSync(lockOf(files.database), { recursive: true, force: true });
  try {
    if (!existsSync(files.dirty) && existsSync(files.database)) {
      const saved = JSON.parse(readFileSync(files.state, 'utf8'));
      if (saved.version === version && saved.sources === sources) {
        const file = openSync(files.columns, 'r');
        try {
          columns.load(saved.count, (into) => {
            if (readInto(file, into) !== into.length) throw new Error('it is cut');
          });
        } finally {
          closeSync(file);
        }
        return saved.state;
      }
    }
  } catch {
    columns.load(0, () => {});
  }
  return undefined;
}

export function forgetSaved(files: Files): void {
  for (const path of [files.database, `${files.database}-journal`, files.columns, files.state])
    rmSync(path, { force: true });
}

export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Called between transactions. */
export function save(files: Files, sources: string, columns: Columns, state: unknown): void {
  const file = openSync(`${files.columns}.new`, 'w', 0o600);
  try {
    for (const bytes of columns.bytes()) writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  writeFileSync(`${files.state}.new`, JSON.stringify({ version, sources, count: columns.count, state }), {
    mode: 0o600,
  });
  const database = openSync(files.database, 'r+');
  fsyncSync(database);
  closeSync(database);
  renameSync(`${files.columns}.new`, files.columns);
  renameSync(`${files.state}.new`, files.state);
  rmSync(files.dirty, { force: true });
}
