/** The environment variables that a config reads. It loads without them, but some of its forms fail. */

import { weaknessOf } from '@form-relay/base/weak_secret';
import type { EnvUse } from '@form-relay/schema/diagnostics';
import { formatPath } from '@form-relay/yaml/problem';
import type { Config } from './config.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings.ts';

type Uses = Pick<Config, 'env'>;

/** The names of variables that a config needs and that are not set. An empty value counts as unset. */
export const unsetIn = (config: Uses, { env }: Pick<Services, 'env'>): readonly string[] => [
  ...new Set(neededIn(config).flatMap(({ name }) => (env(name) ? [] : name))),
];

export const neededIn = ({ env }: Uses): readonly EnvUse[] => env.filter(({ isNeeded }) => isNeeded);

/** How many places are logged: a config may have thousands of forms. */
const mostPlaces = 20;

/** Logs missing variables and guessable secrets of a config that was loaded. */
export function checkEnvironment(
  config: Uses,
  { formTokenSecret }: Pick<Settings, 'formTokenSecret'>,
  { env, log }: Pick<Services, 'env' | 'log'>,
): void {
  const unset = neededIn(config).filter(({ name }) => !env(name));
  if (unset.length > 0) {
    const places = [...new Set(unset.map(({ name, path }) => `${formatPath(path)} needs ${name}`))];
    const more = places.length - mostPlaces;
    log('warn', 'variables_missing', {
      variables: unsetIn(config, { env }),
      places: places.slice(0, mostPlaces),
      ...(more > 0 && { more }),
    });
  }
  const isUsed = neededIn(config).some(({ name }) => name === 'FORM_TOKEN_SECRET');
  const weakness = isUsed && formTokenSecret !== '' ? weaknessOf(formTokenSecret) : undefined;
  if (weakness) log('warn', 'weak_token_secret', { reason: `FORM_TOKEN_SECRET ${weakness}` });
}
