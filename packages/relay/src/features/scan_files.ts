import type { ScanVerdict, SocketAddress } from '../base/effects.ts';
import type { FieldError } from '../base/outcome.ts';
import type { Found, Passage } from '../form.ts';
import { addressInWords } from '../schema/socket_address.ts';

/** The virus scanner, and the treatment of files that are too large for it. */
export interface Scan {
  readonly scanner: SocketAddress;
  readonly tooLarge: 'refuse' | 'deliver';
}

/** For each file; less when the submission has less time left. */
const timeoutMs = 15_000;

/**
 * Has the form's scanner look at every file that validation took, one after the other. What it finds is the visitor's
 * to leave out. Without its verdict nothing is delivered.
 */
export async function scanFiles(
  { scanner, tooLarge }: Scan,
  { submission: { deadline }, effects, files }: Passage,
): Promise<Found> {
  const about = { check: 'scan', scanner: addressInWords(scanner) } as const;
  const look = (bytes: Uint8Array): Promise<ScanVerdict> =>
    effects.scanFile({
      scanner,
      bytes,
      timeoutMs: Math.max(1, Math.min(timeoutMs, deadline - effects.now())),
    });
  const errors: FieldError[] = [];
  const found: { field: string; signature: string | undefined }[] = [];
  const unseen = new Set<string>();
  let count = 0;
  let isPretended = false;
  for (const [field, taken] of files) {
    for (const [at, { name, bytes }] of taken.entries()) {
      let seen: ScanVerdict;
      try {
        seen = await look(bytes);
      } catch (error) {
        return { evidence: { ...about, code: 'unscanned', error }, ending: { kind: 'undelivered' } };
      }
      count += 1;
      if (seen.verdict === 'clean') {
        isPretended ||= seen.isPretended === true;
        continue;
      }
      if (seen.verdict === 'too_large' && tooLarge === 'deliver') {
        unseen.add(field);
        continue;
      }
      const code = seen.verdict === 'infected' ? 'file_infected' : 'file_too_large_to_scan';
      errors.push({ field, code, params: { name }, at });
      found.push({ field, signature: seen.verdict === 'infected' ? seen.signature : undefined });
      // Report only the first error of a field.
      break;
    }
  }
  return errors.length > 0
    ? { evidence: { ...about, code: 'refused', found }, ending: { kind: 'invalid', errors } }
    : {
        evidence: { ...about, code: 'scanned', files: count - unseen.size, unseen: [...unseen], isPretended },
      };
}
