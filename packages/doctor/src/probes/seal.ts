import { type Diagnosis, ok } from '@form-relay/mail-dns';

/** For whom an archive is sealed. */
export function sealDiagnosis(
  archive: string,
  { seal_to: keys }: { readonly seal_to?: readonly string[] | undefined },
): Diagnosis {
  if (!keys) return ok(archive, 'is not sealed: whoever can read it reads every submission');
  return ok(archive, `is sealed for ${keys.length === 1 ? 'one key' : `${keys.length} keys`}`);
}
