/** The same request gets the same answer on every runtime. Workers have their own test, cloudflare.test.ts. */

import { ours, type Sent } from '../../../test/support/adapter_cases.ts';
import {
  apiGatewayEvent,
  functionUrlEvent,
  loadBalancerEvent,
  restApiEvent,
} from '../../../test/support/lambda_events.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { lambdaHandler } from '../src/lambda/handler.ts';
import { adapterSuite, relayOf, type StartRuntime, startNode, streamOf } from './adapter_suite.ts';

const startFetch: StartRuntime = async (parts) => {
  const relay = relayOf(parts);
  return {
    send: async (sent) => {
      const { method, target, headers } = sent;
      const init = { method, headers, ...streamOf(sent) };
      const answer = await relay.fetch(new Request(`http://relay.test${target}`, init));
      return { status: answer.status, headers: ours(answer.headers), body: await answer.text() };
    },
    close: relay.close,
  };
};

const lambda =
  (toEvent: (sent: Sent) => object): StartRuntime =>
  async (parts) => {
    const http = createHttpClient();
    const relay = relayOf({ ...parts, options: { throttled: false }, effects: { ...parts.effects, http } });
    const handler = lambdaHandler(relay);
    return {
      send: async (sent) => {
        const answer = await handler(toEvent(sent), { getRemainingTimeInMillis: () => 25_000 });
        const headers = Object.entries(answer.multiValueHeaders ?? answer.headers);
        return {
          status: answer.statusCode,
          headers: ours(new Headers(headers.map(([name, value]) => [name, String(value)]))),
          body: answer.body,
        };
      },
      close: relay.close,
    };
  };

adapterSuite('node:http', startNode);
adapterSuite('a fetch handler', startFetch);
adapterSuite('Lambda behind an HTTP API', lambda(apiGatewayEvent));
adapterSuite(
  'Lambda in a stage of an HTTP API',
  lambda((sent) => apiGatewayEvent(sent, 'production')),
);
adapterSuite('Lambda at a function URL', lambda(functionUrlEvent));
// A REST API decodes queries.
adapterSuite('Lambda behind a REST API', lambda(restApiEvent), ['a query that is malformed']);
adapterSuite(
  'Lambda behind a load balancer',
  lambda((sent) => loadBalancerEvent(sent, true)),
);
