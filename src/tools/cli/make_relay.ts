import { createRelay, type Relay, type RelayOptions } from '../../relay.ts';
import { SettingError } from '../../settings/settings.ts';
import { CommandFailed } from './command_failed.ts';

/** `createRelay` for commands: a malformed environment variable is a `CommandFailed` (D8). */
export function makeRelay(options: RelayOptions): Relay {
  try {
    return createRelay(options);
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}
