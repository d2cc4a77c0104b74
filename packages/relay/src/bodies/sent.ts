import type { Files, SentFile } from '../base/files.ts';
import type { Values } from '../base/values.ts';

export interface Sent {
  readonly values: Values;
  readonly files: Files<SentFile>;
  /** JSON bodies only. */
  readonly lists?: Lists;
}

/** By field, of those whose values came in a list: the place of each that is not empty, from 0. */
export type Lists = ReadonlyMap<string, readonly number[]>;

/** What a form takes beside urlencoded bodies. */
export interface Takes {
  readonly bodies: ReadonlySet<'json' | 'multipart'>;
  /** Of files and all, in bytes. */
  readonly bodyLimit: number;
  readonly fields: readonly Typed[];
}

/** What a field makes of `true` and `false`. */
export interface Typed {
  readonly name: string;
  readonly inJson: 'text' | 'number' | 'flag';
  readonly possibleValues: readonly string[] | undefined;
}
