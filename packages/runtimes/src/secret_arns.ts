/** ARNs where secrets should be: the relay fetches none from AWS. */
import { type Environment, SettingError, settle } from '@form-relay/core/settings';
import { ownSecret, readVariables, type SettingProblem, variable } from '@form-relay/schema/variables';

const ownSecretNames = ['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'RECEIPT_SECRET'];

/** Throws a `SettingError` if one of the relay's own secrets is an ARN, which stands in logs and can be guessed. */
export function refuseArns(env: Environment): void {
  const own = ownSecretNames.map((name) => [name, variable(name, '', ownSecret)]);
  const read = readVariables(Object.fromEntries(own), env);
  if (read.ok) return;
  const others = settle(env).settingProblems.filter(({ name }) => !ownSecretNames.includes(name));
  throw new SettingError([...read.error, ...others]);
}

/** Throws a `SettingError` that names every variable of `removedArns`. */
export function refuseRemovedArns(env: Environment): void {
  const problems = removedArns(env);
  if (problems.length > 0) throw new SettingError(problems);
}

/**
 * The variables `<name>_ARN` by which functions and commands of 0.1.0 fetched a secret where `<name>` is not set. Without
 * `KEEP_SECRET`, deliveries would be stored unencrypted.
 */
export const removedArns = (env: Environment): readonly SettingProblem[] =>
  Object.entries(env).flatMap(([key, value]) => {
    const name = key.endsWith('_ARN') ? key.slice(0, -'_ARN'.length) : '';
    const wasRead = value && (ownSecretNames.includes(name) || looksLikeSecretArn(value));
    return name !== '' && !env[name] && wasRead
      ? [
          {
            name: key,
            expected: `removed in 0.2.0, because deployments can set ${name} from the secret; unset it, and have SAM, CDK, Terraform or SECRETS_DIR set ${name} (docs/deploy/aws.md)`,
          },
        ]
      : [];
  });

/** Whether a value was meant as the ARN of an SSM parameter or a secret in Secrets Manager, despite typos. */
const looksLikeSecretArn = (value: string): boolean =>
  /^\s*arn:[^:]*:(?:ssm|secrets?-?managers?):/i.test(value);
