import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | string | null;
}

export interface Terminal {
  /** The working directory of every command. */
  readonly cwd: string;
  /** Runs a line of sh, or of another shell. */
  run(line: string, shell?: readonly string[]): Promise<Printed>;
}

export interface TerminalOptions {
  /** Name and text of the files that stand in the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A new directory, and a shell that finds the built `relay`; both go when the test is finished. */
export async function openTerminal({ files = {}, env = {} }: TerminalOptions = {}): Promise<Terminal> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'relay-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [cwd, bin] = [join(home, 'site'), join(home, 'bin')];
  await mkdir(cwd);
  await mkdir(bin);
  await writeFile(join(bin, 'relay'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: home, ...env };

  return {
    cwd,
    run: async (line, [shell = 'sh', ...options] = ['sh']) => {
      const child = spawn(shell, [...options, '-c', line], {
        cwd,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [code, signal] = await once(child, 'close');
      return { stdout, stderr, code: code ?? signal };
    },
  };
}
