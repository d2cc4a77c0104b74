import { SettingError } from '@form-relay/core/settings';
import { withOwnSecrets } from '@form-relay/runtimes/secret_arns';
import { CommandFailed } from './command_failed.ts';

/** Sets the relay's own variables that ARNs stand in for. An ARN that cannot be read is a `CommandFailed`. */
export async function putSecrets(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    Object.assign(env, await withOwnSecrets(env));
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}
