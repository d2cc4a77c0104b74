import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/core/settings';
import { createRelay } from '@form-relay/runtimes/node/relay';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { CommandFailed } from './command_failed.ts';

/** `createRelay` for commands: a malformed environment variable is a `CommandFailed`. */
export const makeRelay = (options: RelayOptions): Relay => failing(() => createRelay(options));

/** The same of `readSettings`. */
export const settingsOf = (env: Environment): Settings => failing(() => readSettings(env));

function failing<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}
