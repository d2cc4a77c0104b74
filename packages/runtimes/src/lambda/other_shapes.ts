import type { Opened } from './event_shape.ts';
import type { HttpResult } from './http_api.ts';
import { type LoadBalancerResult, openLoadBalancerEvent } from './load_balancer.ts';
import { openRestEvent } from './rest_api.ts';

/** Opens events of all shapes but http_api.ts, which is tried first. Throws for anything but a request. */
export function openOther(event: unknown): Opened<HttpResult | LoadBalancerResult> {
  const opened = openRestEvent(event) ?? openLoadBalancerEvent(event);
  if (!opened) throw noRequest();
  return opened;
}

/** The error for an event that is no request. It holds nothing of the event. */
export const noRequest = (): Error =>
  new Error(
    'this function answers HTTP: HTTP APIs, REST APIs, function URLs and Application Load Balancers; the handler `lambda.kept` takes events of SQS and EventBridge',
  );
