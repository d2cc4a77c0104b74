import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { failures, inBrackets } from '@form-relay/core/kit';

const failed = failures({
  folder_missing: ({ folder }: { folder: string }) => `there is no folder ${folder}`,
  folder_denied: ({ folder }: { folder: string }) => `this user may not write to ${folder}`,
  folder_full: ({ folder }: { folder: string }) => `the disk of ${folder} is full`,
  folder_failed: ({ folder, code }: { folder: string; code: string }) =>
    `${folder} cannot be written to${inBrackets(code)}`,
});

function failureOf(error: unknown, folder: string) {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return failed('folder_missing', { folder });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return failed('folder_denied', { folder });
  if (code === 'ENOSPC' || code === 'EDQUOT') return failed('folder_full', { folder });
  return code === '' ? error : failed('folder_failed', { folder, code });
}

/** Adds all of it or nothing: a retry must find no half line. The file has one writer, the process in its name. */
export async function appendLines(folder: string, name: string, content: Uint8Array): Promise<void> {
  try {
    const file = await open(join(folder, name), 'a', 0o600);
    try {
      const { size } = await file.stat();
      try {
        await file.writeFile(content);
      } catch (error) {
        await file.truncate(size);
        throw error;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureOf(error, folder);
  }
}

const dayMs = 86_400_000;

/** The names of the journal's own files. A process is named by letters and digits. */
const fileOfDay = /^(\d{4}-\d\d-\d\d)-[\da-z]+\.jsonl$/;

/** Removes files of days that ended before. `before`: milliseconds since the epoch. */
export async function removeFiles(folder: string, before: number): Promise<void> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const own = entries.flatMap((entry) => {
      const [, day = ''] = fileOfDay.exec(entry.name) ?? [];
      const endsAt = Date.parse(`${day}T00:00:00Z`) + dayMs;
      return entry.isFile() && !Number.isNaN(endsAt) ? [{ name: entry.name, endsAt }] : [];
    });
    // The clock may have jumped.
    if (!own.some(({ endsAt }) => endsAt > before)) return;
    for (const { name, endsAt } of own) {
      if (endsAt > before) continue;
      await unlink(join(folder, name)).catch((error) => {
        // Another process was faster.
        if (error.code !== 'ENOENT') throw error;
      });
    }
  } catch (error) {
    throw failureOf(error, folder);
  }
}
