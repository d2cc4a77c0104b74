/** An owner's verdicts on submissions, as lines of JSON in a file beside the archive. */

import { lstat, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { count } from '@form-relay/base/terminal';
import { whyUnreadable, whyUnwritten } from '@form-relay/base/text_file';
import { CommandFailed } from '@form-relay/core/command';
import { isBucket } from '../archive/open.ts';

export const verdicts = ['spam', 'ham'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Given {
  readonly verdict: Verdict;
  /** In milliseconds since the epoch; 0 if the line has no time. */
  readonly at: number;
}

/** Verdicts by the id of the submission. */
export type Verdicts = ReadonlyMap<string, Given>;

/** @param at In milliseconds since the epoch. */
export const verdictLine = (id: string, verdict: Verdict, at: number): string =>
  `${JSON.stringify({ id, verdict, at: new Date(at).toISOString() })}\n`;

/** The latest verdict of each submission. Calls `tell` with the number of each malformed line, counted from 1. */
export function readVerdicts(text: string, tell: (line: number) => void): Verdicts {
  const all = new Map<string, Given>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (read) all.set(read.id, read);
    else tell(index + 1);
  }
  return all;
}

function readLine(line: string): (Given & { readonly id: string }) | undefined {
  try {
    const { id, verdict, at } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const known = verdicts.find((one) => one === verdict);
    return typeof id === 'string' && known
      ? { id, verdict: known, at: Date.parse(String(at)) || 0 }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Beside the archive's folder rather than in it, because only the relay writes to the folder. */
export const verdictFileOf = (folder: string): string => `${resolve(folder)}.verdicts.jsonl`;

/** Appends a line, so that several processes can write at the same time. Rejects with a system error. */
export async function appendVerdict(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = size > 0 ? (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : '\n';
    // After a truncated line, for example from a full disk, start a new line.
    await handle.appendFile(last === '\n' ? line : `\n${line}`);
  } finally {
    await handle.close();
  }
}

/** Removes the lines of submissions; lines added in the meantime stay. Rejects with a `ClientError` or a system error. */
export async function forgetVerdicts(file: string, ids: ReadonlySet<string>): Promise<void> {
  const whole = await lstat(file).catch(unlessMissing);
  if (!whole) return;
  if (!whole.isFile()) throw new ClientError('is not a file; ignored');
  const next = `${file}.${process.pid}.tmp`;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const text = await readFile(file, 'utf8');
    const kept = text.split('\n').filter((line) => !isAbout(line, ids));
    if (kept.length === text.split('\n').length) return;
    await writeFile(next, kept.join('\n'), { mode: 0o600 });
    const { size } = await lstat(file);
    if (size === Buffer.byteLength(text)) return rename(next, file);
    await unlink(next);
  }
  throw new ClientError('another process keeps writing to it; try again');
}

const mostTries = 10;

function isAbout(line: string, ids: ReadonlySet<string>): boolean {
  try {
    return ids.has((JSON.parse(line) as { readonly id?: string }).id ?? '');
  } catch {
    return false;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

export interface VerdictOptions {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly archive: string;
  /** The file with the verdicts. Default: beside the folder. */
  readonly verdicts?: string;
}

export function verdictFile({ archive, verdicts }: VerdictOptions): string | undefined {
  return verdicts ?? (isBucket(archive) ? undefined : verdictFileOf(archive));
}

/** The verdicts; none if there is no file yet. Malformed lines are reported and finally make the command fail. */
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
    if (wrong <= mostTold) process.stderr.write(`${file}:${line}: is not a verdict\n`);
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
