import type { Field, Submission } from '@form-relay/core/index';

const guesses = [
  ['sample.pdf', 'application/pdf', '%PDF-1.4\n%%EOF\n'],
  [
    'sample.png',
    'image/png',
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  ['sample.txt', 'text/plain', 'Hello\n'],
] as const;

/**
 * The first of our small files that the field takes, as text that the script of the page makes a file of (browser/client/
 * controls.ts): `data:application/pdf;name=sample.pdf;base64,…`. Nothing where it takes none of them.
 */
export function sampleFile(take: NonNullable<Field['takeFiles']>, submission: Submission): readonly string[] {
  for (const [name, type, content] of guesses) {
    const bytes = Buffer.from(content);
    if ('files' in take([{ name, type, bytes }], new Set(), submission))
      return [`data:${type};name=${name};base64,${bytes.toString('base64')}`];
  }
  return [];
}

/** The name of such a file. */
export const nameOfSample = (value: string): string | undefined =>
  /^data:[\w/.+-]+;name=([\w.]+);base64,/.exec(value)?.[1];
