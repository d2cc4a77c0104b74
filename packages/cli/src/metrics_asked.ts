import type { Metrics } from '@form-relay/relay/telling/metrics';

/** Measures this process if METRICS_PORT is set. Nothing is loaded otherwise. */
export const metricsAsked = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT ? (await import('@form-relay/relay/telling/metrics')).createMetrics() : undefined;
