import { ClientError } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import { inTime } from '../base/in_time.ts';

/** Whether the folders that a config writes into can be used. */
export interface Folders {
  /** Looks at the folders of a new config, and tells the log of those that cannot be used. */
  check(paths: readonly string[]): Promise<void>;
  /** Looks again; why folders cannot be used, in words for the owner. `undefined`: all of them can. */
  problem(): Promise<string | undefined>;
  /** Whether all of them could be used once. From then on the relay stays ready, whatever comes (D29). */
  readonly isReady: boolean;
}

/** A disk that hangs must not hold up `/readyz`. */
const timeoutMs = 2_000;
/** Anyone may ask `/readyz`: the disks are asked at most this often. */
const restMs = 1_000;

/** Loaded with the first config that writes into folders. */
export function createFolders({ tryFolder, log, now }: Pick<Effects, 'tryFolder' | 'log' | 'now'>): Folders {
  let paths: readonly string[] = [];
  let isReady = false;
  let looked: { readonly at: number; readonly problems: Promise<readonly string[]> } | undefined;

  const problemsNow = (): Promise<readonly string[]> => {
    const at = now();
    if (!looked || at < looked.at || at - looked.at >= restMs) looked = { at, problems: look(paths) };
    return looked.problems;
  };

  async function look(folders: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(folders.map(problemOf));
    const problems = found.filter((one) => one !== undefined);
    // Unless another config came meanwhile, with folders of its own.
    if (folders === paths && problems.length === 0) isReady = true;
    return problems;
  }

  async function problemOf(path: string): Promise<string | undefined> {
    try {
      return await inTime<string | undefined>(
        timeoutMs,
        tryFolder(path, { writes: false }).then(() => undefined),
        () => `the folder ${path} does not answer within ${timeoutMs} ms`,
      );
    } catch (error) {
      if (error instanceof ClientError) return error.message;
      throw error;
    }
  }

  return {
    get isReady() {
      return isReady;
    },
    async check(asked) {
      paths = asked;
      looked = undefined;
      const problems = await problemsNow();
      if (problems.length > 0) log('error', 'folders_unusable', { problems });
    },
    async problem() {
      const problems = await problemsNow();
      return problems.length > 0 ? problems.join('; ') : undefined;
    },
  };
}
