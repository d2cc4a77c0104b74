import * as v from 'valibot';
import type { AnySchema, Schema } from './any_schema.ts';
import { section } from './keys.ts';
import { type AbsentCode, choice, isMap } from './kinds.ts';

/** A map whose key `type` or `provider` names the schema that it follows. */
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
  /** Shown where the config has no map. */
  readonly example: string;
}

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
