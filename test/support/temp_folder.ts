import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const make = () => mkdtempSync(join(tmpdir(), 'form-relay-'));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** An empty folder, removed when its test ends. */
export function tempFolder(): string {
  const folder = make();
  onTestFinished(() => remove(folder));
  return folder;
}

/** An empty folder for all tests of a file or a `describe`. */
export function suiteFolder(): string {
  const folder = make();
  afterAll(() => remove(folder));
  return folder;
}
