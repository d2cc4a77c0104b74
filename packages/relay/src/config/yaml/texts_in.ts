import type { Path } from '../../schema/finding.ts';

export interface TextAt {
  readonly path: Path;
  readonly value: string;
}

/** The texts in a document's value, with their paths. */
export function textsIn(value: unknown, path: Path): readonly TextAt[] {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, [...path, index]));
  return Object.entries(value ?? {}).flatMap(([key, one]) => textsIn(one, [...path, key]));
}
