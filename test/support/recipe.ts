/** The recipes of docs/styling.md, as the tests try them. */
import { readFileSync } from 'node:fs';

export interface Recipe {
  readonly name: string;
  /** For the config. */
  readonly classes: string;
  /** For the page. */
  readonly head: string;
  readonly css: string;
}

/** The blocks below a heading of the third level, by their language. */
export function recipe(heading: string, name: string): Recipe {
  const manual = readFileSync(new URL('../../docs/styling.md', import.meta.url), 'utf8');
  const [, section = ''] = manual.split(`### ${heading}\n`);
  const [own = ''] = section.split(/^##/m);
  const block = (fence: string) => new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\``, 'ms').exec(own)?.[1] ?? '';
  return { name, classes: block('yaml top'), head: block('html head'), css: block('css') };
}
