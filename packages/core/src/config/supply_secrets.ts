import type { Result } from '../base/result.ts';
import type { Services } from '../services.ts';
import type { Environment } from '../settings.ts';
import { usedEnvIn } from './environment.ts';
import type { Config } from './parse.ts';

/** Fetches the values of environment variables, or returns why it cannot. */
export type ReadSecrets = (names: ReadonlySet<string>) => Promise<Result<Environment, string>>;

/** Fetches unset variables that a config uses. Resolves with why that failed, if it did. */
export const supplySecrets =
  (read: ReadSecrets, env: Services['env'], secrets: Map<string, string>) =>
  async (loaded: Config): Promise<string | undefined> => {
    const found = await read(new Set([...usedEnvIn(loaded)].filter((name) => !env(name))));
    if (!found.ok) return found.error;
    for (const [name, value = ''] of Object.entries(found.value)) secrets.set(name, value);
    return undefined;
  };
