import { SettingError } from '@form-relay/relay/schema';
import { readSecretArns, type SecretVariable } from '@form-relay/relay/serve';
import { CommandFailed } from './command_failed.ts';

/** Sets the relay's own variables that ARNs stand in for. An ARN that cannot be read is a `CommandFailed`. */
export async function putSecrets(secrets: readonly SecretVariable[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    Object.assign(env, await readSecretArns(secrets, env));
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}
