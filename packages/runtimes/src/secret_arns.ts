/** Secrets of SSM Parameter Store and Secrets Manager in the place of variables: `<name>_ARN` says where each one is. */
import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { looksLikeSecretArn } from '@form-relay/core/environment';
import { type Environment, SettingError, settle, variables } from '@form-relay/core/settings';
import { readVariables, secretNamed, variable } from '@form-relay/schema/variables';

/** An unset variable, and the ARN of its secret. */
type SecretVariable = readonly [name: string, arn: string];

/** Cheap, since every start calls it. The code that fetches secrets is loaded if there is one. */
function secretVariables(env: Environment): readonly SecretVariable[] {
  return Object.entries(env).flatMap(([key, value]) => {
    const name = key.endsWith('_ARN') ? key.slice(0, -'_ARN'.length) : '';
    return name !== '' && !env[name] && value && (looksLikeSecretArn(value) || ownSecretNames.includes(name))
      ? [[name, value] as const]
      : [];
  });
}

/** `<name>_ARN` can only mean a secret: without `KEEP_SECRET`, deliveries would be stored unencrypted, so a typo is an error. */
const ownSecretNames = ['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'RECEIPT_SECRET'];

/** Throws a `SettingError` if one of the relay's own secrets is an ARN, which stands in logs and can be guessed. */
export function refuseArns(env: Environment): void {
  const own = ownSecretNames.map((name) => [name, variable(name, '', secretNamed(name))]);
  const read = readVariables(Object.fromEntries(own), env);
  if (read.ok) return;
  const others = settle(env).settingProblems.filter(({ name }) => !ownSecretNames.includes(name));
  throw new SettingError([...read.error, ...others]);
}

/** The environment with the values of the relay's own secrets. Rejects with a `SettingError` that names those it cannot read. */
export const withOwnSecrets = async (env: Environment): Promise<Environment> => ({
  ...env,
  ...(await readAll(ownSecrets(env), env)),
});

/** Whether some of the relay's own secrets have an ARN. */
export const hasOwnSecrets = (env: Environment): boolean => ownSecrets(env).length > 0;

const ownSecrets = (env: Environment) =>
  secretVariables(env).filter(([name]) => variables.includes(name) || ownSecretNames.includes(name));

/** Fetches the values of variables that have an ARN, or returns why each can't be read. */
export type SecretReader = (names: ReadonlySet<string>) => Promise<Result<Environment, string>>;

/** A reader for variables that configs use; `undefined` if no variable has an ARN. */
export function secretReader(env: Environment): SecretReader | undefined {
  const known = secretVariables(env);
  if (known.length === 0) return undefined;
  return async (names) => {
    const found = known.filter(([name]) => names.has(name));
    if (found.length === 0) return ok({});
    try {
      return ok(await readAll(found, env));
    } catch (error) {
      if (error instanceof SettingError) return err(error.message.replaceAll('\n', '; '));
      throw error;
    }
  };
}

/** Rejects with a `SettingError` that names every unreadable ARN, and no value. */
async function readAll(found: readonly SecretVariable[], env: Environment): Promise<Environment> {
  const [{ ownAws }, { secretReader: readerOf }] = await Promise.all([
    import('@form-relay/clients/aws/account'),
    import('@form-relay/clients/aws/secrets'),
  ]);
  const readSecret = readerOf(ownAws((name) => env[name], Date.now));
  const values: Record<string, string> = {};
  const problems: { readonly name: string; readonly expected: string }[] = [];
  await Promise.all(
    found.map(async ([name, arn]) => {
      try {
        values[name] = await readSecret(arn);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        problems.push({ name: `${name}_ARN`, expected: error.message });
      }
    }),
  );
  if (problems.length > 0) throw new SettingError(problems);
  return values;
}
