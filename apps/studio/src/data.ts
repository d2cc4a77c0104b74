/** JSON that is the same for every config with the same plug-ins. Each part is loaded on first use. */
import type { Plugin } from '@form-relay/core/index';
import type { LiveConfig } from './live_config.ts';

type MakeJson = (config: LiveConfig) => Promise<string>;

/** The plug-ins of the config that the relay does not bring. */
async function othersOf({ current }: LiveConfig): Promise<readonly Plugin[]> {
  return current ? (await import('@form-relay/runtimes/inspect')).othersIn(current) : [];
}

/** By the path of the request. */
export const data: Readonly<Record<string, MakeJson>> = {
  '/studio/schema.json': async (config) => {
    const { bundledRegistry } = await import('@form-relay/runtimes/inspect');
    const { configJsonSchema } = await import('@form-relay/config/registry');
    return JSON.stringify(configJsonSchema(await bundledRegistry(await othersOf(config))));
  },
  '/studio/palette.json': async (config) =>
    JSON.stringify(await (await import('./palette.ts')).palette(await othersOf(config))),
  '/studio/gallery.json': async () => JSON.stringify((await import('./gallery.ts')).gallery),
  '/studio/templates.json': async ({ parse }) =>
    JSON.stringify(await (await import('./gallery.ts')).startingPoints(parse)),
};
