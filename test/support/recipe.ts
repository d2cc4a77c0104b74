/** The recipes of docs/styling/, as the tests try them. */
import { readFileSync } from 'node:fs';

export interface Recipe {
  readonly name: string;
  /** For the config. */
  readonly classes: string;
  /** For the page. */
  readonly head: string;
  readonly css: string;
}

/** The first blocks of a page, by their language. */
export function recipe(name: string): Recipe {
  const page = readFileSync(new URL(`../../docs/styling/${name}.md`, import.meta.url), 'utf8');
  const block = (fence: string) => new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
  return { name, classes: block('yaml top'), head: block('html head'), css: block('css') };
}
