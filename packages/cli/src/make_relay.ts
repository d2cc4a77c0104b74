import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/relay/schema';
import { createRelay, type Relay, type RelayOptions } from '@form-relay/relay/serve';
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
