/** SQLite as the index needs it: Node's own where it has one without a flag, else compiled to WebAssembly. */
import { createRequire } from 'node:module';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  run(values: readonly Value[]): void;
  all(values: readonly Value[]): readonly Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** @param file Its folder must be there. A lock that a killed process left must be gone (see `lockOf`). */
export function openDatabase(file: string): Database {
  const load = createRequire(import.meta.url);
  return hasOwn() ? openOwn(load('node:sqlite'), file) : openWasm(load('node-sqlite3-wasm'), file);
}

/** WebAssembly's SQLite locks with a folder, which a killed process leaves behind. */
export const lockOf = (file: string): string => `${file}.lock`;

/** Unflagged since 22.13 and 23.4. */
function hasOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}

/** Node 20, whose types are used here, has none. */
interface OwnSqlite {
  readonly DatabaseSync: new (
    file: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: readonly Value[]): unknown;
      all(...values: readonly Value[]): unknown[];
    };
    close(): void;
  };
}

function openOwn({ DatabaseSync }: OwnSqlite, file: string): Database {
  const database = new DatabaseSync(file);
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (values) => void statement.run(...values),
        all: (values) => statement.all(...values) as readonly Row[],
      };
    },
    close: () => database.close(),
  };
}

function openWasm(wasm: typeof import('node-sqlite3-wasm'), file: string): Database {
  const database = new wasm.Database(file);
  const statements: { finalize(): void }[] = [];
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      statements.push(statement);
      return {
        run: (values) => void statement.run([...values]),
        all: (values) => statement.all([...values]) as readonly Row[],
      };
    },
    close() {
      for (const statement of statements) statement.finalize();
      database.close();
    },
  };
}
