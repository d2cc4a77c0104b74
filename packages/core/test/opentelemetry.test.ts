import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { configOf, httpSink, relayWith } from '../../../test/spec/stage.ts';

const { RelayIds, spans } = await import(
  new URL('../../../examples/opentelemetry/spans.mjs', import.meta.url).href
);

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

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

test('a submission is a span, its delivery one within it, under the names that the receiver gets', async () => {
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

test('a failed delivery is an error with its code, and tells nothing that was submitted', async () => {
  const { made, submission, delivery } = await spansOf({ status: 500 });
  expect(delivery?.status).toEqual({ code: 2, message: 'http_status' });
  expect(submission?.status.code).toBe(2);
  const told = made.map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
  expect(JSON.stringify(told)).not.toContain('Lovelace');
});
