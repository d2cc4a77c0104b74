import { readClient } from '../base/client.ts';
import type { Effects } from '../base/effects.ts';
import { defaultUploadBytes, maxBodyBytes, type RequestHead } from '../base/http.ts';
import { clientNetwork } from '../base/networks.ts';
import type { ConfigCache } from '../config/cache.ts';
import { featureRoutes } from '../features/index.ts';
import { createRates } from '../memory/rates.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { fromServer } from './from_server.ts';
import { routeOf } from './route.ts';

/** The decision about a request before its body is read. An admitted request is answered after its body. */
export type Admission = (
  | { readonly kind: 'admitted' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'no_room'; readonly forFiles?: true }
  /** Beyond the limit of an address whose senders read no answer. */
  | { readonly kind: 'dropped' }
) & {
  /** How large its body may be, in bytes. Default: `maxBodyBytes`. */
  readonly bodyLimit?: number;
};

const admitted: Admission = { kind: 'admitted' };

/** The answer of a runtime without memory for the body. */
export const noRoom: Admission = { kind: 'no_room' };

/** The same where only bodies with files have none. */
export const noRoomForFiles: Admission = { kind: 'no_room', forFiles: true };

export type Admit = (head: RequestHead) => Admission;

/** Asks the throttle, if the relay has one, about all but probes, preflights and what pages load beside forms. */
export function createAdmission(
  settings: Settings,
  { now, env }: Effects,
  config: ConfigCache,
  isThrottled: boolean,
): Admit {
  const withLimit = (admission: Admission, head: RequestHead, own: Own | undefined): Admission => {
    if (isMultipart(head)) return { ...admission, bodyLimit: bodyLimitOf(head, config, settings) };
    return own?.bodyLimit === undefined ? admission : { ...admission, bodyLimit: own.bodyLimit };
  };
  const throttle = isThrottled
    ? createThrottle(settings.throttleRate, settings.throttleBurst, now)
    : undefined;
  const ownThrottles = new Map(
    ownLimits.flatMap(({ prefix, limit }) =>
      limit ? [[prefix, createThrottle(limit.perSecond, limit.atOnce, now)] as const] : [],
    ),
  );
  const rates = createRates(now);
  /** Seconds until a client's next try; `undefined` if it may go on, or is unknown. */
  const waitOfClient = ({ prefix, limit }: Own, head: RequestHead): number | undefined => {
    if (!limit?.perClient) return undefined;
    const client = readClient(head, settings);
    if (!('address' in client)) return undefined;
    const taken = rates.take(prefix + clientNetwork(client.address), limit.perClient);
    return 'waitMs' in taken ? Math.max(1, Math.ceil(taken.waitMs / 1_000)) : undefined;
  };
  return (head) => {
    if (isProbe(head) || isPreflight(head) || isAsset(head)) return admitted;
    const own = ownLimitsOf(head);
    // Servers have a limit of their own (`keys_limit`), and visitors must not use it up.
    if (hasKey(head, config, env)) return withLimit(admitted, head, own);
    const waitSeconds =
      (own && waitOfClient(own, head)) ?? ((own && ownThrottles.get(own.prefix)) ?? throttle)?.();
    if (waitSeconds !== undefined && own?.limit?.dropsMore) return dropped;
    return withLimit(throttled(waitSeconds), head, own);
  };
}

/** Whether it comes with a right key of its form. */
function hasKey(head: RequestHead, { current }: ConfigCache, env: Effects['env']): boolean {
  if (head.headers.authorization === undefined || head.method !== 'POST') return false;
  const route = routeOf(head.path);
  if (route?.name !== 'submit') return false;
  const sent = fromServer(current?.forms.get(route.formId ?? ''), head);
  return sent?.servers.knows(sent.key, env) ?? false;
}

const throttled = (retryAfterSeconds: number | undefined): Admission =>
  retryAfterSeconds === undefined ? admitted : { kind: 'throttled', retryAfterSeconds };

/** Addresses of features that take other bodies, or more or fewer requests. */
const ownLimits = featureRoutes.flatMap(({ name, bodyLimit, limit }) =>
  bodyLimit === undefined && !limit ? [] : [{ prefix: `/api/v1/${name}/`, bodyLimit, limit }],
);

type Own = (typeof ownLimits)[number];

/** Allocates nothing: it is asked for each submission. */
function ownLimitsOf({ path }: RequestHead): Own | undefined {
  for (const own of ownLimits) if (path.startsWith(own.prefix)) return own;
  return undefined;
}

/** The throttle's log has nothing to say about it. */
const dropped: Admission = { kind: 'dropped' };

const isMultipart = ({ headers }: RequestHead) => multipart.test(headers['content-type'] ?? '');

const multipart = /^multipart\/form-data/i;

/** The body limit of the form at this address, or the largest of all while the config is unknown. */
function bodyLimitOf(
  { path }: RequestHead,
  { current }: ConfigCache,
  { uploadBudget }: Pick<Settings, 'uploadBudget'>,
): number {
  const route = routeOf(path);
  if (route?.name !== 'submit' && route?.name !== 'check') return maxBodyBytes;
  if (!current) return Math.min(defaultUploadBytes, uploadBudget);
  return current.forms.get(route.formId ?? '')?.bodyLimit ?? maxBodyBytes;
}

export const isProbe = ({ path }: RequestHead): boolean => path === '/healthz' || path === '/readyz';

/** It passes, since a script cannot read why a preflight failed; of the request that follows it can read the 429. */
const isPreflight = ({ method, path }: RequestHead) => method === 'OPTIONS' && routeOf(path) !== undefined;

/** It comes from memory, and caches keep it; one that failed would leave a page's forms without style or script. */
const isAsset = ({ path }: RequestHead) => assetPrefix.test(path) && routeOf(path)?.name === 'asset';

const assetPrefix = /^\/api\/v1\/(form|files)\./;

/**
 * A token bucket for the whole HTTP API (SPEC: Limits): `burst` requests at once, then `rate` a second. It is
 * this process's own; several copies of the relay have a bucket each. Returns `undefined` when the request may pass;
 * otherwise how many seconds to wait before the next try.
 */
function createThrottle(rate: number, burst: number, now: () => number): () => number | undefined {
  // In thousandths of a request: milliseconds times requests a second, which add up without rounding.
  const full = burst * 1000;
  let left = full;
  let filledAt = now();
  return () => {
    const at = now();
    // A clock that was set back must not stop the refill.
    left = Math.min(full, left + Math.max(0, at - filledAt) * rate);
    filledAt = at;
    if (left >= 1000) {
      left -= 1000;
      return undefined;
    }
    return Math.ceil((1000 - left) / rate / 1000);
  };
}
