import { stackOf } from '@form-relay/base/client_error';
import { parserFor, urlencoded } from '../pipeline/compose.ts';
import { type Outcome, refused } from '../submission.ts';
import type { App } from './app.ts';
import { maxBodyBytes, type RequestHead } from './request.ts';
import { mountPathOf, probe, RequestContext, submitting } from './resolve.ts';

/** The limit of a body that may have files, before the first config is loaded. */
const defaultUploadBytes = 10 * 1_048_576;

const later = (status: number, code: string, seconds: number): Outcome => ({
  ...refused(status, code),
  headers: { 'retry-after': String(seconds) },
});

/** At the limits of the process: some deliveries will have ended by then. */
export const overloaded = later(503, 'overloaded', 5);
/** No memory is left for a body with files. */
export const uploadsBusy = later(503, 'uploads_busy', 10);

/** Decides about a request before its body is read: whether the throttle lets it pass, and how large its body may be. */
export function admit(app: App, head: RequestHead): RequestContext {
  const context = new RequestContext(head, mountPathOf(head, app.settings), app.registry());
  const waitSeconds = isFree(app, context) ? undefined : app.throttle();
  if (waitSeconds !== undefined) context.refusal = later(429, 'throttled', waitSeconds);
  if (context.endpoint === submitting) context.bodyLimit = bodyLimitOf(app, context);
  return context;
}

/** Neither probes nor preflights are throttled, nor what caches keep, nor submissions with a limit of their own. */
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

/** The limit of the form for a body of this type; `undefined` for the usual one. */
function bodyLimitOf(
  { config, settings }: App,
  { formId = '', request }: RequestContext,
): number | undefined {
  const type = request.headers['content-type'];
  if (type === undefined || type === urlencoded.mediaType) return undefined;
  if (!config.current) return Math.min(defaultUploadBytes, settings.uploadBudget);
  const form = config.current.forms.get(formId);
  const maxBytes = form && parserFor(type, form.bodies)?.maxBytes;
  return maxBytes === undefined || maxBytes <= maxBodyBytes
    ? undefined
    : Math.min(maxBytes, settings.uploadBudget);
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
