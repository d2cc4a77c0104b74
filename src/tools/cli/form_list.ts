import { loadConfig } from './load_config.ts';

/** Prints all form names, one per line, sorted. */
export async function formList(configOption: string | undefined): Promise<void> {
  const { forms } = await loadConfig(configOption);
  for (const name of [...forms.keys()].sort()) process.stdout.write(`${name}\n`);
}
