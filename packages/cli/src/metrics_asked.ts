import type { Metrics } from '@form-relay/relay/telling/metrics';

/** What measures this process, where METRICS_PORT asks for it; nothing of it is loaded elsewhere. */
export const metricsAsked = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT ? (await import('@form-relay/relay/telling/metrics')).createMetrics() : undefined;
