import type { Environment } from '../settings/settings.ts';

/** A variable whose value looks like the ARN of a parameter of SSM, or of a secret of Secrets Manager (D138), typos and all. */
export type SecretVariable = readonly [name: string, arn: string];

/**
 * Those of the environment. A name that ends in `_ARN` is for somebody who wants the ARN itself. Cheap: every start asks,
 * and what reads them is loaded where there is one.
 */
export const secretVariables = (env: Environment): readonly SecretVariable[] =>
  Object.entries(env).filter(
    (entry): entry is [string, string] =>
      /^\s*arn:[^:]*:(?:ssm|secrets?-?managers?):/i.test(entry[1] ?? '') && !entry[0].endsWith('_ARN'),
  );
