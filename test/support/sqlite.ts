/** V8 shares SQLite's compiled code with the thread of each index while a reference to it is held. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const script = createRequire(import.meta.url).resolve('node-sqlite3-wasm');

// Node's types do not declare it.
const compiled = await Reflect.get(globalThis, 'WebAssembly').compile(
  readFileSync(script.replace(/\.js$/, '.wasm')),
);
Reflect.set(globalThis, Symbol('SQLite'), compiled);
