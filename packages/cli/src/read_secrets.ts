import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnreadable } from '@form-relay/base/text_file';
import { CommandFailed } from './command_failed.ts';

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
      // Kubernetes has folders beside the files; a pipe may never end.
      if (!stats.isFile()) continue;
      if (stats.size > mostBytes) {
        problems.push(`${name}: longer than ${mostBytes} bytes, which no variable may be`);
        continue;
      }
      const bytes = readFileSync(path);
      // The bytes of a key would become a secret of few different characters, which can be guessed.
      if (!isUtf8(bytes) || bytes.includes(0)) problems.push(`${name}: not text`);
      else env[name] = bytes.toString().replace(/\r?\n$/, '');
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
    const reason = isMissing ? 'there is no such folder' : `it cannot be read (${code})`;
    throw new CommandFailed(`SECRETS_DIR: ${folder}: ${reason}`);
  }
}
