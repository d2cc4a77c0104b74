import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

type Words = Readonly<Record<string, string | number>>;

/** Reads a file, and replaces words in capitals with these values. */
export const textWith = (file: URL | string, words: Words): string =>
  readFileSync(file, 'utf8').replaceAll(/\b[A-Z]+\b/g, (word) => String(words[word] ?? word));

/** Parses a YAML file, in which words in capitals are placeholders for values. */
export const readYaml = <T>(file: URL | string, words: Words = {}): T => load(textWith(file, words)) as T;
