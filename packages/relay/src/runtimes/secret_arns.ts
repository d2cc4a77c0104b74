import { err, ok, type Result } from '../base/result.ts';
import { isSecretName, looksLikeSecretArn } from '../schema/settings/kinds.ts';
import { type Environment, SettingError } from '../schema/settings/settings.ts';
import { variables } from '../schema/settings/variables.ts';
import type { SecretVariable } from './read_secret_arns.ts';

/** Cheap: every start asks. The code that fetches secrets is loaded only where there is one. */
function secretVariables(env: Environment): readonly SecretVariable[] {
  return Object.entries(env).flatMap(([key, value]) => {
    const name = key.endsWith('_ARN') ? key.slice(0, -'_ARN'.length) : '';
    return name !== '' && !env[name] && value && (looksLikeSecretArn(value) || isSecretName(name))
      ? [[name, value] as const]
      : [];
  });
}

/** Those that the relay itself reads when it starts. */
export const ownSecrets = (env: Environment): readonly SecretVariable[] =>
  secretVariables(env).filter(([name]) => variables.some((own) => own.name === name));

/** Fetches the values of those variables that an ARN stands in for; or says, a variable each, why they cannot be had. */
export type SecretReader = (wanted: ReadonlySet<string>) => Promise<Result<Environment, string>>;

/** For the variables that configs use; `undefined` where no ARN stands in for any. */
export function secretReader(env: Environment): SecretReader | undefined {
  const known = secretVariables(env);
  if (known.length === 0) return undefined;
  return async (wanted) => {
    const found = known.filter(([name]) => wanted.has(name));
    if (found.length === 0) return ok({});
    const { readSecretArns } = await import('./read_secret_arns.ts');
    try {
      return ok(await readSecretArns(found, env));
    } catch (error) {
      if (error instanceof SettingError) return err(error.message.replaceAll('\n', '; '));
      throw error;
    }
  };
}
