/** What a relay measures, for Prometheus (docs/metrics.md). Loaded only where it is asked for. */
export { createMetrics, type Level, type Metrics, type TellLevel } from './metrics.ts';
export { type MetricsServer, serveMetrics } from './metrics_server.ts';
export { countsLeft, type MetricsSnapshot, mergeSnapshots, metricsType, writeMetrics } from './snapshot.ts';
