/**
 * Checks the files in deploy/ with the tools that read them: `npm run deploy:check`, or only some: `npm run
 * deploy:check helm sam`. If a tool is missing, its check is skipped with a loud message.
 */
import { caddy } from './deploy/caddy.ts';
import { type Check, Unavailable } from './deploy/check.ts';
import { compose, providers, sam, terraform } from './deploy/hosts.ts';
import { helm, kubernetes } from './deploy/kubernetes.ts';
import { install, nginx, prometheus, systemd } from './deploy/machines.ts';
import { has, tempFolder } from './machine.ts';

const checks: Readonly<Record<string, Check>> = {
  ...{ install, systemd, caddy, nginx, compose, providers },
  ...{ kubernetes, helm, prometheus, sam, terraform },
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in checks));
if (unknown.length > 0)
  throw new Error(`there is no ${unknown.join(', ')}, but ${Object.keys(checks).join(', ')}`);
const counts = { ok: 0, skipped: 0, failed: 0 };

for (const [name, { needs, run }] of Object.entries(checks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const began = performance.now();
  const tell = (word: keyof typeof counts, what: string) => {
    counts[word] += 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${word === 'ok' ? 'ok' : word.toUpperCase()}: ${name} (${seconds} s): ${what}`);
  };
  const missing = needs.find((program) => !has(program));
  if (missing !== undefined) {
    tell('skipped', `there is no ${missing}`);
    continue;
  }
  try {
    tell('ok', await run(tempFolder(name)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tell(error instanceof Unavailable ? 'skipped' : 'failed', reason);
  }
}

console.log(`${counts.ok} ok, ${counts.skipped} skipped, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
