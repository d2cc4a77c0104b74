import { CommandFailed } from './command_failed.ts';
import { readEnvFile } from './read_env_file.ts';

// DNS lookups get half of libuv's threads. libuv reads this variable when it needs the first of them.
process.env.UV_THREADPOOL_SIZE ??= '16';

/** Runs a command: where it fails, a line says why, and the exit code is 1. */
export async function run(command: () => Promise<unknown>): Promise<void> {
  // `relay form list | head -1`: a reader that stops early is no failure.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') {
      process.stderr.write(`the output cannot be written (${code})\n`);
      process.exitCode = 1;
    }
    process.exit();
  });
  // A log that nobody reads any more must not end the relay.
  process.stderr.on('error', () => {});
  try {
    await command();
  } catch (error) {
    // By its name, so that commands which read no settings do not load them.
    if (!(error instanceof CommandFailed) && (error as Error).name !== 'SettingError') throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Sets the variables of the `.env` beside the config, and those of SECRETS_DIR, which win. */
export async function readEnvironment(configOption: string | undefined): Promise<void> {
  readEnvFile(configOption, process.env);
  if (process.env.SECRETS_DIR) {
    (await import('./read_secrets.ts')).readSecrets(process.env.SECRETS_DIR, process.env);
  }
}
