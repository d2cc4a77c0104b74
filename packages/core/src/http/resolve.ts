import { isWithin, readAddress } from '@form-relay/base/networks';
import { decodeSegment, mountPathIn } from '@form-relay/base/url';
import type { Registry } from '../config.ts';
import type { SubmissionContext } from '../pipeline/context.ts';
import type { PublicRoute, Route } from '../plugin.ts';
import type { Settings } from '../settings.ts';
import type { Outcome } from '../submission.ts';
import { publicPathOf } from './address.ts';
import type { Allowed } from './cors.ts';
import type { RelayRequest, RequestHead } from './request.ts';
import type { Span } from './under_way.ts';

/** Where a request leads. */
export interface Endpoint {
  /** For metrics: `probe`, `submit`, `form`, `asset`, or the name of a route. */
  readonly name: string;
  readonly method: Allowed;
  /** A feature's, about a form. */
  readonly route?: Route;
  /** A plug-in's, about no form. */
  readonly publicRoute?: PublicRoute;
}

export const probe: Endpoint = { name: 'probe', method: 'GET' };
export const submitting: Endpoint = { name: 'submit', method: 'POST' };
const showing: Endpoint = { name: 'form', method: 'GET' };

/** The decision about a request before its body is read. */
export interface Admission {
  /** Why it is refused already. The runtime may set one: no memory is left for the body. */
  refusal?: Outcome | undefined;
  /** How large its body may be, in bytes. Default: `maxBodyBytes`. */
  readonly bodyLimit?: number | undefined;
  readonly endpoint?: Endpoint | undefined;
}

/** A request from its head to its answer. The head is resolved once, for admission, routes, answers, CORS and metrics. */
export class RequestContext implements Admission {
  /** As the relay sees it: without its mount path. The body follows the head. */
  request: RelayRequest;
  readonly #mountPath: string;
  /** `undefined`: the path leads nowhere. */
  endpoint: Endpoint | undefined;
  /** The form in paths that name one. Empty if the path ends before it; `undefined` if it cannot be decoded. */
  formId: string | undefined;
  #registry: Registry | undefined;
  refusal: Outcome | undefined;
  bodyLimit: number | undefined;
  requestId = '';
  /** Set when it begins. */
  span: Span | undefined;
  /** Once its form is known. */
  submission: SubmissionContext | undefined;

  constructor(head: RequestHead, mountPath: string, registry: Registry) {
    this.#mountPath = mountPath;
    this.request = this.#mounted(head as RelayRequest);
    this.resolve(registry);
  }

  /** The whole request, once its body was read. */
  complete(request: RelayRequest, uuid: () => string): void {
    this.request = this.#mounted(request);
    this.requestId = request.id ?? uuid();
  }

  /** Finds where the path leads; again only if another config was loaded since. */
  resolve(registry: Registry): void {
    if (registry === this.#registry) return;
    this.#registry = registry;
    const { path } = this.request;
    // Most requests submit a form.
    if (path.startsWith(submitPath) && !path.includes('/', submitPath.length)) {
      this.endpoint = submitting;
      this.formId = decodeSegment(path.slice(submitPath.length));
    } else {
      const [, name = '', segment = ''] = /^\/api\/v1\/([a-z-]+)(?:\/([^/]*))?$/.exec(path) ?? [];
      const named = endpointNamed(name, registry);
      this.endpoint = named ?? endpointAt(path, registry);
      this.formId = named && decodeSegment(segment);
    }
  }

  #mounted(request: RelayRequest): RelayRequest {
    const mountPath = this.#mountPath;
    if (mountPath === '') return request;
    return { ...request, path: withoutMount(request.path, mountPath), mountPath, isMountSure: true };
  }
}

const submitPath = '/api/v1/submit/';

function endpointNamed(name: string, { routes }: Registry): Endpoint | undefined {
  if (name === 'submit') return submitting;
  if (name === 'form') return showing;
  const route = routes.get(name);
  return route && { name, method: route.method, route };
}

function endpointAt(path: string, { publicRoutes }: Registry): Endpoint | undefined {
  if (path === '/healthz' || path === '/readyz') return probe;
  const publicRoute = publicRoutes.find(({ matches }) => matches(path));
  if (!publicRoute) return undefined;
  const data = /^\/api\/v1\/([a-z-]+)\b.*\.json$/.exec(path)?.[1];
  return { name: data ?? 'asset', method: 'GET', publicRoute };
}

const prefixHeader = 'x-forwarded-prefix';

/** Finds the path below which a proxy serves the relay, such as `/forms`: of PUBLIC_URL, or as a trusted proxy reports it. */
export function mountPathOf(
  { headers, senderAddress, peerAddress = '' }: RequestHead,
  settings: Settings,
): string {
  const { publicUrl, trustedProxies = [] } = settings;
  const publicPath = publicPathOf(publicUrl);
  const reported = headers[prefixHeader];
  if (publicPath !== '' || reported === undefined) return publicPath;
  const peer = readAddress(senderAddress ?? peerAddress);
  if (!peer || !trustedProxies.some((network) => isWithin(peer, network))) return '';
  // Proxies append to what they got, which may come from the client: only the last value is sure.
  return mountPathIn(reported.slice(reported.lastIndexOf(',') + 1).trim()) ?? '';
}

/** A proxy may strip the mount path or not. The mount path `/api` begins like the relay's own paths. */
function withoutMount(path: string, mountPath: string): string {
  if (!path.startsWith(`${mountPath}/`)) return path;
  const rest = path.slice(mountPath.length);
  return path.startsWith('/api/v1/') && !rest.startsWith('/api/v1/') ? path : rest;
}
