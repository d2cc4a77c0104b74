/** Metrics for Prometheus (docs/metrics.md), loaded on demand. */
export { createMetrics, type Level, type Metrics, type TellLevel } from './metrics.ts';
export { type MetricsServer, serveMetrics } from './metrics_server.ts';
export { metricsType } from './tally.ts';
