/** A config cache with the parts that tests inspect. */
import { corePlugin } from '../../core/src/core_plugin.ts';
import type { Services } from '../../core/src/services.ts';
import { bundled } from '../../runtimes/src/bundled.ts';
import { openNode } from '../../runtimes/src/services.ts';
import { Cache, type CacheOptions } from '../src/cache.ts';
import { parseConfig } from '../src/parse.ts';
import type { ConfigSource } from '../src/source.ts';

export function createConfigCache(
  source: ConfigSource,
  { now, log }: Pick<Services, 'now' | 'log'>,
  options: Omit<CacheOptions, 'parse'> = {},
): Cache {
  const context = {
    services: { ...openNode({ now, env: () => undefined }).services, log },
    mailFromAddress: undefined,
  };
  const sources = { bundled, plugins: { named: [], folder: '.' } };
  const parse: CacheOptions['parse'] = (text, file, readText) =>
    parseConfig(text, file, [corePlugin], context, sources, readText);
  return new Cache(source, { now, log }, { ...options, parse });
}
