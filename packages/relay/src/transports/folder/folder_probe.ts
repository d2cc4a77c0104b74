import { ClientError } from '../../base/client_error.ts';
import type { Effects, TryFolder } from '../../base/effects.ts';
import { sealDiagnosis } from '../archive/store_entry.ts';
import { type Diagnosis, failure, ok } from '../diagnosis.ts';
import type { Probe } from '../transport.ts';
import type { FolderTarget } from './folder_transport.ts';

interface ProbeEffects extends Pick<Effects, 'readFile'> {
  readonly tryFolder: TryFolder;
  readonly writes: boolean;
}

/** Checks that a folder exists and is writable, and reports for whom its archive is sealed. */
export const folderProbe = ({ readFile, tryFolder, writes }: ProbeEffects): Probe<FolderTarget> => ({
  serverOf: ({ folder, sealFor }) => JSON.stringify([folder, sealFor]),
  examine: async ({ folder, sealFor }) => [
    await reached(folder, tryFolder, writes),
    await sealDiagnosis(folder, sealFor, readFile),
  ],
});

async function reached(folder: string, tryFolder: TryFolder, writes: boolean): Promise<Diagnosis> {
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
