/**
 * The file that a function names as its handler: `lambda.handler` for requests, `lambda.kept` for what is kept and due. It
 * is small, because `import()` reads through a whole CommonJS file for the names that it exports; and it loads the
 * rest with V8's code cache, where there is one.
 */
import { loadWithCodeCache } from './lambda/code_cache.ts';

const main = loadWithCodeCache(__dirname, require) as typeof import('./lambda_main.ts');

export const handler = main.handler;
export const kept = main.kept;
// biome-ignore lint/suspicious/noThenProperty: Lambda awaits what it loads, and so the config (D37).
export const then = main.then;
