import type { ScanFile, ScanVerdict } from '@form-relay/clients/clamd';
import type { FieldError, Outcome, Submission } from '@form-relay/core/index';
import { ClientError, hasAskedOthers, invalid, stackOf, undelivered } from '@form-relay/core/kit';
import type { Scan } from './scan.ts';
import { addressInWords } from './socket_address.ts';

declare module '@form-relay/core/services' {
  interface Services {
    /** Scans a file, in the place of the client for clamd. */
    readonly scanFile?: ScanFile;
  }
}

/** For each file; less when the submission has less time left. */
const timeoutMs = 15_000;

/**
 * Has the form's scanner look at every file that validation accepted, one after the other. Visitors are asked to leave out
 * what it finds. Nothing is delivered without its verdict.
 */
export async function scanFiles(
  { clamd, too_large: tooLarge }: Scan,
  submission: Submission,
): Promise<Outcome | undefined> {
  const { files, services, deadline, trace } = submission;
  const scanner = addressInWords(clamd);
  const log = (level: 'warn' | 'error', event: string, fields: object) =>
    submission.log(level, event, { scanner, ...fields });
  if (services.isDryRun === true) {
    trace?.note(`${scanner} would look at ${counted([...files.values()].flat().length)}`);
    return undefined;
  }
  submission.setState(hasAskedOthers, true);
  const { scanFile } = services.scanFile
    ? { scanFile: services.scanFile }
    : await import('@form-relay/clients/clamd');
  const errors: FieldError[] = [];
  const found: string[] = [];
  const unseen = new Set<string>();
  let seenFiles = 0;
  for (const [field, accepted] of files) {
    for (const [at, { name, bytes }] of accepted.entries()) {
      let seen: ScanVerdict;
      try {
        const leftMs = Math.max(1, Math.min(timeoutMs, deadline - services.now()));
        seen = await scanFile({ scanner: clamd, bytes, timeoutMs: leftMs });
      } catch (error) {
        const isExpected = error instanceof ClientError;
        const why = `no verdict of ${scanner}: ${isExpected ? error.message : 'internal error'}`;
        log('error', 'scan_failed', isExpected ? { reason: why } : { stack: stackOf(error) });
        return { ...undelivered, by: 'scan', why };
      }
      if (seen.verdict === 'clean') {
        seenFiles += 1;
        continue;
      }
      if (seen.verdict === 'infected') {
        log('warn', 'virus_found', { field, signature: seen.signature });
        errors.push({ field, code: 'file_infected', params: { name }, at });
        found.push(`${scanner} found ${seen.signature} in a file of "${field}"`);
      } else if (tooLarge === 'deliver') {
        unseen.add(field);
        continue;
      } else {
        errors.push({ field, code: 'file_too_large_to_scan', params: { name }, at });
        found.push(`a file of "${field}" is too large for ${scanner}`);
      }
      // Report only the first error of a field.
      break;
    }
  }
  if (errors.length > 0) return { ...invalid(errors), by: 'scan', why: found.join('; ') };
  if (unseen.size > 0) log('warn', 'files_unscanned', { fields: [...unseen] });
  trace?.note(`${scanner} saw ${counted(seenFiles)} and found nothing`);
  if (unseen.size > 0) trace?.note(`too large for it, and delivered unseen: ${[...unseen].join(', ')}`);
  return undefined;
}

const counted = (files: number) => (files === 1 ? '1 file' : `${files} files`);
