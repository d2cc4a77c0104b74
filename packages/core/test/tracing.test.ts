import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { configOf, httpSink, relayWith } from '../../../test/support/index.ts';
import { traceOf } from '../../base/src/trace_context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

const traceparents = (requests: readonly { readonly headers: Readonly<Record<string, unknown>> }[]) =>
  requests.map(({ headers }) => String(headers.traceparent));

describe('the trace of a request', () => {
  test('continues in the requests of outputs, each with its own span id, and in each log line', async () => {
    const [one, two] = [await httpSink(), await httpSink()];
    const outputs = [one, two].map(({ origin }) => `{type: http_post, url: "${origin}/"}`);
    const relay = await relayWith({
      config: `forms: {contact: {fields: [{name: name}], outputs: [${outputs}, {type: webhook, url: "${two.origin}/"}]}}`,
    });
    await relay.submit('contact', 'name=Ada', { traceparent: `00-${traceId}-${parentId}-00` });
    const sent = traceparents([...one.requests, ...two.requests]);
    expect(sent).toHaveLength(3);
    for (const one of sent) expect(one).toMatch(new RegExp(`^00-${traceId}-(?!${parentId})[\\da-f]{16}-00$`));
    expect(new Set(sent).size).toBe(3);
    expect(relay.logged.find(({ event }) => event === 'submission')).toMatchObject({ trace_id: traceId });
  });

  test('is logged even if no form accepts the request', async () => {
    const { get, submit, logged } = await relayWith({ config: configOf('http://127.0.0.1:9') });
    const headers = { traceparent: `00-${traceId}-${parentId}-01` };
    await submit('nowhere', 'name=Ada', headers);
    await get('/nowhere', headers);
    await get('/api/v1/submit/contact', headers);
    const lines = logged.filter((line) => 'request_id' in line);
    expect(lines.map(({ event }) => event)).toEqual(['submission', 'refused', 'refused']);
    for (const line of lines) expect(line).toMatchObject({ trace_id: traceId });
  });

  test('is the owner’s own if the config sets it', async () => {
    const sink = await httpSink();
    const own = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const relay = await relayWith({
      config: configOf(sink.origin).replace(', mapping', `, headers: {traceparent: ${own}}, mapping`),
    });
    await relay.submit('contact', 'name=Ada', { traceparent: `00-${traceId}-${parentId}-01` });
    expect(traceparents(sink.requests)).toEqual([own]);
  });

  test('contains nothing that a visitor could choose freely', async () => {
    const sink = await httpSink();
    const relay = await relayWith({ config: configOf(sink.origin) });
    await relay.submit('contact', 'name=Ada', {
      traceparent: `00-${traceId}-${parentId}-01`,
      tracestate: 'evil=yes',
      baggage: 'evil=yes',
    });
    expect(JSON.stringify(sink.requests.map(({ headers }) => headers))).not.toContain('evil');
  });
});

describe('a traceparent', () => {
  const uuid = '01234567-89ab-4def-8123-456789abcdef';
  const read = (given: string) => traceOf(given, uuid, () => uuid);

  test.each([
    [
      'with a later version and more members',
      `01-${traceId}-${parentId}-01-more`,
      { parentId, isSampled: true },
    ],
    ['with unknown flags', `00-${traceId}-${parentId}-fe`, { parentId, isSampled: false }],
  ])('%s is accepted', (_, given, expected) => expect(read(given)).toMatchObject({ traceId, ...expected }));

  test.each([
    ['without a value', ''],
    ['with version ff', `ff-${traceId}-${parentId}-01`],
    ['with version 00 and more members', `00-${traceId}-${parentId}-01-more`],
    ['in capital letters', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['with a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['sent twice', `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`],
    ['with a line break', `00-${traceId}-${parentId}-01\r\nx: y`],
    ['with too few digits', `00-${traceId.slice(1)}-${parentId}-01`],
  ])('%s is ignored', (_, given) => {
    expect(read(given)).toEqual(read(''));
    expect(read(given)).toMatchObject({
      traceId: uuid.replaceAll('-', ''),
      parentId: undefined,
      isSampled: true,
    });
  });
});

describe('observers', () => {
  test('are notified of a submission and its outcome after the response', async () => {
    const sink = await httpSink();
    const heard: unknown[] = [];
    const relay = await relayWith({
      config: configOf(sink.origin),
      observe: ({ formId, outcome: { kind }, answer: { status }, submission }) => {
        heard.push([formId, kind, status, submission?.tracing.parentId]);
      },
    });
    await relay.submit('contact', 'name=Ada', { traceparent: `00-${traceId}-${parentId}-01` });
    expect(heard).toEqual([['contact', 'delivered', 200, parentId]]);
  });

  test.each([
    [
      'immediately',
      () => {
        throw new Error('no');
      },
    ],
    // The types allow it, and an unhandled rejection would end the process.
    ['later', () => Promise.reject(new Error('no'))],
  ])(
    'may throw %s, and every submission is still delivered; the log reports the error',
    async (_, observe) => {
      const sink = await httpSink();
      const relay = await relayWith({ config: configOf(sink.origin), observe: observe as never });
      expect((await relay.submit('contact', 'name=Ada')).status).toBe(200);
      expect(sink.requests).toHaveLength(1);
      await expect
        .poll(() => relay.logged)
        .toContainEqual(
          expect.objectContaining({ event: 'observer_failed', stack: expect.arrayContaining(['Error']) }),
        );
    },
  );
});

const { RelayIds, spans } = await import(
  new URL('../../../examples/opentelemetry/spans.mjs', import.meta.url).href
);

/** The spans that the example sends to a collector for a submission, and the headers that the output got. */
async function spansOf({ status = 200, headers = {} }) {
  const sink = await httpSink({ answer: () => ({ status }) });
  const ids = new RelayIds();
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const relay = await relayWith({
    config: configOf(sink.origin),
    observe: spans(provider.getTracer('test'), ids),
  });
  await relay.submit('contact', 'name=Ada+Lovelace', headers);
  const made = exporter.getFinishedSpans();
  const named = (name: string) => made.find((span) => span.name === name);
  return {
    made,
    submission: named('submission'),
    delivery: named('delivery'),
    traceparent: sink.requests[0]?.headers.traceparent,
  };
}

test('a submission is a span with its delivery as a child, under the names that the receiver gets', async () => {
  const { submission, delivery, traceparent } = await spansOf({
    headers: { traceparent: `00-${traceId}-${parentId}-01` },
  });
  expect(submission?.spanContext().traceId).toBe(traceId);
  expect(submission?.parentSpanContext?.spanId).toBe(parentId);
  expect(submission?.attributes).toMatchObject({
    'form_relay.form': 'contact',
    'form_relay.outcome': 'delivered',
  });
  expect(delivery?.parentSpanContext?.spanId).toBe(submission?.spanContext().spanId);
  expect(traceparent).toBe(`00-${traceId}-${delivery?.spanContext().spanId}-01`);
});

test('a failed delivery is an error with its code, and contains nothing that was submitted', async () => {
  const { made, submission, delivery } = await spansOf({ status: 500 });
  expect(delivery?.status).toEqual({ code: 2, message: 'http_status' });
  expect(submission?.status.code).toBe(2);
  const told = made.map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
  expect(JSON.stringify(told)).not.toContain('Lovelace');
});
