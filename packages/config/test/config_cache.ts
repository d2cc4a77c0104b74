/** A config cache that holds what tests look at. */
import type { Result } from '../../base/src/result.ts';
import type { LoadResult } from '../../core/src/config.ts';
import { corePlugin } from '../../core/src/core_plugin.ts';
import type { Services } from '../../core/src/services.ts';
import { bundled } from '../../runtimes/src/bundled.ts';
import { openNode } from '../../runtimes/src/services.ts';
import { Cache, type CacheOptions } from '../src/cache.ts';
import { parseConfig } from '../src/parse.ts';

interface Source {
  readonly name: string;
  read(): Promise<Result<string, string>>;
  readBeside(path: string): Promise<Result<string, string>>;
}

type Options = Omit<CacheOptions, 'parse'> & { readonly onEnd?: (ending: LoadResult) => void };

export function createConfigCache(
  { name, read, readBeside: readSibling }: Source,
  { now, log }: Pick<Services, 'now' | 'log'>,
  { onEnd, ...options }: Options = {},
): Cache {
  const services = { ...openNode({ now, env: () => undefined }).services, log };
  const context = { services, mailFromAddress: undefined };
  const sources = { bundled, plugins: { named: [], folder: '.' } };
  const cache = new Cache(
    { name, read, readSibling },
    { now, log },
    {
      ...options,
      parse: (text, file, readText) => parseConfig(text, file, [corePlugin], context, sources, readText),
    },
  );
  const told = new Proxy(cache.loads, {
    set: (loads, ending, count) => {
      onEnd?.(ending as LoadResult);
      return Reflect.set(loads, ending, count);
    },
  });
  return Object.assign(cache, { loads: told });
}
