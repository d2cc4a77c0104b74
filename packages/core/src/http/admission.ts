/** Decides about a request before its body is read: where its path leads, and whether it may pass. */
import { stackOf } from '@form-relay/base/client_error';
import { decodeSegment } from '@form-relay/base/url';
import type { ConfigCache, Registry } from '../config.ts';
import type { Form } from '../form.ts';
import { parserFor, urlencoded } from '../pipeline/compose.ts';
import type { PluginContext, PublicRoute, Route } from '../plugin.ts';
import type { Settings } from '../settings.ts';
import type { Allowed } from './cors.ts';
import { maxBodyBytes, type RequestHead } from './request.ts';

/** The decision about a request before its body is read. An admitted request is answered after its body. */
export type Admission = (
  | { readonly kind: 'admitted' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  /** The runtime has no memory for the body. `forFiles`: only bodies with files have none. */
  | { readonly kind: 'no_room'; readonly forFiles?: true }
) & {
  /** How large its body may be, in bytes. Default: `maxBodyBytes`. */
  readonly bodyLimit?: number;
};

export type Admit = (head: RequestHead) => Admission;

/** The answers of a runtime without memory for a body. */
export const noRoom: Admission = { kind: 'no_room' };
export const noRoomForFiles: Admission = { kind: 'no_room', forFiles: true };

const admitted: Admission = { kind: 'admitted' };

/** The limit of a body that may have files, before the first config is loaded. */
const defaultUploadBytes = 10 * 1_048_576;

/** Asks the throttle, if the relay has one, about all but probes, preflights and what caches keep. */
export function createAdmission(
  context: PluginContext,
  config: ConfigCache,
  registry: () => Registry,
  isThrottled: boolean,
): Admit {
  const { settings, services } = context;
  const throttle = isThrottled
    ? createThrottle(settings.throttleRate, settings.throttleBurst, services.now)
    : () => undefined;
  const allows = (head: RequestHead) => (skips: Form['skipsThrottle'][number]) => {
    try {
      return skips(head, context);
    } catch (error) {
      services.log('error', 'internal_error', { stack: stackOf(error) });
      return false;
    }
  };
  return (head) => {
    const { path, method } = head;
    if (isProbe(head)) return admitted;
    if (path.startsWith(submitPath) && method !== 'OPTIONS') {
      const isFree = method === 'POST' && formAt(path, config.current)?.skipsThrottle.some(allows(head));
      return decision(isFree ? undefined : throttle(), bodyLimitOf(head, config, settings));
    }
    const target = targetOf(path, registry());
    if (target?.publicRoute?.isFree || (target && method === 'OPTIONS')) return admitted;
    return decision(throttle());
  };
}

function decision(retryAfterSeconds: number | undefined, bodyLimit?: number): Admission {
  if (retryAfterSeconds === undefined)
    return bodyLimit === undefined ? admitted : { kind: 'admitted', bodyLimit };
  return { kind: 'throttled', retryAfterSeconds, ...(bodyLimit !== undefined && { bodyLimit }) };
}

const formAt = (path: string, current: ConfigCache['current']) =>
  current?.forms.get(decodeSegment(path.slice(submitPath.length)) ?? '');

/** The limit of the form at this address for a body of this type; `undefined` for the usual one. */
function bodyLimitOf(
  { path, headers }: RequestHead,
  { current }: ConfigCache,
  { uploadBudget }: Settings,
): number | undefined {
  const type = headers['content-type'];
  if (type === undefined || type === urlencoded.mediaType) return undefined;
  if (!current) return Math.min(defaultUploadBytes, uploadBudget);
  const form = formAt(path, current);
  const maxBytes = form && parserFor(type, form.bodies)?.maxBytes;
  return maxBytes === undefined || maxBytes <= maxBodyBytes ? undefined : Math.min(maxBytes, uploadBudget);
}

/** A token bucket (SPEC: Limits) for each process. Returns how many seconds to wait; `undefined`: the request may pass. */
export function createThrottle(rate: number, burst: number, now: () => number): () => number | undefined {
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

export interface Target {
  readonly method: Allowed;
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form. */
  readonly formId?: string | undefined;
  /** A feature's. Absent: the core answers. */
  readonly route?: Route;
  readonly publicRoute?: PublicRoute;
}

export const submitPath = '/api/v1/submit/';

/** The name of the form that the path submits to; `undefined` for other paths and for names with escapes. */
export const plainForm = (path: string): string | undefined =>
  path.startsWith(submitPath) && !path.includes('/', submitPath.length) && !path.includes('%')
    ? path.slice(submitPath.length)
    : undefined;

export const isProbe = ({ path }: RequestHead): boolean => path === '/healthz' || path === '/readyz';

/** `undefined` when the path leads nowhere. */
export function targetOf(
  path: string,
  { routes, publicRoutes }: Pick<Registry, 'routes' | 'publicRoutes'>,
): Target | undefined {
  const [, name = '', segment = ''] = /^\/api\/v1\/([a-z-]+)(?:\/([^/]*))?$/.exec(path) ?? [];
  const route = routes.get(name);
  const method = name === 'submit' ? 'POST' : name === 'form' ? 'GET' : route?.method;
  if (method) return { method, formId: decodeSegment(segment), ...(route && { route }) };
  const publicRoute = publicRoutes.find(({ matches }) => matches(path));
  return publicRoute && { method: 'GET', publicRoute };
}
