import { lstat, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { ClientError } from '@form-relay/core/base/client_error';

/**
 * Removes the lines about some submissions from a file of verdicts. Lines that somebody adds meanwhile stay. Rejects with a
 * `ClientError` or a system error.
 */
export async function forgetVerdicts(file: string, ids: ReadonlySet<string>): Promise<void> {
  const whole = await lstat(file).catch(unlessMissing);
  if (!whole) return;
  if (!whole.isFile()) throw new ClientError('is no file; left alone');
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
  throw new ClientError('others write to it all the time; try again');
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
