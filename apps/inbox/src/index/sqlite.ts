/** SQLite as the index needs it: Node's own where it has one without a flag, else compiled to WebAssembly. */
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

/** @param file Its folder must be there. A lock that a killed process left must be gone (see `lockOf`). */
export function openDatabase(file: string): Database {
  const load = createRequire(import.meta.url);
  const isOwn = hasOwn();
  // Node 20, whose types are used here, has no `node:sqlite`.
  const Opened = isOwn ? load('node:sqlite').DatabaseSync : load('node-sqlite3-wasm').Database;
  const opened: Opened = new Opened(file);
  const statements = new Map<string, ReturnType<Opened['prepare']>>();
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
  return {
    exec: (sql) => opened.exec(sql),
    run: (sql, ...values) => void prepared(sql).run(...given(values)),
    all,
    get: <T>(sql: string, ...values: readonly Value[]) => all<T>(sql, ...values)[0],
    close() {
      for (const statement of statements.values()) statement.finalize?.();
      opened.close();
    },
  };
}

/** WebAssembly's SQLite locks with a folder, which a killed process leaves behind. */
export const lockOf = (file: string): string => `${file}.lock`;

/** Unflagged since 22.13 and 23.4. */
function hasOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}
