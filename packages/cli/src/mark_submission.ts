import { type Verdict, verdictLine } from '@form-relay/stored/marks/verdicts';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { withArchive } from './open_archive.ts';
import { findEntries } from './show_entry.ts';
import { addVerdict, type VerdictOptions, verdictFile } from './verdict_file.ts';

export interface MarkOptions extends VerdictOptions {
  readonly form?: string;
}

/** Writes down what a submission is. Sealed ones need no key: their place tells their id. */
export async function markSubmission(
  id: string,
  verdict: Verdict,
  { form, ...options }: MarkOptions,
): Promise<void> {
  const { archive } = options;
  const file = verdictFile(options);
  if (file === undefined)
    throw new CommandFailed('name a file for what is marked in a bucket: --verdicts verdicts.jsonl');
  await withArchive({ from: archive }, async (reading) => {
    const [entry] = await findEntries(reading, archive, id, form);
    await addVerdict(file, verdictLine(id, verdict, Date.now()));
    process.stdout.write(`${printable(`${id}  ${entry.form}`)}  ${verdict}\n`);
  });
}
