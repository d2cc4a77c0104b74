/** How the program starts: the environment that it reads, and how it ends when a command fails. */

import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { ok } from '@form-relay/base/result';
import { whyUnreadable } from '@form-relay/base/text_file';
import { CommandFailed, configPath } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { variable } from '@form-relay/schema/variables';

// DNS lookups get half of libuv's threads. libuv reads this variable when it needs the first of them.
process.env.UV_THREADPOOL_SIZE ??= '16';

/** Runs a command: where it fails, a line says why, and the exit code is 1. */
export async function run(command: () => Promise<unknown>): Promise<void> {
  // `relay form list | head -1`: a reader that stops early is no failure.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') {
      process.stderr.write(`the output file cannot be written (${code})\n`);
      process.exitCode = 1;
    }
    process.exit();
  });
  // A log that nobody reads any more must not end the relay.
  process.stderr.on('error', () => {});
  try {
    await command();
  } catch (error) {
    // By its name, so that commands which read no settings do not load them.
    if (!(error instanceof CommandFailed) && (error as Error).name !== 'SettingError') throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Sets the variables of the `.env` next to the config, and those of SECRETS_DIR, which win. */
export function readEnvironment(configOption: string | undefined): void {
  readEnvFile(configOption, process.env);
  if (process.env.SECRETS_DIR) {
    readSecrets(process.env.SECRETS_DIR, process.env);
  }
}

/**
 * Sets the variables of the `.env` next to the config, unless the environment has them. A file that cannot be read is
 * reported on stderr and skipped: systemd may have read it as root, for a user who cannot.
 */
export function readEnvFile(configOption: string | undefined, env: NodeJS.ProcessEnv): void {
  const { CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET } = env;
  const isFile = configOption !== undefined || (!CONFIG_INLINE && (CONFIG_FILE || !CONFIG_BUCKET));
  if (!isFile) return;
  const path = join(dirname(servedFile(configOption)), '.env');
  try {
    const bytes = readFileSync(path);
    // Not `process.loadEnvFile`, which overrides variables on Deno.
    if (isUtf8(bytes)) {
      for (const [name, value] of Object.entries(parseEnv(`${bytes}`))) {
        if (env[name] !== undefined) continue;
        env[name] = value;
        setByFile.add(name);
      }
    } else skip(path, 'the file is not UTF-8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // systemd has read it as root, for a service that cannot.
    if (code === 'EACCES' && env.INVOCATION_ID) return;
    // Virtual environments of Python may be folders of this name.
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) skip(path, whyUnreadable(error));
  }
}

/** The plug-ins that a config or RELAY_PLUGINS names, as far as they can be loaded. */
export async function namedPlugins(configOption: string | undefined): Promise<readonly Plugin[]> {
  const { fileOnce } = await import('@form-relay/runtimes/config_file');
  const file = configPath(configOption, process.env);
  const text = await fileOnce(file).read();
  const names = text.ok && /^plugins:/m.test(text.value);
  if (!names && !process.env.RELAY_PLUGINS) return [];
  const { pluginsIn } = await import('@form-relay/runtimes/inspect');
  const tell = (error: string) => process.stderr.write(`${file}: ${error}\n`);
  return pluginsIn(text.ok ? text.value : '', dirname(file), tell);
}

/** The variables that this process has from its `.env`. */
export const setByFile = new Set<string>();

function skip(path: string, reason: string): void {
  process.stderr.write(`${path}: ${reason}; none of its variables are set\n`);
}

/** Room for a key or a certificate; what is longer is no secret. Linux takes 128 KB in one variable. */
const mostBytes = 65_536;

/**
 * Makes variables of the files of a folder, by their names. A file wins over a variable of its name: a process that is
 * started by another that has read the folder gets what is there now. Throws a `CommandFailed` that names every file that
 * cannot be one, and nothing of what is in it.
 */
export function readSecrets(folder: string, env: NodeJS.ProcessEnv): void {
  const problems: string[] = [];
  for (const name of namesIn(folder)) {
    try {
      const path = join(folder, name);
      const stats = statSync(path);
      // Kubernetes puts folders next to the files; a pipe may never end.
      if (!stats.isFile()) continue;
      if (stats.size > mostBytes) {
        problems.push(`${name}: longer than ${mostBytes} bytes, the limit for a variable`);
        continue;
      }
      const bytes = readFileSync(path);
      // The bytes of a key would become a secret of few different characters, which can be guessed.
      if (!isUtf8(bytes) || bytes.includes(0)) problems.push(`${name}: not text`);
      else {
        env[name] = bytes.toString().replace(/\r?\n$/, '');
        setByFile.delete(name);
      }
    } catch (error) {
      problems.push(`${name}: ${whyUnreadable(error)}`);
    }
  }
  if (problems.length > 0) {
    throw new CommandFailed(problems.map((problem) => `SECRETS_DIR: ${folder}/${problem}`).join('\n'));
  }
}

/** The files that can be variables: files of Kubernetes and of editors have a dot in their names. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing ? 'the folder does not exist' : `the folder cannot be read (${code})`;
    throw new CommandFailed(`SECRETS_DIR: ${folder}: ${reason}`);
  }
}

/** The file that `relay serve` would read, unless the environment has a source that is not a file. */
export const servedFile = (option: string | undefined): string =>
  option ?? (process.env.CONFIG_FILE || configPath(undefined, process.env));

/** The variables that only the command line reads, for the reference. */
export const ownVariables = {
  relayConfig: {
    ...variable(
      'RELAY_CONFIG',
      'Path of the config for commands; `relay serve` and `relay doctor` use it if no other source is set.',
      ok<string>,
    ),
    fallback: 'webform.yaml',
  },
  secretsDir: variable(
    'SECRETS_DIR',
    'Folder whose files are read as variables at start: the file `CRM_TOKEN` has the value of `CRM_TOKEN`, without its final line break. For secrets of Docker and Kubernetes, and credentials of systemd.',
    ok<string>,
  ),
};
