import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, type Result } from '@form-relay/base/result';
import { whyUnreadable } from '@form-relay/base/text_file';
import type { ParseResult } from '@form-relay/config/parse';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { Plugin } from '@form-relay/core/plugin';
import { inspectConfig, pluginsIn } from '@form-relay/runtimes/inspect';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import type { Problem } from '@form-relay/yaml/problem';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import { fileOnce } from './read_config.ts';
import { showProblems } from './terminal.ts';

type Read<T> = (text: string, source: ConfigSource) => Promise<Result<T, readonly Problem[]>>;

/** The config, or its problems. A file that cannot be read has one problem. */
export const tryConfig = (option: string | undefined): Promise<ParseResult> => tryWith(option, inspectConfig);

/** The config that `read` yields, or its problems. */
export async function tryWith<T>(
  option: string | undefined,
  read: Read<T>,
): Promise<Result<T, readonly Problem[]>> {
  const file = configPath(option);
  const source = fileOnce(file);
  const text = await source.read();
  if (text.ok) return read(text.value, source);
  const { line = 1, column = 1, reason = text.error } = text.at ?? {};
  const message = reason + (file === 'webform.yaml' && !text.at ? adviceWithoutConfig() : '');
  const place = { file, line, column, path: '' };
  return err([{ severity: 'error', ...place, code: 'config_unreadable', message, excerpt: '' }]);
}

/** Advice for users who named no file: these commands ignore the server's variables (SPEC: Command-line tool). */
function adviceWithoutConfig(): string {
  const names = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET'];
  const set = names.find((name) => process.env[name]);
  return set === undefined
    ? '; relay init writes one'
    : ` (this command does not read ${set}); name the file with --config or RELAY_CONFIG`;
}

/** Throws a `CommandFailed` that shows every error. */
export async function loadConfig(
  option: string | undefined,
  read: Read<Config> = inspectConfig,
): Promise<Config> {
  const loaded = await tryWith(option, read);
  if (!loaded.ok) throw new CommandFailed(showProblems(errorsOf(loaded.error), process.stderr));
  return loaded.value;
}

/**
 * The plug-ins of a config, even while it has other mistakes, since authors need them while typing. Prints on stderr which ones cannot be
 * loaded. Throws a `CommandFailed` if the config cannot be read.
 */
export async function loadedPlugins(option: string): Promise<readonly Plugin[]> {
  const text = await fileOnce(option).read();
  if (!text.ok) await loadConfig(option);
  const tell = (error: string) => process.stderr.write(`${option}: ${error}\n`);
  return text.ok ? pluginsIn(text.value, dirname(option), tell) : [];
}

const errorsOf = (problems: readonly Problem[]) => problems.filter(({ severity }) => severity === 'error');

/** Throws a `CommandFailed` that suggests a name. */
export function findForm({ forms }: Pick<Config, 'forms'>, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const near = didYouMean(nearest(name, [...forms.keys()]));
  throw new CommandFailed(`there is no form "${name}"${near}; relay form list shows all of them`);
}

/** A file's bytes. Throws a `CommandFailed` that says why it cannot be read. */
export const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new CommandFailed(`${path}: ${whyUnreadable(error)}`);
  });
