/** Root folders with programs of this machine, and the libraries that they load. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

export const certificateFile = '/etc/ssl/certs/ca-certificates.crt';

/** Libraries that programs load, by the paths at which they look for them. Scripts have none. */
export const librariesOf = (...programs: readonly string[]): readonly string[] =>
  programs.flatMap(
    (one) => spawnSync('ldd', [one], { encoding: 'utf8' }).stdout.match(/\/\S+\.so\S*/g) ?? [],
  );

/** Debian packages that own the libraries; on other systems, the libraries themselves. */
export const ownersOf = (paths: readonly string[]): readonly string[] => [
  ...new Set(
    paths.map(
      (path) =>
        [path, fs.realpathSync(path), fs.realpathSync(path).replace(/^\/usr/, '')]
          .map((one) => output('dpkg-query', '--search', one)?.split(': ')[0])
          .find((one) => one !== undefined) ?? path,
    ),
  ),
];

/** `undefined` if the program fails. */
export function output(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Copies existing files to the same paths below a folder. */
export function copyInto(folder: string, paths: Iterable<string>): void {
  for (const path of paths) if (fs.existsSync(path)) copyTo(fs.realpathSync(path), join(folder, path));
}

/** Copies a file or folder, and creates its parent folders. */
export function copyTo(from: string, to: string): void {
  fs.mkdirSync(dirname(to), { recursive: true });
  fs.cpSync(from, to, { recursive: true, dereference: true });
}

const folders =
  'usr/bin usr/lib usr/lib64 usr/local/bin etc/ssl/certs tmp root home var/lib proc sys dev run'.split(' ');
const programs =
  'sh bash env rm mkdir ln cp mv cat ls id uname sleep sed awk grep head tail tr sort od chmod chown dirname basename mktemp sha256sum cmp rmdir curl cut printf touch getconf ldd'
    .split(' ')
    .map((name) => `/usr/bin/${name}`);

/** Makes a root with a shell and common programs. @param more Programs whose libraries it also needs. */
export function makeRoot(folder: string, ...more: readonly string[]): void {
  for (const path of folders) fs.mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['bin', 'lib', 'lib64']) fs.symlinkSync(`usr/${path}`, join(folder, path));
  fs.chmodSync(join(folder, 'tmp'), 0o1777);
  copyInto(folder, new Set([...programs, ...librariesOf(...programs, ...more)]));
  fs.writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
}

/** Copies this machine's npm to a folder. */
export function copyNpm(to: string): void {
  const { stdout } = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' });
  const [npm = ''] = /.*\/npm(?=\/bin\/)/.exec(fs.realpathSync(stdout.trim())) ?? [];
  copyTo(npm, to);
}
