/** Opens the index for the thread that serves the page. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isBucket } from '@form-relay/stored/archive/open';
import { verdictFileOf } from '@form-relay/stored/marks/verdicts';
import { makeFolder, ownerOf } from '@form-relay/stored/search_index';
import type { Change, Progress } from '../api.ts';
import type { TypedField } from '../correspondent.ts';
import { directMethods, type EntryIndex, type Sources } from '../entry_index.ts';
import type { KeptFact } from './entries.ts';
import type { RowPage } from './queries.ts';
import type { ServiceOptions } from './service.ts';

export interface IndexOptions {
  readonly sources: Sources;
  /** The index's own folder; see `indexFolder`. */
  readonly folder: string;
  readonly program: URL;
  /** The config's forms with their fields. */
  readonly forms?: ReadonlyMap<string, readonly TypedField[]>;
  /** Lists the queued deliveries of all stores. Called every few seconds. */
  readonly listKept?: () => Promise<readonly KeptFact[]>;
  /** Reports a problem to the owner. */
  readonly warn?: (words: string) => void;
}

const keptEveryMs = 2_000;
const mostChangesAfterMs = 200;

/** Rejects with the file system's error if the index's folder is not writable. */
export async function openIndex(options: IndexOptions): Promise<EntryIndex> {
  const { sources, program, warn = () => {} } = options;
  const owned = own(resolve(options.folder), warn);
  const data: ServiceOptions = {
    sources,
    folder: owned.folder,
    readFile: join(resolve(options.folder), 'read.jsonl'),
    forms: new Map([...(options.forms ?? [])].map(([id, fields]) => [id, fields.map(typedField)])),
    marks: marksOf(sources),
  };
  const worker = new Worker(program, {
    workerData: data,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 },
  });
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const changes = new Set<(change: Change) => void>();
  const progresses = new Set<(progress: Progress | undefined) => void>();
  let latest: Progress | undefined = { done: 0 };
  let next = 1;
  let whyEnded: Error | undefined;
  let due: Change | undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = (error: Error) => {
    whyEnded ??= error;
    for (const { reject } of pending.values()) reject(whyEnded);
    pending.clear();
    clearInterval(listAgain);
    clearTimeout(timer);
    owned.release();
  };
  const emitChange = (change: Change) => {
    due = change;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (due) for (const then of changes) then(due);
    }, mostChangesAfterMs);
  };
  worker.on('message', (message) => {
    if (message.change) return emitChange(message.change);
    if ('progress' in message) {
      latest = message.progress;
      for (const then of progresses) then(latest);
      return;
    }
    const waiting = pending.get(message.n);
    pending.delete(message.n);
    if (message.error === undefined) waiting?.resolve(message.value);
    else waiting?.reject(new Error(message.error));
  });
  worker.on('error', (error) => end(new Error(`the index ended: ${error.message}`)));
  worker.on('exit', () => end(new Error('the index is closed')));
  const ask = async <T>(method: string, ...values: unknown[]): Promise<T> => {
    const answer = await new Promise((resolve, reject) => {
      if (whyEnded) return reject(whyEnded);
      pending.set(next, { resolve, reject });
      worker.postMessage({ n: next, method, values });
      next += 1;
    });
    return answer as T;
  };
  const asking =
    (name: string) =>
    (...values: unknown[]) =>
      ask(name, ...values);
  let listing: Promise<void> | undefined;
  const listKept = () => {
    listing ??= sendKept().finally(() => {
      listing = undefined;
    });
    return listing;
  };
  /** A store that stays unavailable is reported once. */
  let whyUnlisted: string | undefined;
  const sendKept = async () => {
    if (!options.listKept) return;
    let why: string | undefined;
    try {
      await ask('keep', await options.listKept());
    } catch (error) {
      if (whyEnded) return;
      why = error instanceof Error ? error.message : '';
      if (why !== whyUnlisted) warn(`queued deliveries cannot be listed: ${why}`);
    }
    whyUnlisted = why;
  };
  const watch = () => void ask('watch', changes.size > 0).catch(() => {});
  const listAgain = setInterval(() => void listKept(), keptEveryMs);
  listAgain.unref();
  void listKept();
  return {
    ...(Object.fromEntries(directMethods.map((name) => [name, asking(name)])) as Pick<
      EntryIndex,
      (typeof directMethods)[number]
    >),
    async *rows(query, forms, ids) {
      if (ids) return yield await ask<RowPage['rows']>('rowsOf', ids, forms);
      let after: string | undefined;
      do {
        const page = await ask<RowPage>('rows', query, forms, after);
        yield page.rows;
        after = page.next;
      } while (after !== undefined);
    },
    async refresh(...ids) {
      // A listing in progress may have started before the caller's change.
      await listing;
      await listKept();
      await ask('refresh', ids);
    },
    onChange(then) {
      changes.add(then);
      watch();
      return () => {
        changes.delete(then);
        watch();
      };
    },
    onProgress(then) {
      progresses.add(then);
      then(latest);
      return () => progresses.delete(then);
    },
    async close() {
      if (whyEnded) return;
      await ask('close');
      end(new Error('the index is closed'));
      await worker.terminate();
    },
  };
}

/** Removes functions, which cannot be sent to a thread. */
const typedField = ({ name, type, options }: TypedField): TypedField => ({ name, type, options });

const marksOf = ({ archives }: Sources) =>
  archives.flatMap(({ place, isDropped }) => (isBucket(place) || isDropped ? [] : [verdictFileOf(place)]));

/** Only one inbox writes the index. A second inbox builds its own, and removes it on exit; if killed, the next inbox removes it. */
function own(folder: string, warn: (words: string) => void) {
  makeFolder(folder);
  const file = join(folder, 'owner');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      for (const name of readdirSync(folder))
        if (name.startsWith(second) && ownerOf(join(folder, name)) === undefined)
          rmSync(join(folder, name), { recursive: true, force: true });
      return { folder, release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (ownerOf(folder) !== undefined) break;
      rmSync(file, { force: true });
    }
  }
  warn('another inbox uses this index; building a separate one, which takes as long as the first time');
  const temporary = mkdtempSync(join(folder, second));
  writeFileSync(join(temporary, 'owner'), String(process.pid), { mode: 0o600 });
  return { folder: temporary, release: () => rmSync(temporary, { recursive: true, force: true }) };
}

const second = 'second-';
