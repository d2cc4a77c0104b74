import type * as v from 'valibot';

/** Makes a `T` of a part of the config, or finds why it cannot. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/**
 * A schema for those who walk through the config's: to describe it, or to find keys that nobody knows. What it has
 * depends on its `type`.
 */
export type AnySchema = v.GenericSchema & {
  readonly pipe?: readonly (AnySchema & { readonly metadata?: Partial<KindInfo> })[];
  readonly entries?: Readonly<Record<string, AnySchema>>;
  readonly item?: AnySchema;
  readonly wrapped?: AnySchema;
  readonly getter?: (input: unknown) => AnySchema;
  readonly options?: readonly string[];
  readonly literal?: string;
  readonly default?: string;
  /** What stands for an absent value in English. */
  readonly english?: string;
  readonly takesNothing?: true;
  /** Its `getter` needs no input. */
  readonly isLate?: true;
};

/** What the JSON Schema says of a kind whose check is not a plain valibot schema; `title` is its name in the docs. */
export type KindInfo = {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** The schema of a map's values. */
  readonly values?: AnySchema;
  /** The schemas of which a value follows one. */
  readonly either?: readonly AnySchema[];
  /** Visitors read it, so that a form of several languages may have one for each. */
  readonly perLanguage?: true;
};
