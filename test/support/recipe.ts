/** The recipes in docs/styling/, for tests. */
import { existsSync, readFileSync } from 'node:fs';

const fileOf = (name: string) => {
  const file = new URL(`../../docs/styling/${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

export const recipe = (name: string) => ({
  name,
  /** For the config. */
  classes: fileOf(`${name}.yaml`),
  css: fileOf(`${name}.css`),
});

/** The stylesheet that imports the relay's together with Tailwind. */
export const tailwindAround = /^```css\n(.*?)^```/ms.exec(fileOf('frameworks.md'))?.[1] ?? '';
