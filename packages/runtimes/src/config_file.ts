/** Reads the config file, for programs that read it once. */
import { existsSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { maxConfigBytes, ownersText, type ReadText } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { readTextFile, tooLarge, whyUnreadable, withoutWaiting } from '@form-relay/base/text_file';
import { isFolder, operatorFile } from '@form-relay/client-configs/folder';
import { brokenIn } from '@form-relay/client-configs/members';
import { type ConfigSource, siblingPath } from '@form-relay/config/source';
import { CommandFailed, configPath } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Plugin } from '@form-relay/core/plugin';
import type { ReadText as ReadSibling } from '@form-relay/yaml/config_text';
import type { Problem } from '@form-relay/yaml/problem';
import { showProblems } from '@form-relay/yaml/problem';
import { inspectConfig, pluginsIn } from './inspect.ts';

/** The user may have to type a password first. */
const pipePatienceMs = 30_000;

/**
 * The text of a config for a command that reads it once, from a file or from a pipe, such as bash's
 * `<(command)` or /dev/stdin. `relay serve` rereads its config, so it rejects pipes.
 */
export async function readConfig(path: string, patienceMs = pipePatienceMs): Promise<ReadText> {
  const isPipe = await stat(path).then(
    (stats) => stats.isFIFO(),
    () => false,
  );
  if (isPipe) return readPipe(path, patienceMs);
  const file = await readTextFile(path);
  return file.ok ? ok(file.value.text) : file;
}

/** A config file that is read only once, because a pipe cannot be read again. */
export function fileOnce(
  path: string,
): Omit<ConfigSource, 'read'> & { readonly read: () => Promise<ReadText> } {
  let text: Promise<ReadText> | undefined;
  const clients = isFolder(path) ? path : undefined;
  const file = clients === undefined ? path : join(clients, operatorFile);
  return {
    name: path,
    pluginFolder: dirname(file),
    ...(clients !== undefined && { clients }),
    read: () => {
      text ??= clients === undefined || existsSync(file) ? readConfig(file) : Promise.resolve(ok(''));
      return text;
    },
    readSibling: siblingsOf(file),
  };
}

/** Reads the files that a config names, relative to the config file. */
export const siblingsOf =
  (config: string): ReadSibling =>
  async (path) => {
    const file = await readTextFile(siblingPath(config, path));
    return file.ok ? ok(file.value.text) : file;
  };

/** Reads through a socket, which does not block a thread: a command can end even if no one writes to the pipe. */
async function readPipe(path: string, patienceMs: number): Promise<ReadText> {
  const late = AbortSignal.timeout(patienceMs);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    const pipe = new Socket({ fd: openSync(path, withoutWaiting), readable: true, writable: false });
    for await (const piece of addAbortSignal(late, pipe)) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxConfigBytes) return tooLarge;
    }
  } catch (error) {
    return err(late.aborted ? `the pipe did not end within ${patienceMs / 1_000} s` : whyUnreadable(error));
  }
  return ownersText(Buffer.concat(pieces));
}

type Read<T> = (text: string, source: ConfigSource) => Promise<Result<T, readonly Problem[]>>;

/** The config that `read` yields, or its problems. */
export async function tryWith<T>(
  option: string | undefined,
  read: Read<T>,
): Promise<Result<T, readonly Problem[]>> {
  const file = configPath(option, process.env);
  const source = fileOnce(file);
  const text = await source.read();
  return text.ok ? read(text.value, source) : unreadable(file, text);
}

/** The single problem reported for a file that cannot be read. */
export function unreadable(
  file: string,
  text: Exclude<ReadText, { readonly ok: true }>,
): Result<never, readonly Problem[]> {
  const { line = 1, column = 1, reason = text.error } = text.at ?? {};
  const message = reason + (file === 'webform.yaml' && !text.at ? adviceWithoutConfig() : '');
  const place = { file, line, column, path: '' };
  return err([{ severity: 'error', ...place, code: 'config_unreadable', message, excerpt: '' }]);
}

/** Advice for users who named no file, because these commands ignore the server's variables (SPEC: Command-line tool). */
function adviceWithoutConfig(): string {
  const names = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET'];
  const set = names.find((name) => process.env[name]);
  return set === undefined
    ? '; create one with relay init'
    : ` (this command does not read ${set}); name the file with --config or RELAY_CONFIG`;
}

/** Loads a config. Throws a `CommandFailed` that lists every error. */
export async function loadConfig(
  option: string | undefined,
  read: Read<Config> = inspectConfig,
): Promise<Config> {
  const loaded = await tryWith(option, read);
  if (!loaded.ok) throw new CommandFailed(showProblems(errorsOf(loaded.error), process.stderr));
  return withoutBroken(loaded.value);
}

/** Warns about clients whose config is broken, and continues with the others. */
export function withoutBroken(config: Config): Config {
  const broken = brokenIn(config);
  if (broken.length > 0) process.stderr.write(`${showProblems(broken, process.stderr)}\n`);
  return config;
}

/**
 * The plug-ins of a config, even if it has other mistakes, because editors need them while the author types.
 * Prints on stderr which ones cannot be loaded. Throws a `CommandFailed` if the config cannot be read.
 */
export async function loadedPlugins(option: string): Promise<readonly Plugin[]> {
  const text = await fileOnce(option).read();
  if (!text.ok) await loadConfig(option);
  const tell = (error: string) => process.stderr.write(`${option}: ${error}\n`);
  return text.ok ? pluginsIn(text.value, dirname(option), tell) : [];
}

const errorsOf = (problems: readonly Problem[]) => problems.filter(({ severity }) => severity === 'error');
