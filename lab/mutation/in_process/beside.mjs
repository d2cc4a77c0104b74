/** Stands in for packages/cli/src/beside.ts, whose files the build puts beside the program. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

export * from '../../../packages/cli/src/beside.ts';
export const readBeside = (path) => readFile(resolve('dist', path));
