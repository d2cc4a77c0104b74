/** `relay serve` for a config file on this machine, as a separate process: how the studio publishes locally. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { err, ok, type Result } from '@form-relay/base/result';
import { whyUnwritten } from '@form-relay/base/text_file';
import type { LocalRelay, LogLine, Served } from '@form-relay/studio/publish';
import { readBeside } from './beside.ts';
import { setByFile } from './environment.ts';

/** The number of log lines that the page shows. */
const mostLines = 200;
const askMs = 2_000;

/** @param file The config, which the relay reads like any other. */
export function createLocalRelay(file: string, changed: () => void): LocalRelay {
  let child: ChildProcess | undefined;
  let state: Served = stopped();
  let count = 0;
  let asking: NodeJS.Timeout | undefined;
  const become = (more: Partial<Served>) => {
    state = { ...state, ...more };
    changed();
  };

  const take = (line: string) => {
    count += 1;
    const logged = lineOf(line, count);
    const { event, level } = logged;
    become({
      lines: [...state.lines, logged].slice(-mostLines),
      ...(event === 'config_loaded' && { config: 'latest' as const }),
      ...(/^config_(invalid|unavailable)$/.test(event) && { config: 'older' as const }),
      ...(level === 'error' && event === 'start_failed' && { isRunning: false }),
    });
  };

  const askHealth = async (origin: string) => {
    const ask = async (path: string) =>
      fetch(origin + path, { signal: AbortSignal.timeout(askMs) }).then(
        ({ status }) => status === 200,
        () => false,
      );
    const [isHealthy, isReady] = await Promise.all([ask('/healthz'), ask('/readyz')]);
    if (isHealthy !== state.isHealthy || isReady !== state.isReady) become({ isHealthy, isReady });
  };

  const stop = () => {
    clearInterval(asking);
    child?.kill('SIGTERM');
  };

  return {
    get state() {
      return state;
    },
    start: (isShared) => {
      if (child) return;
      // The relay reads the .env file itself, so changes apply.
      const own = Object.entries(process.env).filter(([name]) => !setByFile.has(name));
      const env = {
        ...Object.fromEntries(own),
        HOST: isShared ? '0.0.0.0' : '127.0.0.1',
        PORT: '0',
        LOG_FORMAT: 'json',
      };
      const [, program = ''] = process.argv;
      // The single executable is its own program file.
      const args = program === process.execPath ? [] : [...process.execArgv, program];
      const started = spawn(process.execPath, [...args, '--config', file, 'serve', '--until-stdin-ends'], {
        env,
        // The input closes when the studio ends, even if it is killed.
        stdio: 'pipe',
      });
      child = started;
      state = { ...stopped(), isRunning: true, isShared };
      changed();
      createInterface({ input: started.stdout }).on('line', (line) => {
        const [, port] = /^Form Relay listens on \S*:(\d+)/.exec(line) ?? [];
        if (port === undefined) return;
        const origin = `http://127.0.0.1:${port}`;
        become({ port: Number(port) });
        void askHealth(origin);
        asking = setInterval(() => void askHealth(origin), askMs).unref();
      });
      createInterface({ input: started.stderr }).on('line', take);
      const end = () => {
        if (child !== started) return;
        child = undefined;
        clearInterval(asking);
        become({ isRunning: false, isHealthy: false, isReady: false, port: undefined });
      };
      started.once('exit', end);
      started.once('error', ({ message }) => {
        take(message);
        end();
      });
    },
    stop,
    reload: () => {
      if (child && state.port !== undefined && process.platform !== 'win32') child.kill('SIGHUP');
    },
  };
}

const stopped = (): Served => ({
  isRunning: false,
  isShared: false,
  isHealthy: false,
  isReady: false,
  port: undefined,
  config: undefined,
  lines: [],
});

function lineOf(line: string, number: number): LogLine {
  try {
    const {
      time,
      level,
      event,
      form,
      outcome,
      deliveries,
      request_id: _,
      trace_id: __,
      ...rest
    } = JSON.parse(line);
    return { number, time, level, event, form, outcome, deliveries, rest: JSON.stringify(rest) };
  } catch {
    return { number, time: new Date().toISOString(), level: 'info', event: line, rest: '{}' };
  }
}

/** The sources of the deployment files (packages/starters/src/deploy.ts). */
export async function deploySources(): Promise<Readonly<Record<string, string>>> {
  const [pages, files] = await Promise.all(
    ['cli/manual.json', 'cli/deploy.json'].map(async (name) =>
      JSON.parse(Buffer.from(await readBeside(name)).toString('utf8')),
    ),
  );
  return { ...pages, ...files };
}

/** Writes new files into a folder, and completes files that an interrupted run started. Writes none if one has other content. */
export async function writeBeside(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<Result<string, string>> {
  const paths = files.map(({ path, text }) => ({ path: join(folder, path), text }));
  const before = await Promise.all(paths.map(({ path }) => readFile(path, 'utf8').catch(() => undefined)));
  // An interrupted run leaves only the beginning of a file.
  const taken = paths.filter(({ text }, index) => !text.startsWith(before[index] ?? ''));
  if (taken[0]) return err(`${taken[0].path} already exists with other content; move or rename it`);
  for (const [index, { path, text }] of paths.entries()) {
    if (before[index] === text) continue;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: before[index] === undefined ? 'wx' : 'w' });
    } catch (error) {
      return err(`${path}: ${whyUnwritten(error)}`);
    }
  }
  return ok(folder);
}
