/** JSON that is the same for every config. Each part is loaded when it is first asked for. */
import { functions } from '@form-relay/schema/template/functions';
import { namedPaths, paths } from '@form-relay/schema/template/paths';
import type { Parse } from './live_config.ts';
import type { TemplateWords } from './state.ts';

type MakeJson = (parse: Parse) => Promise<string>;

/** The words of templates, as the editor completes and explains them. */
const templateWords: TemplateWords = {
  functions: functions.map(({ name, parameters, summary }) => ({ name, parameters, summary })),
  references: [...namedPaths.map(({ name, summary }) => ({ name: `${name}.<name>`, summary })), ...paths].map(
    ({ name, summary }) => ({ name, summary }),
  ),
};

/** By the path of the request. */
export const data: Readonly<Record<string, MakeJson>> = {
  '/studio/schema.json': async () => (await import('@form-relay/runtimes/inspect')).configSchemaText(),
  '/studio/template_words.json': async () => JSON.stringify(templateWords),
  '/studio/palette.json': async (parse) =>
    JSON.stringify(await (await import('./palette.ts')).palette(parse)),
  '/studio/gallery.json': async () => JSON.stringify((await import('./gallery.ts')).gallery),
  '/studio/templates.json': async (parse) =>
    JSON.stringify(await (await import('./starting_points.ts')).startingPoints(parse)),
};
