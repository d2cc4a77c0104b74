import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Primary, StartFailed } from '@form-relay/relay/serve';
import {
  createLineWriter,
  createLog,
  mergeSnapshots,
  stderrFormat,
  writeStderr,
} from '@form-relay/relay/telling';
import { workerProgram } from './beside.ts';
import { CommandFailed } from './command_failed.ts';
import { endProcess } from './end_process.ts';
import { printStarted } from './listening.ts';
import { settingsOf } from './make_relay.ts';
import { metricsAsked } from './metrics_asked.ts';
import { serveMetrics } from './serve_metrics.ts';
import { handedSocket, tellReady } from './systemd.ts';

/** When the process ends after SIGTERM or SIGINT, whatever its workers do: they are killed before. */
const lastResortMs = 26_000;

/** Also what is none and takes all, as /dev/null. */
function isFile(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() || (stats.isCharacterDevice() && !isatty(descriptor));
  } catch {
    return false;
  }
}

/** Serves with several processes (docs/workers.md). This one answers nothing itself. */
export async function serveWithWorkers(
  configFile: string | undefined,
  processes: number,
  stopped: Promise<undefined>,
): Promise<void> {
  const settings = settingsOf(process.env);
  const format = stderrFormat(settings);
  const lines = createLineWriter(writeStderr, (lost) =>
    format(Date.now(), 'warn', 'log_lines_lost', { lines: lost }),
  );
  const written = createLog(
    (bytes) => {
      lines.add(bytes.toString());
      return bytes.length;
    },
    Date.now,
    { format: () => format, level: settings.logLevel },
  );
  // The primary's own metrics are part of the sum: workers that end, lost log lines, memory.
  const metrics = await metricsAsked();
  metrics?.begin({ now: Date.now, lostLines: lines.lost });
  const log = metrics?.counting(written) ?? written;
  // Workers write to this process, which knows whether people read it.
  if (process.stderr.isTTY) process.env.LOG_FORMAT ||= 'pretty';
  const primary = new Primary({
    program: workerProgram(),
    configFile,
    processes,
    settings,
    fd: handedSocket(process.env, process.pid)?.fd,
    log,
    // A file takes what each writes at once, as it is; a pipe and a terminal may take half of it.
    write: isFile(2) ? undefined : lines.add,
  });
  // However this process ends: what its workers are doing ends by itself (worker.ts).
  const flush = () => {
    written.flush();
    lines.flush();
  };
  process.on('exit', flush);
  // Closing a terminal still ends the processes that run in it.
  if (!process.stdin.isTTY) process.on('SIGHUP', () => primary.replaceAll());
  const measured = await serveMetrics(settings, async () =>
    mergeSnapshots([metrics?.snapshot() ?? [], await primary.measure()]),
  );
  let line: string | undefined;
  try {
    line = await Promise.race([primary.start(), stopped]);
  } catch (error) {
    if (!(error instanceof StartFailed)) throw error;
    flush();
    if (error.message !== '') throw new CommandFailed(error.message);
    process.exit(error.exitCode);
  }
  if (line === undefined) {
    primary.kill();
    return endProcess();
  }
  printStarted(`${line}${measured?.line ?? ''}`);
  tellReady(process.env, log);

  await stopped;
  // Another one ends all at once: the workers are not told by the terminal.
  process.once('SIGINT', () => {
    primary.kill();
    process.kill(process.pid, 'SIGINT');
  });
  setTimeout(() => {
    primary.kill();
    void endProcess();
  }, lastResortMs);
  await primary.stop();
  await measured?.close();
  flush();
  await lines.close();
  await endProcess();
}
