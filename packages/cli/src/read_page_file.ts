import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readBeside } from './beside.ts';

/** A file of the inbox's page, from beside the built program or from its package. Its name has no folder. */
export async function readPageFile(name: string): Promise<Uint8Array | undefined> {
  try {
    return await readBeside(`inbox/${name}`);
  } catch {}
  try {
    return await readFile(fileURLToPath(new URL(`../../inbox/built/${name}`, import.meta.url)));
  } catch {
    return undefined;
  }
}
