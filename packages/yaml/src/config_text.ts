import { ok, type Result } from '@form-relay/base/result';
import type { Diagnostic, Place } from '@form-relay/schema/diagnostics';
import type { Document } from './document.ts';
import type { Misread, Refused } from './places.ts';
import type { Problem } from './problem.ts';

/** A config's document, in which every scalar is text or null. */
export interface ConfigText {
  readonly value: unknown;
  /** The document with the places of everything in it, which are needed only for mistakes and warnings. */
  document(): Promise<Document | undefined>;
}

/** JSON is also YAML, but JavaScript has a JSON parser, while loading the YAML parser takes a third of a cold start. */
export async function readConfigText(text: string): Promise<Result<ConfigText, Misread | Refused>> {
  const value = text.startsWith('{') ? readJson(text) : undefined;
  const readYaml = async () => (await import('./document.ts')).readDocument(text);
  if (value !== undefined) {
    const document = async () => {
      const read = await readYaml();
      return read.ok ? read.value : undefined;
    };
    return ok({ value, document });
  }
  const read = await readYaml();
  return read.ok ? ok({ value: read.value.value, document: async () => read.value }) : read;
}

/** `undefined` if the text is not JSON, or if only a YAML parser can read it exactly: numbers as written, and repeated keys. */
function readJson(text: string): unknown {
  let keys = 0;
  try {
    // Since Node 21, the third argument contains the text of a number.
    const read = (key: string, value: unknown, written?: { readonly source?: string }): unknown => {
      if (Number.isNaN(Number(key))) keys += 1;
      if (typeof value !== 'number' && typeof value !== 'boolean') return value;
      if (written?.source === undefined) throw new Error('the text of a number is lost');
      return written.source;
    };
    const value: unknown = JSON.parse(text, read);
    return keys === keysIn(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** In JSON, a string before a colon is a key. -1: a key is a number, like the indexes of lists. */
function keysIn(text: string): number {
  const keys = [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map(([, key = '']) => key);
  return keys.some((key) => !Number.isNaN(Number(key))) ? -1 : keys.length;
}

/** Reads a text file by its path relative to the config, or returns why it cannot be read, in words for the owner. */
export type ReadText = (path: string) => Promise<Result<string, string>>;

/** A file that a config names. */
interface Sibling {
  readonly text: string;
  /** The file's name in problems. */
  readonly name: string;
  /** Reports mistakes in the file, each with its place. The config then does not load. */
  report(mistakes: readonly Diagnostic[], placeOf: (one: Diagnostic) => Place): Promise<void>;
}

export type ReadSibling = (path: string) => Promise<Result<Sibling, string>>;

/** Reads sibling files of the config. `config` is the config's name in problems, and `problems` collects the files' mistakes. */
export const siblingsOf =
  (config: string, read: ReadText, problems: Problem[]): ReadSibling =>
  async (path) => {
    const file = await read(path);
    if (!file.ok) return file;
    const text = file.value;
    const name = /^(\/|[a-z]:)/i.test(path) ? path : config.replace(/[^/\\]*$/, '') + path;
    const report: Sibling['report'] = async (mistakes, placeOf) => {
      const { locate } = await import('./locate.ts');
      problems.push(...locate(text, name, 'error', mistakes, placeOf));
    };
    return ok({ text, name, report });
  };
