import { ClientError } from '../base/client_error.ts';
import type { Diagnosis } from '../transports/diagnosis.ts';
import { folderProbe } from '../transports/folder/folder_probe.ts';
import { folderTarget } from '../transports/folder/folder_transport.ts';
import type { Message, Transports } from '../transports/index.ts';
import type { ProbeEffects } from '../transports/probes.ts';
import { s3Probe } from '../transports/s3/s3_probe.ts';
import { s3Target } from '../transports/s3/s3_transport.ts';

/** The effects that a look at an archive needs. */
export type LookEffects = Pick<ProbeEffects, 'readFile' | 'tryFolder' | 'listBucket'>;

/** An archive would not take the submission. Carries the doctor's remedy. */
export class ArchiveRefused extends ClientError {
  readonly remedy: string | undefined;

  constructor({ says, remedy }: Diagnosis) {
    super(says);
    this.remedy = remedy;
  }
}

/**
 * The transports, of which those into archives store nothing, since an archive is no place for tests: they look whether
 * they could, as relay doctor does.
 */
export function withArchiveLooks(transports: Transports, effects: LookEffects): Transports {
  const unused = { ...effects, writes: false, writeIntoBucket: effects.listBucket };
  const folders = folderProbe(unused);
  const buckets = s3Probe(unused);
  return {
    ...transports,
    folder: {
      ...transports.folder,
      send: async ({ folder, sealFor }, timeoutMs) =>
        looked(
          await folders.examine(folderTarget({ folder, sealFor }), timeoutMs),
          'the folder can be written',
        ),
    },
    s3: {
      ...transports.s3,
      send: async ({ bucket, prefix, sealFor }, timeoutMs) =>
        looked(
          await buckets.examine(s3Target({ bucket, prefix, sealFor }), timeoutMs),
          'the bucket is there',
        ),
    },
  };
}

function looked(diagnoses: readonly Diagnosis[], fine: string): string {
  const failed = diagnoses.find(({ verdict }) => verdict === 'failure');
  if (failed) throw new ArchiveRefused(failed);
  const doubted = diagnoses.find(({ verdict }) => verdict === 'warning');
  return `${notStored}; ${doubted ? `the bucket ${doubted.says}` : fine}`;
}

export const notStored = 'not stored: a test';

export const isArchive = ({ via }: Pick<Message, 'via'>): boolean => via === 'folder' || via === 's3';
