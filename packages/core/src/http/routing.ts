import { decodeSegment } from '../base/url.ts';
import type { Registry } from '../config/registry.ts';
import type { PublicRoute, Route } from '../plugin.ts';
import type { Allowed } from './cors.ts';
import type { RequestHead } from './request.ts';

/** What the path of a request leads to. */
export interface Target {
  /** The methods that it answers. */
  readonly method: Allowed;
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form. */
  readonly formId?: string | undefined;
  /** A feature's. Absent: the core answers. */
  readonly route?: Route;
  /** About no form. */
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
  return publicRoute && { method: publicRoute.method ?? 'GET', publicRoute };
}
