import { ClientError } from '../../base/client_error.ts';
import { type Diagnosis, failure, ok, warning } from '../../base/diagnosis.ts';
import type { Effects } from '../../base/effects.ts';
import { sealDiagnosis } from '../archive/seal_diagnosis.ts';
import type { Probe } from '../transport.ts';
import type { AskBucket } from './ask_bucket.ts';
import type { S3Target } from './s3_message.ts';

interface ProbeEffects extends Pick<Effects, 'readFile'> {
  readonly lookIntoBucket: AskBucket;
  readonly writeIntoBucket: AskBucket;
  readonly writes: boolean;
}

/** Whether a bucket is there and takes objects, and for whom what it holds is sealed. */
export const s3Probe = (effects: ProbeEffects): Probe<S3Target> => ({
  serverOf: ({ name, sealFor }) => JSON.stringify([name, sealFor]),
  look: async (target, timeoutMs) => [
    await reached(target, timeoutMs, effects),
    await sealDiagnosis(target.name, target.sealFor, effects.readFile),
  ],
});

async function reached(
  { name, bucket, prefix }: S3Target,
  timeoutMs: number,
  { lookIntoBucket, writeIntoBucket, writes }: ProbeEffects,
): Promise<Diagnosis> {
  try {
    await (writes ? writeIntoBucket : lookIntoBucket)({ bucket, prefix, timeoutMs });
    return ok(name, writes ? 'takes objects: one was written and deleted' : 'is there; nothing was written');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { action } = error.params as { readonly action?: string };
    // The relay itself needs `s3:PutObject` alone, so a refusal of anything else says nothing of that.
    if (action === 's3:ListBucket') {
      const remedy =
        'Run `relay doctor --write`, which writes one object and deletes it; or allow s3:ListBucket to this role.';
      return warning(name, 'cannot be looked at: access denied (AccessDenied)', remedy);
    }
    if (action === 's3:DeleteObject') {
      const remedy = 'Delete the object whose name begins with relay-doctor-; the relay never deletes one.';
      return warning(name, 'takes objects; the one that was written may not be deleted', remedy);
    }
    const remedy = 'Give the relay a region, credentials and a bucket that it may write into.';
    return failure(name, error.message, remedy);
  }
}
