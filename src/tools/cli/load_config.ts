import { readFile } from 'node:fs/promises';
import { type Config, parseConfig } from '../../config/parse.ts';
import { formatProblem, type Problem } from '../../config/problem.ts';
import { fileSource, whyUnreadable } from '../../config/source.ts';
import type { Form } from '../../form.ts';
import { didYouMean } from '../../schema/suggestion.ts';
import { colour } from './colour.ts';
import { CommandFailed } from './command_failed.ts';

/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined): string =>
  option ?? (process.env.RELAY_CONFIG || 'webform.yaml');

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  /** `message` shows the problems to people. */
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly message: string };

/** A file that cannot be read is a problem at its start. */
export async function tryConfig(option: string | undefined): Promise<LoadedConfig> {
  const file = configPath(option);
  const source = fileSource(file, (path) => readFile(path, 'utf8'));
  const text = await source.read().catch((error: Error) => error);
  if (text instanceof Error) {
    const { message } = text;
    const problem: Problem = { severity: 'error', file, line: 1, column: 1, path: '', message, excerpt: '' };
    const advice = file === 'webform.yaml' ? adviceWithoutConfig() : '';
    return { ok: false, problems: [problem], message: `${file}: ${message}${advice}` };
  }
  const result = parseConfig(text, file);
  return result.ok ? result : { ...result, message: showProblems(result.problems, process.stderr) };
}

/** For whoever named no file: the variables of the server are not for these commands (SPEC: Command-line tool). */
function adviceWithoutConfig(): string {
  const names = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET'];
  const set = names.find((name) => process.env[name]);
  return set === undefined
    ? '; relay init writes one'
    : ` (${set} is for relay serve and relay doctor alone); name the file with --config or RELAY_CONFIG`;
}

/** A file's bytes. Throws a `CommandFailed` that says why they cannot be had. */
export const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new CommandFailed(`${path}: ${whyUnreadable(error)}`);
  });

/** Throws a `CommandFailed` that shows every problem. */
export async function loadConfig(option: string | undefined): Promise<Config> {
  const loaded = await tryConfig(option);
  if (!loaded.ok) throw new CommandFailed(loaded.message);
  return loaded.config;
}

/** Throws a `CommandFailed` that suggests a name. */
export function findForm({ forms }: Config, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const near = didYouMean(name, [...forms.keys()]);
  throw new CommandFailed(`there is no form "${name}"${near}; relay form list shows all of them`);
}

/** Each with the line it is on and a caret under the mistake; in colour where `stream` is a terminal. */
export const showProblems = (problems: readonly Problem[], stream?: NodeJS.WriteStream): string =>
  problems.map((problem) => showProblem(problem, stream)).join('\n\n');

function showProblem(problem: Problem, stream: NodeJS.WriteStream | undefined): string {
  const line = formatProblem(problem);
  if (!stream) return `${line}\n${problem.excerpt}`;
  const hue = problem.severity === 'error' ? 'red' : 'yellow';
  const [, place = '', rest = ''] = /^(.*?:\d+:\d+:(?: warning:)?)(.*)$/s.exec(line) ?? [];
  const excerpt = problem.excerpt.replace(/\^+$/, (caret) => colour(hue, caret, stream));
  return `${colour(hue, place, stream)}${rest}\n${excerpt}`;
}
