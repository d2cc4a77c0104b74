import { readFileSync } from 'node:fs';

/** The stylesheets in src/views/style/, small enough to be sent with every page: a constant a file, a line a rule. */
export async function styleCode(): Promise<string> {
  const constants = ['form', 'page'].map((name) => {
    const css = readFileSync(new URL(`../../src/views/style/${name}.css`, import.meta.url), 'utf8');
    return `export const ${name}Style = html\`\n${compact(css)}\n\`;\n`;
  });
  return `// Written by \`npm run generate\` from src/views/style/.\nimport { html } from '../html.ts';\n\n${constants.join('\n')}`;
}

/** Without comments and needless spaces. What stands in quotes has none of the characters that matter here. */
const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .replaceAll(/\}(?!\})/g, '}\n')
    .replaceAll(/(@[^{};]+\{)/g, '$1\n')
    .trim();
