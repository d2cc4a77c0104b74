import { ClientError } from '@form-relay/base/client_error';
import type { Services } from '@form-relay/core/services';
import { type Diagnosis, failure, ok } from '@form-relay/mail-dns';
import { sealForOf } from '@form-relay/more-outputs/archive';
import { recipientsOf } from '@form-relay/more-outputs/store_entry';

/** For whom an archive is sealed. */
export async function sealDiagnosis(
  archive: string,
  sealing: Parameters<typeof sealForOf>[0],
  readFile: Services['readFile'],
): Promise<Diagnosis> {
  const sealFor = sealForOf(sealing);
  if (!sealFor) return ok(archive, 'is not sealed: whoever can read it reads every submission');
  const source = 'file' in sealFor ? sealFor.file : undefined;
  try {
    const { length } = await recipientsOf(sealFor, readFile);
    const keys = length === 1 ? 'one key' : `${length} keys`;
    return ok(archive, `is sealed for ${keys}${source === undefined ? '' : `, as ${source} says`}`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(archive, error.message, `Put the public keys into ${source}, one on a line.`);
  }
}
