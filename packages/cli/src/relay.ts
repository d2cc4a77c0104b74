#!/usr/bin/env node
/** The program behind `relay`. `relay serve` without options loads nothing of the other commands. */
import module from 'node:module';

const [, , ...words] = process.argv;
const main = words.length === 1 && words[0] === 'serve' ? 'serve_plainly' : 'main';
module.createRequire(__filename)(`./cli/${main}.cjs`);
