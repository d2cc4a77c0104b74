/** What plug-ins see of the current config, and what they say of it. */
import { chain, type MaybePromise } from '../base/maybe_promise.ts';
import type { CurrentConfig, Plugin, Readiness } from '../plugin.ts';
import type { Services } from '../services.ts';
import type { ConfigCache } from './cache.ts';
import { unsetIn } from './environment.ts';

export const currentConfig = (config: ConfigCache, services: Services): CurrentConfig => ({
  forms: () => chain(config.get(), (loaded) => loaded?.forms),
  get state() {
    return config.state;
  },
  unsetEnv: () => (config.current ? unsetIn(config.current, services) : []),
});

/** Most plug-ins have nothing to say. */
export function readinessOf(plugins: readonly Plugin[]): MaybePromise<readonly Readiness[]> {
  const asked = plugins.flatMap(({ readiness }) => readiness?.() ?? []);
  return asked.length === 0 ? [] : Promise.all(asked).then((all) => all.flatMap((one) => one ?? []));
}
