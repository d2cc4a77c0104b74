import { rename, rm, writeFile } from 'node:fs/promises';
import { buildConfig } from '@form-relay/relay/config';
import { CommandFailed } from './command_failed.ts';
import { tryWith } from './load_config.ts';
import { showProblems } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';
import { whyUnwritten } from './why_unwritten.ts';

export interface BuildOptions extends GlobalOptions {
  /** The file to write. Default: stdout. */
  readonly out?: string;
}

/** Prints or writes a built config, and its warnings on stderr. Throws a `CommandFailed` where the config does not load. */
export async function writeBuiltConfig({ config, out }: BuildOptions): Promise<void> {
  const built = await tryWith(config, buildConfig);
  if (!built.ok) throw new CommandFailed(showProblems(built.error, process.stderr));
  const warnings = await built.value.config.warnings(Date.now());
  if (warnings.length > 0) process.stderr.write(`${showProblems(warnings, process.stderr)}\n`);
  if (out === undefined) process.stdout.write(built.value.text);
  else await replace(out, built.value.text);
}

/** A relay may be reading the file that is there. */
async function replace(path: string, text: string): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  try {
    await writeFile(fresh, text);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw new CommandFailed(`${path}: ${whyUnwritten(error)}`);
  }
}
