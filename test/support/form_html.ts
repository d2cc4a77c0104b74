import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { vi } from 'vitest';
import { formHtml as command } from '../../src/tools/cli/commands/form_html.ts';

const relay = new Command('relay').option('--config <file>').addCommand(command);

/** What `relay form html ARGS` prints for a config; one at a time. */
export async function formHtml(config: string, ...args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'form-relay-'));
  const file = join(folder, 'webform.yaml');
  writeFileSync(file, config);
  let text = '';
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await relay.parseAsync(['--config', file, 'html', ...args], { from: 'user' });
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
    rmSync(folder, { recursive: true });
  }
  return text;
}
