import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that ends with this process, and that each user may read. */
export function tempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `relay-${name}-`));
  folders.push(folder);
  chmodSync(folder, 0o755);
  return folder;
}
