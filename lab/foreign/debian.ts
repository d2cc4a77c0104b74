import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Unpacks a Debian package into a folder without installing it. */
export async function downloadDebian(name: string, folder: string): Promise<void> {
  await run('sh', ['-c', `apt-get download -q ${name} && dpkg -x ${name}_*.deb .`], { cwd: folder });
}

export const isRoot = process.getuid?.() === 0;

/** Installs a Debian package if its program is missing. Returns why the program is still missing, if so. */
export async function installed(program: string, name: string): Promise<string | undefined> {
  if (existsSync(program)) return undefined;
  if (!isRoot) return `${program} is missing: apt-get install ${name}`;
  try {
    await run('sh', ['-c', `apt-get update -q && apt-get install -qy --no-install-recommends ${name}`], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    return undefined;
  } catch {
    return `apt-get cannot install ${name}`;
  }
}
