import { ClientError } from '../../base/client_error.ts';
import { type Diagnosis, failure, ok } from '../../base/diagnosis.ts';
import type { Effects } from '../../base/effects.ts';
import type { SealFor } from './archive_message.ts';
import { recipientsIn } from './store_entry.ts';

/** For how many keys an archive is sealed. */
export async function sealDiagnosis(
  archive: string,
  sealFor: SealFor | undefined,
  readFile: Effects['readFile'],
): Promise<Diagnosis> {
  if (!sealFor) return ok(archive, 'is not sealed: whoever can read it reads every submission');
  if ('recipients' in sealFor) return ok(archive, `is sealed for ${keys(sealFor.recipients.length)}`);
  try {
    const recipients = await recipientsIn(sealFor.file, readFile);
    return ok(archive, `is sealed for ${keys(recipients.length)}, as ${sealFor.file} says`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(archive, error.message, `Put the public keys into ${sealFor.file}, one on a line.`);
  }
}

const keys = (count: number) => (count === 1 ? 'one key' : `${count} keys`);
