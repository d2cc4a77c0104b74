import { open } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Beside the archive's folder, and not in it: what is in it, the relay wrote. */
export const verdictFileOf = (folder: string): string => `${resolve(folder)}.verdicts.jsonl`;

/** Appends at the end, so that several processes may write at the same time. Rejects with a system error. */
export async function appendVerdict(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = size > 0 ? (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : '\n';
    // A line that was cut off, as by a full disk, must not take this one with it.
    await handle.appendFile(last === '\n' ? line : `\n${line}`);
  } finally {
    await handle.close();
  }
}
