import { ok, type Result } from '@form-relay/base/result';
import { type Diagnostic, Diagnostics, type Place } from '@form-relay/schema/diagnostics';
import { readConfigText } from './config_text.ts';
import type { Problem } from './problem.ts';

/** Reads a text file by its path relative to the config, or says for the owner why it cannot be read. */
export type ReadText = (path: string) => Promise<Result<string, string>>;

/** A file that a config names. */
export interface Sibling {
  readonly text: string;
  /** Its name in problems. */
  readonly name: string;
  /** Reports mistakes in the file, each with its place. The config does not load then. */
  report(mistakes: readonly Diagnostic[], placeOf: (one: Diagnostic) => Place): Promise<void>;
  /** Reports problems that have their places already. */
  tell(problems: readonly Problem[]): void;
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
    const tell: Sibling['tell'] = (more) => void problems.push(...more);
    const report: Sibling['report'] = async (mistakes, placeOf) =>
      tell((await import('./locate.ts')).locate(text, name, 'error', mistakes, placeOf));
    return ok({ text, name, report, tell });
  };

/** Reads a sibling as YAML or JSON. An empty one is an empty map. `undefined`: it has mistakes, which were reported. */
export async function readYaml<T>(
  { text, name, tell }: Sibling,
  read: (value: unknown, at: Diagnostics) => T | undefined,
): Promise<T | undefined> {
  const at = new Diagnostics();
  if (/^\s*$/.test(text)) return read({}, at);
  const found = await readConfigText(text);
  if (!found.ok) {
    tell((await import('./advice/explain.ts')).explainMisread(text, name, found.error));
    return undefined;
  }
  const value = read(found.value.value, at);
  if (at.report.errors.length === 0) return value;
  const { locateIn } = await import('./advice/explain.ts');
  const document = await found.value.document();
  if (document) tell(locateIn(text, name, 'error', document, at.report.errors));
  return undefined;
}
