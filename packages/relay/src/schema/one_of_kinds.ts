import * as v from 'valibot';
import type { AnySchema, Schema } from './any_schema.ts';
import { section } from './keys.ts';
import { type AbsentCode, choice, isMap } from './kinds.ts';

/** Which schema a map follows is said by one of its keys: `type`, or `provider`. */
export function oneOfKinds<T>(
  key: string,
  kinds: Pick<ReadonlyMap<string, Schema<T>>, 'get'>,
  { whenAbsent, whenUnknown, example }: Otherwise<T>,
): Schema<T> {
  const noMap = section({}, example) as unknown as Schema<T>;
  return v.lazy((input) => {
    if (!isMap(input)) return noMap;
    const kind = input[key];
    if (kind === undefined) return whenAbsent;
    return (typeof kind === 'string' && kinds.get(kind)) || whenUnknown;
  });
}

interface Otherwise<T> {
  readonly whenAbsent: Schema<T>;
  readonly whenUnknown: Schema<T>;
  /** Such a map, shown where something else stands. */
  readonly example: string;
}

/** For a map that is of no kind: it reports that, and the keys that no kind has. */
export function noKind<T>(
  key: string,
  kinds: ReadonlyMap<string, Schema<T>>,
  commonKeys: v.ObjectEntries,
  names: readonly string[] = [...kinds.keys()],
  absent?: ReadonlyMap<string, AbsentCode>,
): Schema<T> {
  // The section of a kind is the first step of its pipe.
  const anyKey = [...kinds.values()].flatMap((kind) =>
    Object.keys((kind as AnySchema).pipe?.[0]?.entries ?? {}),
  );
  const entries = Object.fromEntries(anyKey.map((name) => [name, v.optional(v.unknown())]));
  return section({ ...entries, ...commonKeys, [key]: choice(names, absent) }) as never;
}
