/**
 * The handlers of a function: `lambda.handler` for requests, `lambda.kept` for kept deliveries. The file is small, because
 * `import()` scans a whole CommonJS file for its exports; it loads the rest with V8's code cache, if there is one.
 */
import { loadWithCodeCache } from './code_cache.ts';

const main = loadWithCodeCache(__dirname, require) as typeof import('./main.ts');

export const handler = main.handler;
export const kept = main.kept;
// biome-ignore lint/suspicious/noThenProperty: Lambda awaits the module, and so the config.
export const then = main.then;
