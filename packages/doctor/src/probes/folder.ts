import { ClientError } from '@form-relay/base/client_error';
import { type Diagnosis, failure, ok } from '@form-relay/mail-dns';
import type { FolderTarget } from '../target.ts';
import type { ProbeWorld } from './index.ts';
import type { Probe } from './probe.ts';
import { sealDiagnosis } from './seal.ts';

/** Checks that a folder exists and is writable, and reports for whom its archive is sealed. */
export const folderProbe = (world: Pick<ProbeWorld, 'tryFolder' | 'writes'>): Probe<FolderTarget> => ({
  serverOf: ({ path, seal_to }) => JSON.stringify([path, seal_to]),
  examine: async (target) => [await reached(target.path, world), sealDiagnosis(target.path, target)],
});

async function reached(
  folder: string,
  { tryFolder, writes }: Pick<ProbeWorld, 'tryFolder' | 'writes'>,
): Promise<Diagnosis> {
  try {
    await tryFolder(folder, { writes });
    const says = writes
      ? 'takes files: one was written and deleted'
      : 'is there, and this user may write into it; nothing was written';
    return ok(folder, says);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const remedy = 'Run relay doctor where the relay runs, and as the same user.';
    return failure(folder, error.message, remedy);
  }
}
