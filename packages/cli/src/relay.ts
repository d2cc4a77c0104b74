#!/usr/bin/env node
/**
 * The program that `relay` starts: a small file, so that the rest is loaded from V8's code cache, where Node has one (22.8 and
 * later). The cache lies beside the code, since whoever may write it decides what runs; where nothing can be written, nothing
 * is.
 */
import module from 'node:module';
import { join } from 'node:path';

interface WithCache {
  readonly enableCompileCache?: (directory: string) => unknown;
}

(module as WithCache).enableCompileCache?.(process.env.NODE_COMPILE_CACHE || join(__dirname, 'code_cache'));
const [, , ...words] = process.argv;
const main = words.length === 1 && words[0] === 'serve' ? 'serve_plainly' : 'main';
module.createRequire(__filename)(`./cli/${main}.cjs`);
