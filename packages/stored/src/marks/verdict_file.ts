import { readFile } from 'node:fs/promises';
import { count } from '@form-relay/base/terminal';
import { whyUnreadable, whyUnwritten } from '@form-relay/base/text_file';
import { CommandFailed } from '@form-relay/core/command';
import { isBucket } from '../archive/open.ts';
import { appendVerdict, readVerdicts, type Verdicts, verdictFileOf } from './verdicts.ts';

export interface VerdictOptions {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly archive: string;
  /** The file of verdicts. Default: next to the folder. */
  readonly verdicts?: string;
}

export function verdictFile({ archive, verdicts }: VerdictOptions): string | undefined {
  return verdicts ?? (isBucket(archive) ? undefined : verdictFileOf(archive));
}

/** None where nothing was marked yet. A malformed line is reported, and makes the command fail at its end. */
export async function loadVerdicts(options: VerdictOptions): Promise<Verdicts> {
  const file = verdictFile(options);
  if (file === undefined) return new Map();
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && options.verdicts === undefined) return new Map();
    throw new CommandFailed(`${file}: ${whyUnreadable(error)}`);
  }
  let wrong = 0;
  const verdicts = readVerdicts(text, (line) => {
    wrong += 1;
    if (wrong <= mostTold) process.stderr.write(`${file}:${line}: is no verdict\n`);
  });
  if (wrong > 0) {
    process.stderr.write(`${count(wrong, 'line')} left out\n`);
    process.exitCode = 1;
  }
  return verdicts;
}

const mostTold = 20;

export async function addVerdict(file: string, line: string): Promise<void> {
  try {
    await appendVerdict(file, line);
  } catch (error) {
    throw new CommandFailed(`${file}: ${whyUnwritten(error)}`);
  }
}
