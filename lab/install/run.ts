/**
 * From an empty Debian to a mail in a mailbox, with everything that `npm run artifacts` makes, as root and as
 * a user: `npm run installs [-- --artifacts FOLDER --debian ROOT.tar]`. Each trial may take three minutes.
 * Needs root; skips what it cannot test, and says so.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hashOf } from '../../scripts/artifacts/image.ts';
import { has } from '../../scripts/machine.ts';
import { hasPostfix, startPostfix } from '../../test/support/postfix.ts';
import { eachMistake } from './mistakes.ts';
import { openRoot, prepare } from './roots.ts';
import { type Given, Skipped, type Trial, trials } from './trials.ts';

const mostMs = 180_000;

const { values } = parseArgs({
  options: { artifacts: { type: 'string', default: 'artifacts' }, debian: { type: 'string' } },
});
const missing = [
  ...(process.platform === 'linux' && process.getuid?.() === 0 ? [] : ['root on Linux']),
  ...(hasPostfix ? [] : ['postfix with sasl2-bin']),
];
if (missing.length > 0) {
  console.log(`SKIPPED: no artifact is installed in an empty Debian without ${missing.join(' and ')}`);
  process.exit();
}
const artifacts = resolve(values.artifacts);
if (!existsSync(artifacts))
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/artifacts.ts', '--out', artifacts], {
    stdio: 'inherit',
  });
const nameOf = (pattern: RegExp) => readdirSync(artifacts).find((name) => pattern.test(name)) ?? '';
const files = {
  executable: nameOf(/^form-relay-[\d.]+-linux-\w+$/),
  package: nameOf(/\.tgz$/),
  image: nameOf(/-image-linux-\w+\.tar$/),
};

sumsHold();
console.log(`The root is ${prepare(values.debian)}.`);
const postfix = await startPostfix(() => 'DUNNO');
const given: Given = { artifacts, files, smtpPort: postfix.ports.plain };
let broken = 0;
for (const [name, trial] of Object.entries(trials)) await attempt(name, () => toMailbox(trial));
await eachMistake(given, attempt);
await postfix.close();
console.log(broken === 0 ? 'Every artifact can be installed, used and removed.' : `${broken} broken`);
process.exit(broken === 0 ? 0 : 1);

async function attempt(name: string, work: () => Promise<string | undefined>): Promise<void> {
  const began = performance.now();
  try {
    const more = await work();
    console.log(
      `  ok  ${name}${more ? `: ${more}` : ''} (${((performance.now() - began) / 1_000).toFixed(1)} s)`,
    );
  } catch (error) {
    if (error instanceof Skipped) return console.log(`SKIPPED  ${name}: ${error.message}`);
    broken += 1;
    console.log(`BROKEN  ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Installs, serves, submits, finds the mail in the mailbox, and removes everything. */
async function toMailbox({
  as,
  withNode = false,
  needs = [],
  leaves = /./,
  install,
  remove,
}: Trial): Promise<string> {
  const lacks = needs.filter((program) => !has(program));
  if (lacks.length > 0) throw new Skipped(`there is no ${lacks.join(', ')}`);
  const root = openRoot(artifacts, withNode);
  try {
    const began = performance.now();
    const relay = await install(root, as, given).catch(async (error) => {
      await remove(root, as, given).catch(() => {});
      throw error;
    });
    try {
      const said = `${crypto.randomUUID()}`;
      const body = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', message: said });
      const { status } = await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body });
      assert.equal(status, 200);
      while (!postfix.mails().some((mail) => mail.includes(said))) {
        assert.ok(performance.now() - began < mostMs, 'no mail arrived within three minutes');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      await relay.stop();
      await root.end();
      await assert.rejects(fetch(relay.origin), 'the relay still answers after SIGTERM');
    }
    const seconds = (performance.now() - began) / 1_000;
    assert.ok(seconds * 1_000 < mostMs, `the installation took ${seconds.toFixed(0)} s`);
    await remove(root, as, given);
    assert.deepEqual(
      root.left().filter((path) => leaves.test(path)),
      [],
    );
    return `a mail after ${seconds.toFixed(1)} s, and nothing left`;
  } finally {
    root.close();
  }
}

function sumsHold(): void {
  const lines = readFileSync(join(artifacts, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  const names = lines.map((line) => {
    const [hash, name = ''] = line.split('  ');
    assert.equal(hashOf(join(artifacts, name)), hash, `${name} is not the file that SHA256SUMS lists`);
    return name;
  });
  assert.deepEqual(
    names,
    readdirSync(artifacts)
      .filter((name) => name !== 'SHA256SUMS')
      .toSorted(),
  );
}
