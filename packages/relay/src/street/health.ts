import type { RelayRequest, RelayResponse } from '../base/http.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Variables } from '../config/needed_variables.ts';
import { methodsFor, preflight } from '../pages/cors.ts';
import { jsonAnswer } from '../pages/problem_answer.ts';
import type { Stores } from './stores.ts';

export interface Readiness {
  readonly config: ConfigCache;
  /** Missing environment variables. */
  readonly variables: Variables;
  /** Whether the config's folders and its counts can be used; `undefined` while no config has had any. */
  readonly stores?: (() => Promise<Stores> | undefined) | undefined;
  /** Describes kept deliveries, as far as known; `undefined` if there are none. Never slow. */
  readonly waiting?: (() => string | undefined) | undefined;
}

/** The answer to orchestrators and load balancers: whether the process runs, and whether it can be used. */
export async function health({ method, path }: RelayRequest, readiness: Readiness): Promise<RelayResponse> {
  if (method === 'OPTIONS') return preflight('GET');
  if (method !== 'GET' && method !== 'HEAD') {
    const answer = jsonAnswer(405, { error: 'use GET' });
    return { ...answer, headers: { ...answer.headers, allow: methodsFor('GET') } };
  }
  return path === '/healthz' ? jsonAnswer(200, { message: 'ok' }) : ready(readiness);
}

/** 200 from the first config on that lacks no variable and no folder, since the last good one keeps serving. */
async function ready({ config, variables, stores, waiting }: Readiness): Promise<RelayResponse> {
  if (!(await config.get())) {
    return jsonAnswer(503, { error: 'no config was loaded yet; the log says why' });
  }
  const unset = `the config needs variables that are not set: ${variables.missing.join(', ')}`;
  if (!variables.isReady) return jsonAnswer(503, { error: unset });
  const known = await stores?.();
  const unusable = await known?.problem();
  if (known && unusable && !known.isReady) return jsonAnswer(503, { error: unusable });
  const isStale = config.state === 'refresh_failed';
  const says = [
    isStale && 'serving the last good config: the latest could not be loaded; the log says why',
    !isStale && variables.missing.length > 0 && unset,
    unusable,
    waiting?.(),
  ].filter(Boolean);
  return jsonAnswer(200, { message: says.join('; ') || 'ok' });
}
