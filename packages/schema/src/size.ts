import { err, ok, type Result } from '@form-relay/base/result';
import { sizeInWords } from '@form-relay/base/values';
import { type Schema, schema } from './schema.ts';

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1_024,
  MB: 1_048_576,
  GB: 1_073_741_824,
};

/** A size such as `500KB` or `5MB`, in steps of 1,024, in bytes. */
export const size = ({ leastBytes = 1 } = {}): Schema<number> =>
  schema(
    {
      title: 'size',
      type: 'string',
      pattern: '^[0-9]+(\\.[0-9]+)? ?([KMG]?B)$',
      examples: ['500KB', '5MB'],
    },
    (value, at) => {
      const word = typeof value === 'string' ? value : '';
      const bytes = parseSize(word);
      if (!bytes.ok) return at.found(value, 'expected a size such as 500KB or 5MB', { ...bytes.error, word });
      if (bytes.value >= leastBytes) return bytes.value;
      return at.found(value, `expected at least ${sizeInWords(leastBytes)}`);
    },
  );

export function parseSize(text: string): Result<number, { readonly suggestion: string | undefined }> {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMG]?B)$/.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (unitBytes[unit] ?? NaN));
  return Number.isSafeInteger(bytes) ? ok(bytes) : err({ suggestion: sizeMeantBy(text) });
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
