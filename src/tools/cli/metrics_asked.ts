import type { Metrics } from '../../metrics/index.ts';

/** What measures this process, where METRICS_PORT asks for it; nothing of it is loaded elsewhere. */
export const metricsAsked = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT ? (await import('../../metrics/index.ts')).createMetrics() : undefined;
