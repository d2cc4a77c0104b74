import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));

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

const start = `exec '${process.execPath}' '${program}' "$@"`;

let warm: string | undefined;

/**
 * The command behind `relay` in the shell. Most commands go to a process that has loaded the program (warm_relay.cjs),
 * one for the tests of a worker. The program itself starts where a command runs on, reads what the shell opened, has a
 * terminal or Node's own settings, or is sent a signal (STARTED=1), and where there is no /proc.
 */
function relayCommand(): string {
  if (process.platform !== 'linux') return start;
  if (warm !== undefined) return warm;
  const fifo = join(mkdtempSync(join(tmpdir(), 'warm-')), 'asked');
  execFileSync('mkfifo', [fifo]);
  const server = fileURLToPath(new URL('warm_relay.cjs', import.meta.url));
  spawn(process.execPath, [server, program, fifo], { stdio: ['pipe', 'ignore', 'inherit'] }).unref();
  warm = `if [ "$STARTED$NODE_OPTIONS$NODE_EXTRA_CA_CERTS" ] || [ -t 1 ] || [ -t 2 ]; then ${start}; fi
case " $* " in *' serve '* | *' dev '* | *' inbox '* | *' demo '* | *' mcp '* | */dev/std* | */dev/fd*) ${start} ;; esac
mkfifo '${fifo}'.$$ && exec 3<>'${fifo}'.$$ 4<&0 5>&1 6>&2 && echo $$ >'${fifo}' && read -r code <&3
exit "$code"`;
  return warm;
}

/** A new directory, and a shell that finds the built `relay`; both go when the test is finished. */
export async function openTerminal(options?: TerminalOptions): Promise<Terminal> {
  const { close, ...terminal } = await newTerminal(options);
  onTestFinished(close);
  return terminal;
}

/** A terminal that is removed when it is closed. */
export async function newTerminal({ files = {}, env = {} }: TerminalOptions = {}) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'relay-')));
  const [cwd, bin] = [join(home, 'site'), join(home, 'bin')];
  await mkdir(cwd);
  await mkdir(bin);
  await writeFile(join(bin, 'relay'), `#!/bin/sh\n${relayCommand()}\n`, { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: home, ...env };

  let runs = 0;
  return {
    cwd,
    run: async (line: string, [shell = 'sh', ...options]: readonly string[] = ['sh']): Promise<Printed> => {
      runs += 1;
      const [out, err] = [join(home, `stdout-${runs}`), join(home, `stderr-${runs}`)];
      // Files: what Node calls a pipe is a socket, which no other process can open.
      const [stdout, stderr] = [out, err].map((file) => openSync(file, 'a'));
      const child = spawn(shell, [...options, '-c', line], {
        cwd,
        env: environment,
        stdio: ['ignore', stdout, stderr],
      });
      const [code, signal] = await once(child, 'close');
      for (const fd of [stdout, stderr]) closeSync(fd as number);
      return {
        stdout: await readFile(out, 'utf8'),
        stderr: await readFile(err, 'utf8'),
        code: code ?? signal,
      };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}
