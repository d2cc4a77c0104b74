import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { quoted } from '@form-relay/dry-run/samples';

/** The package's programs: one program with two names, its own and the package's. */
const programs = ['relay', 'form-relay'];

const [, program = ''] = process.argv;
const name = basename(program, '.exe');

/** Whether it was started by one of its names, and not as a file. */
const isInstalled = programs.includes(name);

/** The words that call this command again, as the user called it: through npx if a package or npx itself installed it. */
export const calledAs = !isInstalled
  ? 'relay'
  : `${program.includes('node_modules') ? `npx ${fromNpx(program)}` : ''}${name}`;

/** The options that name the package where npx keeps it for itself: by the program's name, npx would find another package. */
function fromNpx(path: string): string {
  const [, folder] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(path) ?? [];
  if (!folder) return '';
  const { _npx } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const packages: readonly string[] = _npx?.packages ?? ['form-relay'];
  return packages.map((name) => `--package ${quoted(name)} `).join('');
}
