import type * as v from 'valibot';

/** Parses a part of the config into a `T`, or reports why it cannot. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/**
 * A schema as seen by code that walks the config's schemas, to describe them or to find unknown keys. Its members
 * depend on its `type`.
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
  /** The English text that stands for an absent value. */
  readonly english?: string;
  readonly takesNothing?: true;
  /** Its `getter` needs no input. */
  readonly isLate?: true;
};

/** Describes a kind of value that is no plain valibot schema; `title` is its name in the docs. */
export type KindInfo = {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** The schema of a map's values. */
  readonly values?: AnySchema;
  /** The alternatives. */
  readonly either?: readonly AnySchema[];
  /** Visitors read it, so forms in several languages may have one text per language. */
  readonly perLanguage?: true;
};
