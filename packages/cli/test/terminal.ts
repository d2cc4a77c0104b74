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
  /** The exit code, or the signal that ended the command. */
  readonly code: number | string | null;
}

export interface Terminal {
  /** The working directory of every command. */
  readonly cwd: string;
  /** Runs a command line in sh, or in another shell. */
  run(line: string, shell?: readonly string[]): Promise<Printed>;
}

export interface TerminalOptions {
  /** Names and contents of the files in the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Variables besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
}

const start = `exec '${process.execPath}' '${program}' "$@"`;

let warm: string | undefined;

/**
 * The command behind `relay` in the shell. Most commands run in a process that has already loaded the program
 * (warm_relay.cjs), one per test worker. A new process starts for commands that keep running, read what the shell
 * opened, need a terminal or their own Node settings, or are sent a signal (STARTED=1), and on systems without /proc.
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

/** A new directory, and a shell that finds the built `relay`. Both are removed when the test is finished. */
export async function openTerminal(options?: TerminalOptions): Promise<Terminal> {
  const { close, ...terminal } = await newTerminal(options);
  onTestFinished(close);
  return terminal;
}

/** A terminal whose directory is removed when it is closed. */
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
      // Uses files, because Node's pipes are sockets, which other processes cannot open.
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
