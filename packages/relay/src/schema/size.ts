import * as v from 'valibot';
import { err, ok, type Result } from '../base/result.ts';
import type { Schema } from './any_schema.ts';
import { type Finding, finding } from './finding.ts';
import { read, wrong } from './issue.ts';

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1_024,
  MB: 1_048_576,
  GB: 1_073_741_824,
};

/** A size such as `500KB` or `5MB`, in steps of 1,024. Returns bytes. */
export const size = ({ leastBytes = 1 } = {}): Schema<number> =>
  v.pipe(
    v.string(wrong('not_a_size', { near: undefined })),
    read((found) => {
      const bytes = parseSize(found);
      if (!bytes.ok) return bytes;
      if (bytes.value < leastBytes) return err(finding('size_too_small', [], { found, leastBytes }));
      return bytes;
    }),
    v.metadata({
      jsonSchema: {
        title: 'size',
        type: 'string',
        pattern: '^[0-9]+(\\.[0-9]+)? ?([KMG]?B)$',
        errorMessage: 'Expected a size such as 500KB or 5MB.',
      },
    }),
  );

export function parseSize(found: string): Result<number, Finding> {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMG]?B)$/.exec(found) ?? [];
  const bytes = Math.floor(Number(number) * (unitBytes[unit] ?? NaN));
  return Number.isSafeInteger(bytes)
    ? ok(bytes)
    : err(finding('not_a_size', [], { found, near: sizeMeantBy(found) }));
}

/** The equivalent of `5 mb`, `5MiB`, `5M`, `5,5MB` or `5000000`. */
function sizeMeantBy(text: string): string | undefined {
  const [, number = '', prefix = ''] =
    /^(\d+(?:[.,]\d+)?)([kmg]?)(?:i?b|bytes?)?$/i.exec(text.replaceAll(/\s/g, '')) ?? [];
  const plain = number.replace(',', '.');
  if (!(Number(plain) > 0) || Number(plain) > 1e9) return undefined;
  // A small plain number means megabytes, not bytes.
  return /^[\d.,]+$/.test(text) && Number(plain) < 1_024 ? `${plain}MB` : `${plain}${prefix.toUpperCase()}B`;
}
