import { loadConfig, showProblems } from './load_config.ts';

/** Prints `ok`, or every problem on stderr. Warnings go to stderr too, and do not change the exit code (D4). */
export async function configValidate(configOption: string | undefined): Promise<void> {
  const config = await loadConfig(configOption);
  const warnings = config.warnings();
  if (warnings.length > 0) process.stderr.write(`${showProblems(warnings)}\n`);
  process.stdout.write('ok\n');
}
