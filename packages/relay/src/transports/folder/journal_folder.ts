import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppendLines, RemoveJournal } from '../../base/effects.ts';
import { folderFailure } from './store_file.ts';

/** Adds all of it or nothing: a retry must find no half line. The file has one writer, the process in its name. */
export const appendLines: AppendLines = async ({ folder, name, content }) => {
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
    throw folderFailure(error, folder);
  }
};

const dayMs = 86_400_000;

/** The names of the journal's own files. A process is named by letters and digits. */
const fileOfDay = /^(\d{4}-\d\d-\d\d)-[\da-z]+\.jsonl$/;

export const removeJournal: RemoveJournal = async ({ folder, before }) => {
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
    throw folderFailure(error, folder);
  }
};
