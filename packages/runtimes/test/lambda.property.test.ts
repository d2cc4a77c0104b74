/** Passes any request through AWS's event formats into Lambda's handler and back. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { functionUrlEvent, loadBalancerEvent, restApiEvent } from '../../../test/support/lambda_events.ts';
import type { RelayRequest, RelayResponse } from '../../core/src/http/request.ts';
import { lambdaHandler } from '../src/lambda/handler.ts';

let seen: RelayRequest | undefined;
const answer: RelayResponse = { status: 422, headers: { 'x-a': 'b' }, body: 'ü' };
const handler = lambdaHandler({
  handle: async (request) => {
    seen = request;
    return answer;
  },
  flush: async () => {},
});
const context = { getRemainingTimeInMillis: () => 20_000 } as Parameters<typeof handler>[1];

const segment = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ0-_.~'), minLength: 1, maxLength: 6 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }).map(encodeURIComponent),
);
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('submit', 'form', 'token'), segment)
    .map(([route, id]) => `/api/v1/${route}/${id}`),
  fc.constantFrom('/healthz', '/readyz'),
);
const header = fc.tuple(
  fc.constantFrom('accept', 'hx-request', 'origin', 'host', 'content-type', 'x-y'),
  fc.oneof(
    fc.constantFrom('application/x-www-form-urlencoded', 'text/plain; charset=utf-8', 'text/html'),
    fc.string({ maxLength: 8 }),
  ),
);
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT'),
  path,
  query: fc.webQueryParameters(),
  headers: fc.array(header, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
  ),
});

/** A REST API decodes the query; APIs and load balancers group parameters by name. Only the first `?` begins a query. */
const sorted = (query: string) =>
  [...new URLSearchParams(`?${query}`)].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));

test.each([
  ['a function URL', functionUrlEvent],
  ['a REST API', restApiEvent],
  ['a load balancer', (sent: Parameters<typeof restApiEvent>[0]) => loadBalancerEvent(sent, true)],
])('a request through %s arrives as it was sent, wherever it is mounted', async (_, eventOf) => {
  const prefix = fc
    .array(
      segment.filter((one) => !/^(api|f|healthz|readyz)$/.test(one)),
      { maxLength: 2 },
    )
    .map((parts) => parts.map((part) => `/${part}`).join(''));
  await holds(100, [request, prefix], async ({ method, path, query, headers, body }, prefix) => {
    // Lambda passes text as text, so other bytes arrive only as base64.
    const isText = /^text\//.test(headers['content-type'] ?? '');
    const sent = isText ? Buffer.from(Buffer.from(body).toString('utf8')) : Buffer.from(body);
    const target = `${prefix}${path}${query === '' ? '' : `?${query}`}`;
    const result = await handler(eventOf({ method, target, headers, body: sent }), context);
    expect(result).toMatchObject({ statusCode: answer.status, headers: answer.headers, body: answer.body });
    expect(seen).toMatchObject({
      method,
      path,
      mountPath: prefix,
      timeLeftMs: 20_000,
      senderAddress: '192.0.2.1',
    });
    expect(sorted(seen?.query ?? '')).toEqual(sorted(query));
    if (eventOf === functionUrlEvent) expect(seen?.query).toBe(query);
    expect(Buffer.compare(seen?.body ?? Buffer.from('none'), sent)).toBe(0);
    expect(seen?.headers).toMatchObject(headers);
  });
});
