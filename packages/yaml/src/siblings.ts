import { ok, type Result } from '@form-relay/base/result';
import type { Diagnostic, Place } from '@form-relay/schema/diagnostics';
import type { Problem } from './problem.ts';

/** Reads a text file by its path relative to the config, or says for the owner why it cannot be read. */
export type ReadText = (path: string) => Promise<Result<string, string>>;

/** A file that a config names. */
export interface Sibling {
  readonly text: string;
  /** The file's name in problems. */
  readonly name: string;
  /** Reports mistakes in the file, each with its place. The config does not load then. */
  report(mistakes: readonly Diagnostic[], placeOf: (one: Diagnostic) => Place): Promise<void>;
}

export type ReadSibling = (path: string) => Promise<Result<Sibling, string>>;

/** Reads siblings of the config that problems call `config`. `problems` collects what is wrong in them. */
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
