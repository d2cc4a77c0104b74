/** JSON that is the same for every config. Each part is loaded when it is first asked for. */
import type { Parse } from './live_config.ts';

type MakeJson = (parse: Parse) => Promise<string>;

/** By the path of the request. */
export const data: Readonly<Record<string, MakeJson>> = {
  '/studio/schema.json': async () => (await import('@form-relay/runtimes/inspect')).configSchemaText(),
  '/studio/palette.json': async (parse) =>
    JSON.stringify(await (await import('./palette.ts')).palette(parse)),
  '/studio/gallery.json': async () => JSON.stringify((await import('./gallery.ts')).gallery),
  '/studio/templates.json': async (parse) =>
    JSON.stringify(await (await import('./starting_points.ts')).startingPoints(parse)),
};
