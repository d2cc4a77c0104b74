/** How the program starts: the name that it was called by, the environment that it reads, and how it ends when a command fails. */

import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { ok } from '@form-relay/base/result';
import { quoted } from '@form-relay/base/terminal';
import { whyUnreadable } from '@form-relay/base/text_file';
import { CommandFailed, configPath } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { variable } from '@form-relay/schema/variables';

// DNS lookups may use half of libuv's threads. libuv reads this variable when it first needs a thread.
process.env.UV_THREADPOOL_SIZE ??= '16';

/** Runs a command. If it fails, prints one line that says why, and sets exit code 1. */
export async function run(command: () => Promise<unknown>): Promise<void> {
  // `relay form list | head -1`: a reader that stops early is not an error.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') {
      process.stderr.write(`the output file cannot be written (${code})\n`);
      process.exitCode = 1;
    }
    process.exit();
  });
  // The relay must keep running if nothing reads its log any more.
  process.stderr.on('error', () => {});
  try {
    await command();
  } catch (error) {
    // Compares the name, so that commands that read no settings do not load that module.
    if (!(error instanceof CommandFailed) && (error as Error).name !== 'SettingError') throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Sets the variables of the `.env` file next to the config, then those of SECRETS_DIR, which override them. */
export function readEnvironment(configOption: string | undefined): void {
  readEnvFile(configOption, process.env);
  if (process.env.SECRETS_DIR) {
    readSecrets(process.env.SECRETS_DIR, process.env);
  }
}

/**
 * Sets the variables of the `.env` file next to the config, unless the environment has them. Reports a file
 * that cannot be read on stderr and skips it: systemd may have read it as root, for a user without access.
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
      for (const [name, value] of Object.entries(parseEnv(settingLines(path, `${bytes}`)))) {
        if (env[name] !== undefined) continue;
        env[name] = value;
        setByFile.add(name);
      }
    } else skip(path, 'the file is not UTF-8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // systemd has read it as root, for a service without access.
    if (code === 'EACCES' && env.INVOCATION_ID) return;
    // Python virtual environments may be folders of this name.
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) skip(path, whyUnreadable(error));
  }
}

/**
 * Text that `parseEnv` reads as people mean it: to Node, a line without `=`, and an indented comment, is part of
 * the next variable's name. Reports lines that set no variable, without quoting them.
 */
function settingLines(path: string, text: string): string {
  const assignmentOrLine = /^[ \t]*[^#\s=][^=\n]*=[ \t]*(["'`])[\s\S]*?\1|^.*$/gm;
  return text.replaceAll(assignmentOrLine, (line: string, quote: string | undefined, offset: number) => {
    if (quote !== undefined) return line;
    const report = (reason: string) =>
      process.stderr.write(`${path}:${text.slice(0, offset).split('\n').length}: ${reason}\n`);
    if (/^\s*(#|$)/.test(line)) return '';
    if (/^[^=]*=\s*["'`]/.test(line)) report('the quote of this value is not closed');
    if (line.includes('=')) return line;
    report('no "=" in this line, so it sets no variable');
    return '';
  });
}

/** The plug-ins that a config or RELAY_PLUGINS names, as far as they load. */
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

/** The variables that this process has from its `.env` file. */
export const setByFile = new Set<string>();

function skip(path: string, reason: string): void {
  process.stderr.write(`${path}: ${reason}; none of its variables are set\n`);
}

/** Enough for a key or a certificate; anything longer is not a secret. Linux allows 128 KB per variable. */
const mostBytes = 65_536;

/**
 * Turns the files in a folder into variables, named after the files. A file overrides a variable of its name,
 * because a parent process may have read an older version of the folder. Throws a `CommandFailed` that names
 * every unusable file without quoting its content.
 */
export function readSecrets(folder: string, env: NodeJS.ProcessEnv): void {
  const problems: string[] = [];
  for (const name of namesIn(folder)) {
    try {
      const path = join(folder, name);
      const stats = statSync(path);
      // Kubernetes puts folders next to the files, and reading a pipe may never end.
      if (!stats.isFile()) continue;
      if (stats.size > mostBytes) {
        problems.push(`${name}: longer than ${mostBytes} bytes, the limit for a variable`);
        continue;
      }
      const bytes = readFileSync(path);
      // A binary key would turn into text of few different characters, which can be guessed.
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

/** The files that can be variables. Internal files of Kubernetes and of editors have a dot in their names. */
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

/** The file that `relay serve` would read, unless the environment names a source that is not a file. */
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
    'Folder whose files are read as variables at start: the file `CRM_TOKEN` has the value of `CRM_TOKEN`, without its final line break. For Docker and Kubernetes secrets, and systemd credentials.',
    ok<string>,
  ),
};

/** The package's program, which has two names: its own and the package's. */
const programs = ['relay', 'form-relay'];

const [, program = ''] = process.argv;
const ownName = basename(program, '.exe');

/** Whether the program was started by one of these names, and not as a file. */
const isInstalled = programs.includes(ownName);

/** The command line prefix that the user typed, with npx if npx or a package installed the program. */
export const calledAs = (): string =>
  isInstalled ? `${program.includes('node_modules') ? `npx ${fromNpx(program)}` : ''}${ownName}` : 'relay';

/** The options that name the package in npx's own cache: by the program's name, npx would find another package. */
function fromNpx(path: string): string {
  const [, folder] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(path) ?? [];
  if (!folder) return '';
  const { _npx } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const packages: readonly string[] = _npx?.packages ?? ['form-relay'];
  return packages.map((name) => `--package ${quoted(name)} `).join('');
}
