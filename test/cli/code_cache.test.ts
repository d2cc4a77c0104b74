/** V8's code cache beside the program, which Node 22.8 and later write; wherever it cannot be written, the program runs as ever. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { version } from '../../packages/relay/src/base/version.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(dist, folder, { recursive: true, filter: (path) => !path.includes('code_cache') });
  return folder;
}

/** With whatever stands on stderr. */
function versionSaidIn(folder: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'relay.cjs'), '--version'], {
    encoding: 'utf8',
  });
  return stdout.trim() + stderr;
}

test.runIf('enableCompileCache' in module)('the first start writes it beside the program', () => {
  const folder = installed();
  expect(versionSaidIn(folder)).toBe(version);
  expect(existsSync(join(folder, 'code_cache'))).toBe(true);
  expect(versionSaidIn(folder)).toBe(version);
});

test('where it cannot be written, nothing is said of it', () => {
  const folder = installed();
  writeFileSync(join(folder, 'code_cache'), '');
  expect(versionSaidIn(folder)).toBe(version);
});
