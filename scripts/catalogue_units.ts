import { readdirSync, readFileSync } from 'node:fs';

/** The catalogue's units by name: its files with a default export, without page scripts and tests. */
export const unitNames = (): readonly string[] =>
  readdirSync('catalogue')
    .filter((file) => /^\w+\.ts$/.test(file))
    .filter((file) => readFileSync(`catalogue/${file}`, 'utf8').includes('\nexport default '))
    .map((file) => file.replace('.ts', ''))
    .toSorted();

/** Generates packages/runtimes/src/catalogue.ts. */
export function catalogueUnits(): string {
  const lines = unitNames().map((name) => `  ${name}: () => import('@form-relay/catalogue/${name}'),\n`);
  return `/** The plug-ins of the catalogue. \`npm run generate\` writes this file. */
import type { MakePlugin } from '@form-relay/plugin-host/kit';

export const catalogue: Readonly<Record<string, () => Promise<{ readonly default: MakePlugin }>>> = {
${lines.join('')}};
`;
}
