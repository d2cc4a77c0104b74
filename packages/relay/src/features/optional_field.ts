import type { Path } from '../schema/finding.ts';
import { isWrittenTrue } from '../schema/kinds.ts';

interface Optional {
  readonly why: 'conditional' | 'optional';
  readonly path: Path;
  readonly aboutKey: boolean;
}

/** Why visitors may leave a field empty, as it is written, and where to mend that. */
export function optionalAt(field: Readonly<Record<string, unknown>>, path: Path): Optional | undefined {
  if ((field.visible_when ?? null) !== null)
    return { why: 'conditional', path: [...path, 'visible_when'], aboutKey: true };
  return isWrittenTrue(field.required) ? undefined : { why: 'optional', path, aboutKey: false };
}
