import { readFile } from 'node:fs/promises';
import { type Config, parseConfig } from '../config/parse.ts';
import { formatProblem, type Problem } from '../config/problem.ts';
import { fileSource } from '../config/source.ts';
import { CommandFailed } from './command_failed.ts';

/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined): string =>
  option ?? (process.env.RELAY_CONFIG || 'webform.yaml');

/** Throws a `CommandFailed` that shows every problem. */
export async function loadConfig(option: string | undefined): Promise<Config> {
  const path = configPath(option);
  const source = fileSource(path, (file) => readFile(file, 'utf8'));
  const text = await source.read().catch((error: Error) => {
    throw new CommandFailed(`${path}: ${error.message}`);
  });
  const result = parseConfig(text, path);
  if (!result.ok) throw new CommandFailed(showProblems(result.problems));
  return result.config;
}

export const showProblems = (problems: readonly Problem[]): string =>
  problems.map((problem) => `${formatProblem(problem)}\n${problem.excerpt}`).join('\n\n');
