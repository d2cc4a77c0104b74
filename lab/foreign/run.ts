/**
 * `npm run foreign`, or `npm run foreign spf yaml` for some: see README.md. Exits with 1 if a difference is
 * not listed in decided.yaml.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readYaml } from '../../scripts/data.ts';
import type { Difference, Suite } from './suite.ts';

interface Decision {
  /** Must match the whole name of a case. */
  readonly cases: string;
  readonly why: string;
}

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, 'node_modules'))) {
  console.log('Installing the suites in lab/foreign/node_modules …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
  });
}

const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  spf: async () => (await import('./spf.ts')).spf,
  json: async () => (await import('./json.ts')).json,
  yaml: async () => (await import('./yaml.ts')).yaml,
  templates: async () => (await import('./templates.ts')).goTemplates,
  naughty: async () => (await import('./naughty.ts')).naughtyStrings,
  mail: async () => (await import('./mail_servers.ts')).mailServers,
  firefox: async () => (await import('./firefox.ts')).firefox,
};

const decided = readYaml<Record<string, readonly Decision[]>>(join(here, 'decided.yaml'));
const names = process.argv.slice(2);
let isAgreed = true;
for (const [name, suite] of Object.entries(suites)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const { tried, differences, skipped } = await (await suite())();
  if (skipped !== undefined) {
    console.log(`${name}: SKIPPED: ${skipped}`);
    continue;
  }
  const decisions = decided[name] ?? [];
  const hits = (decision: Decision) => differences.filter((one) => isMatch(decision, one));
  const open = differences.filter((one) => !decisions.some((decision) => isMatch(decision, one)));
  const stale = decisions.filter((decision) => hits(decision).length === 0);
  console.log(
    `${name}: ${tried} tried, ${tried - differences.length} agree, ${differences.length - open.length} differ as decided`,
  );
  for (const decision of decisions) console.log(`  ${hits(decision).length} × ${decision.why}`);
  for (const one of open) console.log(`  DIFFERS ${one.name}: expected ${one.expected}, found ${one.found}`);
  for (const { cases } of stale) console.log(`  STALE in decided.yaml: ${cases}`);
  if (open.length > 0 || stale.length > 0 || tried === 0) isAgreed = false;
}
process.exit(isAgreed ? 0 : 1);

function isMatch({ cases }: Decision, { name }: Difference): boolean {
  return new RegExp(`^(?:${cases})$`).test(name);
}
