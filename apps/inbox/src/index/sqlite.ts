/** SQLite as the index needs it: Node's own where it has one without a flag, else compiled to WebAssembly. */
import { renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';

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
export const nextOf = (file: string): string => `${file}.new`;

/** WebAssembly's SQLite locks with a folder, which a killed process leaves behind. */
export const lockOf = (file: string): string => `${file}.lock`;

/** Unflagged since 22.13 and 23.4. */
function hasOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}
