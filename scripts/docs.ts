// `npm run docs`: the manual as a site in docs-site/dist, with "Try it" in it. Ends with 1 where a link of it leads nowhere.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildTryIt } from '../docs-site/try/build.ts';

const site = fileURLToPath(new URL('../docs-site/', import.meta.url));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: site, stdio: 'inherit' });

try {
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  run('npm', 'run', '--silent', 'build');
  await buildTryIt(`${site}dist/try`);
  run(process.execPath, 'check.js');
} catch (error) {
  // What failed has said why.
  if (!(error instanceof Error && 'status' in error)) throw error;
  process.exitCode = 1;
}
