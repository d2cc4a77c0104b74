import type { Files, SentFile } from '../base/files.ts';
import type { Values } from '../base/values.ts';

export interface Sent {
  readonly values: Values;
  readonly files: Files<SentFile>;
  /** JSON bodies only. */
  readonly lists?: Lists;
}

/** For each field whose values came in a list: the indices of the values that are not empty. */
export type Lists = ReadonlyMap<string, readonly number[]>;

/** The bodies that a form takes beside urlencoded ones. */
export interface Takes {
  readonly bodies: ReadonlySet<'json' | 'multipart'>;
  /** The limit including files, in bytes. */
  readonly bodyLimit: number;
  readonly fields: readonly Typed[];
}

/** A field as JSON bodies see it. */
export interface Typed {
  readonly name: string;
  readonly inJson: 'text' | 'number' | 'flag' | 'structure';
  readonly possibleValues: readonly string[] | undefined;
  /** A field that is a map or a list of maps: its parts, and what they would send for it. */
  readonly parts?:
    | {
        readonly all: readonly Typed[];
        readonly spread: (value: unknown) => Spread;
      }
    | undefined;
}

/** The parts of a field's value, each with its place in JSON. `wrong`: the first place with another shape. */
export interface Spread {
  readonly found: readonly (readonly [name: string, value: unknown, steps: Steps])[];
  readonly wrong?: { readonly shape: '{…}' | '[{…}]'; readonly steps: Steps } | undefined;
}

/** A place in JSON. */
export type Steps = readonly (string | number)[];
