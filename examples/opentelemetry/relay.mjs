// A relay that reports to an OpenTelemetry collector: node relay.mjs
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createNodeServer, createRelay } from 'form-relay';
import { RelayIds, spans } from './spans.mjs';

const ids = new RelayIds();
// OTEL_EXPORTER_OTLP_ENDPOINT contains the collector's URL.
const provider = new BasicTracerProvider({
  idGenerator: ids,
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const relay = createRelay({
  configFile: 'webform.yaml',
  observe: spans(provider.getTracer('form-relay'), ids),
});
createNodeServer(relay.handle, { log: relay.services.log, limits: relay.settings }).listen(8080);
