import type { Settings } from '@form-relay/core/settings';
import type { Metrics, MetricsServer } from '@form-relay/telemetry/metrics/index';
import { cannotListen, shownAddress } from './listening.ts';

/** Measures this process if METRICS_PORT is set. Nothing is loaded otherwise. */
export const metricsAsked = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT
    ? (await import('@form-relay/telemetry/metrics/index')).createMetrics()
    : undefined;

/** Answers `/metrics` where METRICS_PORT says. `undefined` where it says nothing. Throws a `CommandFailed` when it cannot listen. */
export async function serveMetrics(
  { metricsHost: host, metricsPort }: Pick<Settings, 'metricsHost' | 'metricsPort'>,
  text: Metrics['text'],
): Promise<(Pick<MetricsServer, 'close'> & { /** Says where. */ readonly line: string }) | undefined> {
  if (metricsPort === undefined) return undefined;
  const { serveMetrics: listen } = await import('@form-relay/telemetry/metrics/index');
  const read = async () => text();
  try {
    const { port, close } = await listen({ host, port: metricsPort, read });
    return { close, line: `Metrics are on ${shownAddress(host, port, '/metrics')}\n` };
  } catch (error) {
    throw cannotListen(error, host, metricsPort, 'METRICS_HOST or METRICS_PORT');
  }
}
