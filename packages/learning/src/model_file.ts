import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type Model, writeModel } from '@form-relay/spam/lists/model';
import { readList } from '@form-relay/spam/lists/read_list';

/** The model in a file; `undefined` if there is none, or none that can be read. */
export async function readModelFile(file: string): Promise<Model | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = await readList('model', text);
  return found.ok ? found.value.list.model : undefined;
}

/** A relay that reads it meanwhile finds the old one or the new one, whoever else writes it. Rejects with a system error. */
export async function writeModelFile(file: string, model: Model): Promise<void> {
  const next = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(next, writeModel(model), { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}
