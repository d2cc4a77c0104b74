/** A worker process that serves (WORKERS): a program of its own, `dist/cli/worker.cjs`, which the primary starts. */
import { joinPrimary } from '@form-relay/relay/serve';
import { CommandFailed } from './command_failed.ts';
import { endProcess } from './end_process.ts';
import { metricsAsked } from './metrics_asked.ts';
import { relayToServe, serveRelay } from './serve_http.ts';

async function main(): Promise<void> {
  // A log that nobody reads any more must not end it.
  process.stderr.on('error', () => {});
  // If secrets are files, a replacement worker reads the current ones.
  if (process.env.SECRETS_DIR) {
    (await import('./read_secrets.ts')).readSecrets(process.env.SECRETS_DIR, process.env);
  }
  const primary = await joinPrimary(metricsAsked);
  const { env, shared, observe, stopped, beginning, metrics } = primary;
  try {
    const { configFile, processes, fd } = beginning;
    const relay = relayToServe(configFile, { env, shared, observe, metrics, triesAgain: false });
    await serveRelay(relay, metrics, {
      stopped,
      handed: () => (fd === undefined ? undefined : { fd }),
      listens: (line) => primary.listens(relay, line.replace(/\n$/, `, ${processes} workers\n`)),
      unloaded: async () => {
        if (await primary.isServed())
          throw new CommandFailed('its config does not load; the other workers go on with the one they have');
      },
      ends: primary.measured,
    });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    primary.fails(error.message);
    process.exitCode = 1;
    await endProcess();
  }
}

void main();
