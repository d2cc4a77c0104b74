import type { FindingArgs, FindingCode } from './finding_words.ts';

export type { FindingArgs, FindingCode, KeyHome, NamedCheck, Neighbour, PlainCode } from './finding_words.ts';

/** A stretch of a text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** The path of a value in a config: keys of maps, and positions in lists from 0. */
export type Path = readonly (string | number)[];

/** A stretch of a value, with the whole value as parsed. */
export interface Within extends Place {
  readonly of: string;
}

/** A mistake in a config, or something its owner should know, before it has a place in the text. */
export interface Finding {
  readonly code: FindingCode;
  readonly params: object;
  readonly path: Path;
  readonly severity?: 'warning';
  /** The key itself is wrong, not its value. */
  readonly aboutKey?: boolean;
  /** The path that was probably meant, where this key is then not reported as missing. */
  readonly meantAs?: Path;
  /** The part of the value, such as a mistake in a template. */
  readonly within?: Within;
}

/** Needs only the words' types: a config without mistakes never loads the words. */
export const finding = <C extends FindingCode>(
  code: C,
  path: Path,
  ...[params]: FindingArgs<C>
): Finding => ({ code, path, params: params ?? {} });
