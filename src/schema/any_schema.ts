/** Schemas as those see them who walk through a config's: to describe it, or to find keys that nobody knows. */
import type * as v from 'valibot';

/** What else a schema has depends on its `type`. */
export type AnySchema = v.GenericSchema & {
  readonly pipe?: readonly (AnySchema & { readonly metadata?: Partial<KindInfo> })[];
  readonly entries?: Readonly<Record<string, AnySchema>>;
  readonly item?: AnySchema;
  readonly wrapped?: AnySchema;
  readonly getter?: (input: unknown) => AnySchema;
  readonly options?: readonly string[];
  readonly literal?: string;
  readonly default?: string;
  readonly takesNothing?: true;
};

/** What the JSON Schema says of a kind whose check is not a plain valibot schema; `title` is its name in the docs. */
export type KindInfo = {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** The schema of a map's values. */
  readonly values?: AnySchema;
  /** The schemas of which a value follows one. */
  readonly either?: readonly AnySchema[];
};
