import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import type { MergedConfig } from '@form-relay/client-configs/members';
import type { Config, ConfigCache } from '@form-relay/core/config';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import { methodsFor, preflight } from '@form-relay/core/http/finish';
import type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';
import type { Readiness } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import { neededIn, unsetIn, weaknessOf } from '@form-relay/schema/variables';
import { formatPath } from '@form-relay/yaml/problem';

/**
 * Reports whether the process runs, and whether it is ready. After the first config that lacked no variable,
 * the process stays ready, because it keeps serving the last good config.
 */
export function createHealth(
  config: ConfigCache,
  services: Services,
  readiness: () => MaybePromise<readonly Readiness[]>,
): (request: RelayRequest) => MaybePromise<RelayResponse> {
  let hadVariables = false;
  let hadPlugins = false;

  const ready = (loaded: Config | undefined): MaybePromise<RelayResponse> => {
    if (!loaded) return jsonAnswer(503, { error: 'no config is loaded yet; see the log' });
    // A variable that one client lacks must not make the others unready.
    const { operator = loaded } = (loaded as Partial<MergedConfig>).clients ?? {};
    const missing = unsetIn(operator, services);
    const unset = `the config needs variables that are not set: ${missing.join(', ')}`;
    hadVariables ||= missing.length === 0;
    if (!hadVariables) return jsonAnswer(503, { error: unset });
    const isStale = config.state === 'refresh_failed';
    return chain(readiness(), (all) => {
      const unready = all.find(({ isUnready }) => isUnready);
      hadPlugins ||= !unready;
      if (unready && !hadPlugins) return jsonAnswer(503, { error: unready.says });
      const says = [
        isStale && 'serving the last good config: the latest could not be loaded; see the log',
        !isStale && missing.length > 0 && unset,
        ...all.map((one) => one.says),
      ].filter(Boolean);
      return jsonAnswer(200, { message: says.join('; ') || 'ok' });
    });
  };

  return ({ method, path }) => {
    if (method === 'OPTIONS') return preflight('GET');
    if (method !== 'GET' && method !== 'HEAD') {
      const answer = jsonAnswer(405, { error: 'use GET' });
      return { ...answer, headers: { ...answer.headers, allow: methodsFor('GET') } };
    }
    return path === '/healthz' ? jsonAnswer(200, { message: 'ok' }) : chain(config.get(), ready);
  };
}

/** How many places are logged, because a config may have thousands of forms. */
const mostPlaces = 20;

/** Logs missing variables and guessable secrets when a config has loaded. */
export function checkEnvironment(
  config: Pick<Config, 'env'>,
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
