import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file of the inbox's page, from beside the built program or from its package. Its name has no folder. */
export async function readPageFile(name: string): Promise<Uint8Array | undefined> {
  for (const place of ['./inbox/', '../inbox/', '../../inbox/built/']) {
    try {
      return await readFile(fileURLToPath(new URL(place + name, import.meta.url)));
    } catch {}
  }
  return undefined;
}
