/** A relay with all bundled plug-ins, whose services a test can replace. */
import type { Services } from '../../packages/core/src/services.ts';
import { createRelay as create, type Relay, type RelayOptions } from '../../packages/runtimes/src/index.ts';
import type { Metrics } from '../../packages/telemetry/src/metrics/index.ts';

export { closeServer } from '../../packages/runtimes/src/node/closing.ts';
export { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
export type { Relay, RelayOptions };

interface Options extends RelayOptions {
  readonly effects?: Partial<Services>;
  readonly metrics?: Metrics;
}

export function createRelay({ effects, metrics, plugins = [], ...options }: Options = {}) {
  const made = create({
    ...options,
    plugins: metrics ? [metrics.plugin, ...plugins] : plugins,
    ...(effects && { services: effects }),
  });
  const relay = metrics ? metrics.measure(made) : made;
  return Object.assign(relay, { effects: relay.services });
}
