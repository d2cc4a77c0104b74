import { ClientError } from '../base/client_error.ts';
import type { CountPlace } from '../base/counts.ts';
import type { Effects } from '../base/effects.ts';
import { inTime } from '../base/soon.ts';
import { countPaths } from '../counting/stores/folder.ts';
import { keys, storedFor } from '../features/keys/keys.ts';
import { keysFolder } from '../features/places/claims.ts';
import { countFolders } from '../features/places/read_counts.ts';
import type { Form } from '../form.ts';

/** Whether the folders that a config writes into, and the store in which its forms count, can be used. */
export interface Stores {
  /** Looks at the folders of a new config, and those in which its forms count, and tells the log of those that cannot be used. */
  check(paths: readonly string[], forms: readonly Form[]): Promise<void>;
  /** Looks again, at the store on the network as well; what cannot be used, in words for the owner. `undefined`: all can. */
  problem(): Promise<string | undefined>;
  /** Whether all folders could be used once. From then on the relay stays ready, whatever comes. */
  readonly isReady: boolean;
}

/** A disk that hangs must not hold up `/readyz`. */
const timeoutMs = 2_000;
/** Anyone may ask `/readyz`: the disks are asked at most this often. */
const restMs = 1_000;

interface Folder {
  /** The folder that its owner makes. */
  readonly root: string;
  /** The folder, and those in which the relay makes it, up to the root. */
  readonly paths: readonly string[];
}

/** Nothing is counted under it: it is only read. */
const readKey = 'ready';

/** Loaded with the first config that writes into folders, or counts. */
export function createStores({
  tryFolder,
  openCounter,
  log,
  now,
}: Pick<Effects, 'tryFolder' | 'openCounter' | 'log' | 'now'>): Stores {
  let all: readonly Folder[] = [];
  /** All forms of a config count there. */
  let counted: CountPlace | undefined;
  let isReady = false;
  let looked: { readonly at: number; readonly problems: Promise<readonly string[]> } | undefined;

  const problemsNow = (): Promise<readonly string[]> => {
    const at = now();
    if (!looked || at < looked.at || at - looked.at >= restMs) looked = { at, problems: look(all) };
    return looked.problems;
  };

  async function look(folders: readonly Folder[]): Promise<readonly string[]> {
    const found = await Promise.all(
      folders.map(async ({ root, paths }) => [root, await problemOf(paths)] as const),
    );
    // What is wrong with one is wrong with all that is in it.
    const byRoot = new Map<string, string>();
    for (const [root, says] of found) if (says && !byRoot.has(root)) byRoot.set(root, says);
    const problems = [...byRoot.values()];
    // Unless another config came meanwhile, with folders of its own.
    if (folders === all && problems.length === 0) isReady = true;
    return problems;
  }

  async function problemOf([path = '', ...above]: readonly string[]): Promise<string | undefined> {
    try {
      return await inTime<string | undefined>(
        timeoutMs,
        tryFolder(path, { writes: false }).then(() => undefined),
        () => `the folder ${path} does not answer within ${timeoutMs} ms`,
      );
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return error.code === 'folder_missing' && above.length > 0 ? problemOf(above) : error.message;
    }
  }

  /** A counter asks its store once a second at most, and waits for it as long. */
  async function countProblems(): Promise<readonly string[]> {
    if (!counted || counted.kind === 'folder') return [];
    try {
      await (await openCounter(counted)).read(readKey, true);
      return [];
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return [`counts cannot be read: ${error.message}`];
    }
  }

  return {
    get isReady() {
      return isReady;
    },
    async check(paths, forms) {
      all = [...paths.map((path) => ({ root: path, paths: [path] })), ...forms.flatMap(countedIn)];
      counted = forms.map(storedFor).find((place) => place !== undefined);
      looked = undefined;
      const problems = await problemsNow();
      if (problems.length > 0) log('error', 'folders_unusable', { problems });
    },
    async problem() {
      const problems = (await Promise.all([problemsNow(), countProblems()])).flat();
      return problems.length > 0 ? problems.join('; ') : undefined;
    },
  };
}

function countedIn(form: Form): readonly Folder[] {
  const where = storedFor(form);
  if (where?.kind !== 'folder') return [];
  const folders = [...countFolders(form), ...(keys.of(form)?.where ? [keysFolder(form.id)] : [])];
  return folders.map((key) => ({
    root: where.path,
    paths: countPaths(where.path, key),
  }));
}
