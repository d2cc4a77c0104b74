/** Generates llms.txt from the manual's contents: what an assistant can read about Form Relay, and where. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

export function llms(): string {
  const { description } = JSON.parse(read('package.json')) as { readonly description: string };
  const [, ...groups] = read('docs/README.md').split(/^(?=## )/m);
  const contents = groups.join('').replaceAll(/\]\(([^)]+)\)/g, (_, to) => `](${posix.join('docs', to)})`);
  return `# Form Relay

> ${description}

Read the reference for exact keys. \`relay config schema\` prints the JSON Schema of the config, \`relay config validate\` checks a config, and
\`relay mcp\` does both for assistants.

${contents}`;
}
