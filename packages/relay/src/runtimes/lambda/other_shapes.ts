import type { EventShape } from './event_shape.ts';
import { loadBalancer } from './load_balancer.ts';
import { restApi } from './rest_api.ts';

/** All shapes but http_api.ts, which is tried first. */
const shapes: readonly EventShape<never, unknown>[] = [restApi, loadBalancer];

/** The shape of an event. Throws an error that names the kind of another event, without its content. */
export function shapeOf(event: unknown): EventShape<never, unknown> {
  const shape = shapes.find(({ isOne }) => isOne(event));
  if (shape) return shape;
  throw refusal(whatIs(event));
}

export const ofAnotherShape = 'a request of another shape';

/** The error for an event that is no request. */
export const refusal = (what: string): Error =>
  new Error(
    `this function answers HTTP: HTTP APIs, REST APIs, function URLs and Application Load Balancers; what came is ${what}`,
  );

/** Names the event's sender, by names of AWS alone. */
function whatIs(event: unknown): string {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'no event at all';
  const { Records, requestContext, ...own } = event as Readonly<Record<string, unknown>>;
  if (Array.isArray(Records)) return ofRecords(Records[0]);
  if ('detail-type' in own) return `an event of EventBridge${forKept}`;
  const context = Object(requestContext) as object;
  if ('connectionId' in context) return 'an event of a WebSocket API';
  if ('serviceArn' in context) return 'a request of VPC Lattice';
  if ('methodArn' in own || 'routeArn' in own) return 'a question to an authorizer';
  if ('requestContext' in event) return ofAnotherShape;
  return 'an event without `requestContext`, as a direct call sends it';
}

const forKept = '; the handler `lambda.kept` takes those that deliver what is kept';

function ofRecords(first: unknown): string {
  const { eventSource, EventSource, cf } = (first ?? {}) as Readonly<Record<string, unknown>>;
  const source = /^aws:([a-z0-9]{1,20})$/.exec(String(eventSource ?? EventSource))?.[1];
  if (source === 'sqs') return `an event of SQS${forKept}`;
  if (cf) return 'a request of CloudFront (Lambda@Edge)';
  return source ? `an event of aws:${source}` : 'a list of records';
}
