import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chmod, chown, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { maxConfigBytes } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { tooLarge, whyUnwritten } from '@form-relay/base/text_file';
import { setByFile } from './environment.ts';

export interface SaveOptions {
  /** The file's new mode. Default: unchanged. */
  readonly mode?: number;
  /** Runs last, so that a backup is made only if the file is really replaced. */
  readonly beforeTakingItsPlace?: (() => Promise<void>) | undefined;
}

/**
 * Writes a text to a config file completely or not at all: into a new file in its folder, which then replaces
 * it and gets its mode and owner. Returns `changed` if the file no longer holds `expected`. With `undefined`,
 * replaces any content except bytes that are not text.
 */
export async function saveConfig(
  path: string,
  text: string,
  expected: string | undefined,
  { mode, beforeTakingItsPlace = async () => {} }: SaveOptions = {},
): Promise<Result<'saved' | 'changed', string>> {
  if (Buffer.byteLength(text) > maxConfigBytes) return tooLarge;
  try {
    // Writes to the link's target, so a link stays a link.
    const file = await realpath(path).catch(() => path);
    const before = await stat(file).catch(ifMissing);
    if (before && !before.isFile()) return err('this is not a file');
    if (before && !(await isWritable(file, before))) return err('the file is read-only');
    const now = before ? await readFile(file) : Buffer.of();
    if (!isUtf8(now)) return err('the file has bytes that are not UTF-8, which saving here would destroy');
    if (expected !== undefined && now.toString() !== expected) return ok('changed');
    const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.new`);
    try {
      await write(temporary, text, before, mode);
      // Another program may have written in the meantime.
      const latest = before && (await readFile(file));
      if (expected !== undefined && latest && !latest.equals(now)) {
        await unlink(temporary);
        return ok('changed');
      }
      await beforeTakingItsPlace();
      await rename(temporary, file);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    return ok('saved');
  } catch (error) {
    // Errors of the caller's own step are passed on.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return err(whyUnwritten(error));
  }
}

/** Replacing the file only requires access to the folder, but a read-only file should stay as it is; root may always write. */
const isWritable = async (file: string, { mode }: Stats): Promise<boolean> =>
  (mode & 0o222) !== 0 &&
  access(file, constants.W_OK).then(
    () => true,
    () => false,
  );

async function write(path: string, text: string, like: Stats | undefined, mode?: number): Promise<void> {
  // Writes through the descriptor, so that a file or link that another user puts there is never followed.
  const made = await open(path, 'wx', mode ?? like?.mode);
  try {
    await made.writeFile(text);
    await made.sync();
  } finally {
    await made.close();
  }
  if (!like) return;
  // The relay may run as the only user who may read the file, and only root can change the owner.
  await chown(path, like.uid, like.gid).catch(() => undefined);
  await chmod(path, mode ?? like.mode & 0o7777);
}

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

// Writes secrets into the `.env` file next to a config, which only its owner may read, and makes git ignore the file.

type Secrets = Readonly<Record<string, string>>;

const ownersOnly = 0o600;

/**
 * Sets variables in the `.env` file next to a config, and in this process. Leaves all other lines unchanged.
 * The error message is for the owner and contains no value.
 */
export async function saveSecrets(
  config: string,
  values: Secrets,
  env: NodeJS.ProcessEnv,
): Promise<Result<string, string>> {
  const folder = dirname(resolve(config));
  const file = join(folder, '.env');
  for (let tries = 0; tries < 3; tries += 1) {
    const before = await textOf(file);
    const elsewhere = Object.keys(values).find((name) => env[name] !== undefined && !setByFile.has(name));
    if (elsewhere !== undefined)
      return err(
        `${elsewhere} is set in the environment or in SECRETS_DIR, which override .env: change it there`,
      );
    const text = withVariables(before, values);
    if (!text.ok) return text;
    const ignored = await ignoreInGit(folder);
    if (!ignored.ok) return ignored;
    const saved = await saveConfig(file, text.value, before, { mode: ownersOnly });
    if (!saved.ok) return err(`${file}: ${saved.error}`);
    // Another program has written in the meantime.
    if (saved.value === 'changed') continue;
    Object.assign(env, values);
    for (const name of Object.keys(values)) setByFile.add(name);
    return ok(file);
  }
  return err(`another program keeps writing to ${file}; close that program, and try again`);
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/** An assignment: its start, name, value, and what follows. A quoted value may span lines. */
const assignment =
  /^([ \t]*(?:export[ \t]+)?)([\w.-]+)([ \t]*=[ \t]*)('[^']*'|"[^"]*"|`[^`]*`|[^#\r\n]*?)([ \t]*(?:#[^\r\n]*)?)$/gm;

/** The text of a `.env` file with these variables, replaced in place or appended. */
export function withVariables(text: string, values: Secrets): Result<string, string> {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  let changed = text;
  for (const [name, value] of Object.entries(values)) {
    const written = quotedValue(value);
    if (written === undefined)
      return err(`${name}: .env cannot quote this value; put it into a file in SECRETS_DIR`);
    let isThere = false;
    changed = changed.replaceAll(assignment, (whole, start, other, equals, _, rest) => {
      if (other !== name) return whole;
      isThere = true;
      return `${start}${name}${equals}${written}${rest}`;
    });
    if (!isThere)
      changed += `${changed === '' || /[\r\n]$/.test(changed) ? '' : end}${name}=${written}${end}`;
  }
  const read = parseEnv(changed);
  const wanted = { ...parseEnv(text), ...values };
  const isRead = Object.keys({ ...read, ...wanted }).every((name) => read[name] === wanted[name]);
  return isRead ? ok(changed) : err('unbalanced quotes: correct the file by hand');
}

/**
 * Quotes a value so that Node, systemd, Compose and shells read it alike: bare, in single quotes, or in
 * double quotes without characters that some of them expand. Node also reads backticks as quotes, but a shell
 * would run the content.
 */
function quotedValue(value: string): string | undefined {
  if (/^[\w./:@%+,=~^-]+$/.test(value)) return value;
  if (/[\0-\x08\n-\x1f\x7f]/.test(value)) return undefined;
  if (!value.includes("'")) return `'${value}'`;
  return /["\\$`]/.test(value) ? undefined : `"${value}"`;
}

const ignoresEnv = /^(!?)(?:\/|\*\*\/)?(?:\.env|\.env\*|\*\.env|\.\*)\s*$/;

/** Adds `.env` to the `.gitignore` next to it, if the folder is in a repository that does not ignore it yet. */
async function ignoreInGit(folder: string): Promise<Result<'saved' | 'changed', string>> {
  const texts: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    texts.unshift(await textOf(join(at, '.gitignore')));
    // In a worktree, `.git` is a file.
    if (await isThere(join(at, '.git'))) break;
    if (dirname(at) === at) return ok('saved');
  }
  const last = texts.flatMap((text) => text.split(/\r?\n/)).findLast((line) => ignoresEnv.test(line));
  if (last !== undefined && !last.startsWith('!')) return ok('saved');
  const own = texts.at(-1) ?? '';
  const file = join(folder, '.gitignore');
  const saved = await saveConfig(file, `${own}${own === '' || own.endsWith('\n') ? '' : '\n'}.env\n`, own);
  return saved.ok ? saved : err(`${basename(file)}: ${saved.error}`);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
