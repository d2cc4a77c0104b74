import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { whyUnreadable } from '@form-relay/base/text_file';
import { servedFile } from './config_path.ts';

/**
 * Sets the variables of the `.env` beside the config, unless the environment has them. A file that cannot be read is reported
 * on stderr and skipped: systemd may have read it as root, for a user who cannot.
 */
export function readEnvFile(configOption: string | undefined, env: NodeJS.ProcessEnv): void {
  const { CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET } = env;
  const isFile = configOption !== undefined || (!CONFIG_INLINE && (CONFIG_FILE || !CONFIG_BUCKET));
  if (!isFile) return;
  const path = join(dirname(servedFile(configOption)), '.env');
  try {
    const bytes = readFileSync(path);
    // Not `process.loadEnvFile`, which overrides variables on Deno.
    if (isUtf8(bytes)) for (const [name, value] of Object.entries(parseEnv(`${bytes}`))) env[name] ??= value;
    else skip(path, 'the file is not UTF-8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Virtual environments of Python may be folders of this name.
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) skip(path, whyUnreadable(error));
  }
}

function skip(path: string, reason: string): void {
  process.stderr.write(`${path}: ${reason}; none of its variables are set\n`);
}
