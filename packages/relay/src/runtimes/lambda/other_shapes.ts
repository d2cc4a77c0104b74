import type { EventShape } from './event_shape.ts';
import { loadBalancer } from './load_balancer.ts';
import { restApi } from './rest_api.ts';

/** All shapes but http_api.ts, which is tried first. */
const shapes: readonly EventShape<never, unknown>[] = [restApi, loadBalancer];

/** The shape of an event. Throws for anything but a request. */
export function shapeOf(event: unknown): EventShape<never, unknown> {
  const shape = shapes.find(({ isOne }) => isOne(event));
  if (!shape) throw refusal();
  return shape;
}

/** The error for an event that is no request. It holds nothing of the event. */
export const refusal = (): Error =>
  new Error(
    'this function answers HTTP: HTTP APIs, REST APIs, function URLs and Application Load Balancers; the handler `lambda.kept` takes events of SQS and EventBridge',
  );
