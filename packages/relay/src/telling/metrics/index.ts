/** What a relay measures, for Prometheus (docs/metrics.md). Loaded only where it is asked for. */
export { createMetrics, type Level, type Metrics, type TellLevel } from './metrics.ts';
export { type MetricsServer, serveMetrics } from './server.ts';
export { countsLeft, type MetricsSnapshot, mergeSnapshots } from './snapshot.ts';
export { metricsType, writeMetrics } from './write.ts';
