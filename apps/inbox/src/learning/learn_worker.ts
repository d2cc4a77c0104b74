/**
 * Learns from marks in a thread, so that the inbox stays responsive. Built as a program of its own,
 * `dist/cli/learn_worker.cjs`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type Learned, learn, type Marked, textsToLearn } from '@form-relay/learning/learn';
import { LessonCollector, readModelFile, writeModelFile } from '@form-relay/learning/train';
import { type Model, seedsOf } from '@form-relay/spam/lists/model';
import { entryAt } from '@form-relay/stored/archive/archive';
import { ahead, readAtOnce } from '@form-relay/stored/archive/export';
import { archiveInFolder } from '@form-relay/stored/archive/in_folder';
import { readEntry } from '@form-relay/stored/archive/read_entry';
import type { MarkedAt } from '../entry_index.ts';

export interface LearnTask {
  readonly file: string;
  readonly key: string;
  /** The folder of each archive; `undefined` for a bucket. */
  readonly folders: readonly (string | undefined)[];
  readonly marked: readonly MarkedAt[];
  readonly fields: ReadonlyMap<string, readonly { readonly name: string; readonly type: string }[]>;
  /** When the marks were read, in milliseconds since the epoch. */
  readonly now: number;
}

export interface LearnEnding {
  /** Why nothing was written. */
  readonly problem: string | undefined;
}

async function learnFrom({ file, key, now, ...task }: LearnTask): Promise<LearnEnding> {
  const inUse = await readModelFile(file);
  const seeds = seedsOf(key);
  const collector = new LessonCollector(seeds);
  for await (const one of ahead(steps(task.marked), readAtOnce, (at) => read(at, task)))
    if (one) collector.add(one);
  const learned = learn({ learnFrom: collector.lessons(), seeds, inUse, now });
  const problem = learned.problem ?? (inUse && whyForgetful(inUse, learned));
  if (problem !== undefined) return { problem };
  const model = learned.model();
  return writeModelFile(file, model).then(
    () => ({ problem: undefined }),
    ({ code = 'unknown' }) => ({ problem: `the model cannot be written (${code})` }),
  );
}

async function* steps<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

/** Skips documents that are gone or unreadable. */
async function read(
  { archive, path, isSpam, markedAt }: MarkedAt,
  { folders, fields }: Pick<LearnTask, 'folders' | 'fields'>,
): Promise<Marked | undefined> {
  const [entry, folder] = [entryAt(path), folders[archive]];
  if (!entry || folder === undefined) return undefined;
  const document = await readEntry({ archive: archiveInFolder(folder), unseal: undefined }, entry);
  if (!document.ok) return undefined;
  const texts = textsToLearn(document.value, fields.get(entry.form));
  return { id: entry.id, texts, isSpam, at: entry.receivedAt, markedAt: markedAt || entry.receivedAt };
}

/** The current model may have learned from files that only `relay rules learn` was given. */
function whyForgetful(inUse: Model, { spam, ham }: Learned): string | undefined {
  const before = inUse.spam + inUse.ham;
  return before > 2 * (spam + ham)
    ? `the current model learned from ${before} messages, and only ${spam + ham} are marked here; run relay rules learn to learn from all of them`
    : undefined;
}

void learnFrom(workerData).then((ending) => parentPort?.postMessage(ending));
