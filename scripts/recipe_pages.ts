/** Generates the pages of the recipes in `packages/starters/recipes`, all of the same form. */
import { readdirSync } from 'node:fs';
import { readYaml } from './data.ts';

interface Recipe {
  readonly title: string;
  /** The name for `relay init --output`, if it differs from the file's. */
  readonly name?: string;
  /** The result of a submission at the service. */
  readonly summary: string;
  /** Tasks at the service, and where to find its keys and ids. */
  readonly steps: readonly string[];
  readonly config: string;
  readonly notes?: readonly string[];
  /** Answers of the service as they appear in the log, and their causes. */
  readonly errors: Readonly<Record<string, string>>;
}

const folder = new URL('../packages/starters/recipes/', import.meta.url);

const recipes = readdirSync(folder).map((file) => ({
  ...readYaml<Recipe>(new URL(file, folder)),
  file: file.replace('.yaml', ''),
}));

/** Keyed by path. */
export const recipePages: Readonly<Record<string, () => string>> = Object.fromEntries(
  recipes.map((recipe) => [`docs/outputs/${recipe.file}.md`, () => pageOf(recipe)]),
);

function pageOf({
  file,
  name = file,
  title,
  summary,
  steps,
  config,
  notes = [],
  errors,
}: (typeof recipes)[number]) {
  const [, outputs = config] = /^ {4}(outputs:\n.*)/ms.exec(config) ?? [];
  const parts = [
    `# ${title}`,
    summary,
    steps.length > 1 ? steps.map((step, at) => item(`${at + 1}. `, step)).join('\n') : steps[0],
    `\`relay init --output ${name}\` writes a form with:`,
    `\`\`\`yaml form\n${outputs.replaceAll(/^ {4}/gm, outputs === config ? '$&' : '')}\n\`\`\``,
    ...(notes.length > 1 ? [notes.map((note) => item('- ', note)).join('\n')] : notes),
    '## Errors',
    Object.entries(errors)
      .map(([answer, cause]) => `- ${code(answer)}: ${cause}\n`)
      .join(''),
  ];
  return parts.join('\n\n');
}

const item = (mark: string, text: string) =>
  mark + text.replaceAll(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);

const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
