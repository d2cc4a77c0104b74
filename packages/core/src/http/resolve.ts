import { stackOf } from '@form-relay/base/client_error';
import { isWithin, readAddress } from '@form-relay/base/networks';
import type { Span } from '@form-relay/base/under_way';
import { decodeSegment, mountPathIn, withoutMount } from '@form-relay/base/url';
import type { Registry } from '../config.ts';
import { parserFor, urlencoded } from '../pipeline/compose.ts';
import type { SubmissionContext } from '../pipeline/context.ts';
import type { PublicRoute, Route } from '../plugin.ts';
import type { Settings } from '../settings.ts';
import { type Outcome, refused } from '../submission.ts';
import type { App } from './app.ts';
import type { Allowed } from './finish.ts';
import { maxBodyBytes, type RelayRequest, type RequestHead } from './request.ts';

/** The target of a request. */
export interface Endpoint {
  /** For metrics: `probe`, `submit`, `form`, `asset`, or the name of a route. */
  readonly name: string;
  readonly method: Allowed;
  /** A feature's route, which concerns a form. */
  readonly route?: Route;
  /** A plug-in's route that concerns no form. */
  readonly publicRoute?: PublicRoute;
}

export const probe: Endpoint = { name: 'probe', method: 'GET' };
export const submitting: Endpoint = { name: 'submit', method: 'POST' };
const showing: Endpoint = { name: 'form', method: 'GET' };

/** The decision about a request before its body is read. */
export interface Admission {
  /** Why the request is already refused. The runtime may set it if no memory is left for the body. */
  refusal?: Outcome | undefined;
  /** The size limit of its body, in bytes. Default: `maxBodyBytes`. */
  readonly bodyLimit?: number | undefined;
  readonly endpoint?: Endpoint | undefined;
}

/** A request from its head to its response. The head is resolved once, for admission, routes, responses, CORS and metrics. */
export class RequestContext implements Admission {
  /** The request without its mount path. The body follows the head. */
  request: RelayRequest;
  readonly #mountPath: string;
  /** `undefined` if the path has no target. */
  endpoint: Endpoint | undefined;
  /** The form in paths that name one. Empty if the path has none; `undefined` if it cannot be decoded. */
  formId: string | undefined;
  registry: Registry | undefined;
  refusal: Outcome | undefined;
  bodyLimit: number | undefined;
  requestId = '';
  /** Set when the span begins. */
  span: Span | undefined;
  /** Set once the form is known. */
  submission: SubmissionContext | undefined;

  constructor(head: RequestHead, mountPath: string, registry: Registry) {
    this.#mountPath = mountPath;
    this.request = head as RelayRequest;
    if (mountPath !== '') this.request = mounted(this.request, mountPath);
    this.resolve(registry);
  }

  /** The whole request, after its body was read. */
  complete(request: RelayRequest, uuid: () => string): void {
    this.request = this.#mountPath === '' ? request : mounted(request, this.#mountPath);
    this.requestId = request.id ?? uuid();
  }

  /** Resolves the path; repeats that only if another config was loaded in the meantime. */
  resolve(registry: Registry): void {
    if (registry === this.registry) return;
    this.registry = registry;
    const { path } = this.request;
    // Most requests submit a form.
    if (path.startsWith(submitPath) && !path.includes('/', submitPath.length)) {
      const segment = path.slice(submitPath.length);
      this.endpoint = submitting;
      this.formId = segment.includes('%') ? decodeSegment(segment) : segment;
    } else {
      const [, place = '', segment = '', id] = (registry.paths ?? ownPaths).exec(path) ?? [];
      const isPage = place === 'f' && !id;
      const named = isPage ? showing : endpointNamed(place.slice('api/v1/'.length), registry, id);
      this.endpoint = named ?? endpointAt(path, registry);
      this.formId = named && decodeSegment(segment);
    }
  }
}

export const submitPath = '/api/v1/submit/';
const ownPaths = /^\/(f|api\/v1\/[a-z-]+)(?:\/([^/]*)(\/[\w.-]+)?)?$/;

function endpointNamed(name: string, { routes }: Registry, id?: string): Endpoint | undefined {
  if (name === 'submit' && !id) return submitting;
  if (name === 'form' && !id) return showing;
  const route = routes.get(name);
  return route && (!id || route.takesId) ? { name, method: route.method, route } : undefined;
}

function endpointAt(path: string, { publicRoutes }: Registry): Endpoint | undefined {
  if (path === '/healthz' || path === '/readyz') return probe;
  const publicRoute = publicRoutes.find(({ matches }) => matches(path));
  const data = /^\/api\/v1\/([a-z-]+)\b.*\.json$/.exec(path)?.[1];
  return publicRoute && { name: data ?? 'asset', method: 'GET', publicRoute };
}

const prefixHeader = 'x-forwarded-prefix';

/** The path below which a trusted proxy reports that it serves the relay, such as `/forms`. */
function reportedMountPath(
  reported: string,
  { senderAddress, peerAddress = '' }: RequestHead,
  { trustedProxies = [] }: Settings,
): string {
  const peer = readAddress(senderAddress ?? peerAddress);
  if (!peer || !trustedProxies.some((network) => isWithin(peer, network))) return '';
  // Proxies append to the header, whose earlier values may come from the client: only the last value is reliable.
  return mountPathIn(reported.slice(reported.lastIndexOf(',') + 1).trim()) ?? '';
}

/** A request without its mount path. */
const mounted = (request: RelayRequest, mountPath: string): RelayRequest => ({
  ...request,
  path: withoutMount(request.path, mountPath),
  mountPath,
  isMountSure: true,
});

/** The limit of a body that may have files, before the first config is loaded. */
const defaultUploadBytes = 10 * 1_048_576;

const later = (status: number, code: string, seconds: number): Outcome => ({
  ...refused(status, code),
  headers: { 'retry-after': String(seconds) },
});

/** At the limits of the process: some deliveries will have ended when the client retries. */
export const overloaded = later(503, 'overloaded', 5);
/** No memory is left for a body with files. */
export const uploadsBusy = later(503, 'uploads_busy', 10);

/** Resolves a request before its body is read: its target, whether the throttle accepts it, and its body limit. */
export function admit(app: App, head: RequestHead): RequestContext {
  const { [prefixHeader]: reported, 'content-type': type } = head.headers;
  const isReported = app.publicPath === '' && reported !== undefined;
  const mountPath = isReported ? reportedMountPath(reported, head, app.settings) : app.publicPath;
  const context = new RequestContext(head, mountPath, app.registry());
  const waitSeconds = isFree(app, context) ? undefined : app.throttle(context.formId);
  if (waitSeconds !== undefined) context.refusal = later(429, 'throttled', waitSeconds);
  if (context.endpoint === submitting && type !== undefined && type !== urlencoded.mediaType)
    context.bodyLimit = bodyLimitOf(app, context, type);
  return context;
}

/** Health checks, preflights, cacheable assets, and submissions with their own limit are not throttled. */
function isFree(app: App, { endpoint, formId = '', request }: RequestContext): boolean {
  if (!endpoint) return false;
  if (endpoint === probe || request.method === 'OPTIONS' || endpoint.publicRoute?.isFree) return true;
  if (endpoint !== submitting || request.method !== 'POST') return false;
  const skipping = app.config.current?.forms.get(formId)?.skipsThrottle ?? [];
  return skipping.some((skips) => {
    try {
      return skips(request, app.pluginContext);
    } catch (error) {
      app.services.log('error', 'internal_error', { stack: stackOf(error) });
      return false;
    }
  });
}

/** The form's limit for a body of this type; `undefined` for the usual one. */
function bodyLimitOf(
  { config, settings }: App,
  { formId = '' }: RequestContext,
  type: string,
): number | undefined {
  if (!config.current) return Math.min(defaultUploadBytes, settings.uploadBudget);
  const form = config.current.forms.get(formId);
  const maxBytes = form && parserFor(type, form.bodies)?.maxBytes;
  return maxBytes === undefined || maxBytes <= maxBodyBytes
    ? undefined
    : Math.min(maxBytes, settings.uploadBudget);
}
