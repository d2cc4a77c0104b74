import { basename } from 'node:path';

/** The package's programs: one program with two names, since `npx form-relay` looks for the second. */
const programs = ['relay', 'form-relay'];

const [, program = ''] = process.argv;

/** Whether it was started by one of its names, and not as a file. */
export const isInstalled = programs.includes(basename(program));

/** What to type to call it again: as it was called, which is through npx where a package or npx itself installed it. */
export const calledAs = !isInstalled
  ? 'relay'
  : `${program.includes('node_modules') ? 'npx ' : ''}${basename(program)}`;
