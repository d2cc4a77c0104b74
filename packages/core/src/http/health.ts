import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import type { Config, ConfigCache } from '../config.ts';
import { unsetIn } from '../environment.ts';
import { jsonAnswer } from '../html/fragments.ts';
import type { Readiness } from '../plugin.ts';
import type { Services } from '../services.ts';
import { methodsFor, preflight } from './cors.ts';
import type { RelayRequest, RelayResponse } from './request.ts';

/**
 * Answers whether the process runs, and whether it can be used. It stays ready after the first config that lacked no variable, since
 * the last good one keeps serving.
 */
export function createHealth(
  config: ConfigCache,
  services: Services,
  readiness: () => MaybePromise<readonly Readiness[]>,
): (request: RelayRequest) => MaybePromise<RelayResponse> {
  let hadVariables = false;
  let hadPlugins = false;

  const ready = (loaded: Config | undefined): MaybePromise<RelayResponse> => {
    if (!loaded) return jsonAnswer(503, { error: 'no config was loaded yet; the log says why' });
    const missing = unsetIn(loaded, services);
    const unset = `the config needs variables that are not set: ${missing.join(', ')}`;
    hadVariables ||= missing.length === 0;
    if (!hadVariables) return jsonAnswer(503, { error: unset });
    const isStale = config.state === 'refresh_failed';
    return chain(readiness(), (all) => {
      const unready = all.find(({ isUnready }) => isUnready);
      hadPlugins ||= !unready;
      if (unready && !hadPlugins) return jsonAnswer(503, { error: unready.says });
      const says = [
        isStale && 'serving the last good config: the latest could not be loaded; the log says why',
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
