import type { Metrics } from '@form-relay/telemetry/metrics/index';

/** Measures this process if METRICS_PORT is set. Nothing is loaded otherwise. */
export const metricsAsked = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT
    ? (await import('@form-relay/telemetry/metrics/index')).createMetrics()
    : undefined;
