import { err, ok, type Result } from '../base/result.ts';
import { isSecretName, looksLikeSecretArn } from '../schema/settings/kinds.ts';
import { type Environment, SettingError } from '../schema/settings/settings.ts';
import { variables } from '../schema/settings/variables.ts';
import type { SecretVariable } from './read_secret_arns.ts';

/** Cheap, since every start calls it. The code that fetches secrets is loaded if there is one. */
function secretVariables(env: Environment): readonly SecretVariable[] {
  return Object.entries(env).flatMap(([key, value]) => {
    const name = key.endsWith('_ARN') ? key.slice(0, -'_ARN'.length) : '';
    return name !== '' && !env[name] && value && (looksLikeSecretArn(value) || isSecretName(name))
      ? [[name, value] as const]
      : [];
  });
}

/** The secrets among the relay's own settings. */
export const ownSecrets = (env: Environment): readonly SecretVariable[] =>
  secretVariables(env).filter(([name]) => variables.some((own) => own.name === name));

/** Fetches the values of variables that have an ARN, or returns why each can't be read. */
export type SecretReader = (wanted: ReadonlySet<string>) => Promise<Result<Environment, string>>;

/** A reader for variables that configs use; `undefined` if no variable has an ARN. */
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
