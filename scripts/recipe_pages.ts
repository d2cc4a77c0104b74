/** The pages of the recipes in `packages/starters/recipes`: one shape for all. */
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';

interface Recipe {
  readonly title: string;
  /** For `relay init --output`, if the file has another name. */
  readonly name?: string;
  /** A page for several recipes. */
  readonly page?: keyof typeof shared;
  /** The result of a submission at the service. */
  readonly summary?: string;
  /** Tasks at the service, and the places of its keys and ids. */
  readonly steps: readonly string[];
  readonly config: string;
  readonly notes?: readonly string[];
  /** Answers of the service as the log has them, and their causes. */
  readonly errors: Readonly<Record<string, string>>;
}

const shared = {
  mail_api: `# Mail by HTTP API

For networks that block SMTP; otherwise, use [\`smtp\`](email.md). First let the service verify your domain or sender address.`,
};

const folder = new URL('../packages/starters/recipes/', import.meta.url);

const recipes = readdirSync(folder).map((file) => {
  const recipe = load(readFileSync(new URL(file, folder), 'utf8')) as Recipe;
  return { ...recipe, file: file.replace('.yaml', '') };
});

const of = (page: string) => recipes.filter((one) => one.page === page);

/** By path. */
export const recipePages: Readonly<Record<string, () => string>> = Object.fromEntries([
  ...recipes
    .filter(({ page }) => page === undefined)
    .map((recipe) => [
      `docs/outputs/${recipe.file}.md`,
      () => `# ${recipe.title}\n\n${recipe.summary}\n\n${bodyOf(recipe, '## Errors')}`,
    ]),
  ...Object.entries(shared).map(([page, intro]) => [
    `docs/outputs/${page}.md`,
    () =>
      [intro, ...of(page).map((one) => `## ${one.title}\n\n${bodyOf(one, 'Errors:')}`)]
        .join('\n\n')
        .replaceAll('\n\n\n', '\n\n'),
  ]),
]);

function bodyOf(
  { file, name = file, steps, config, notes = [], errors }: (typeof recipes)[number],
  heading: string,
) {
  const [, outputs = config] = /^ {4}(outputs:\n.*)/ms.exec(config) ?? [];
  const parts = [
    steps.length > 1 ? steps.map((step, at) => item(`${at + 1}. `, step)).join('\n') : steps[0],
    `\`relay init --output ${name}\` writes a form with:`,
    `\`\`\`yaml form\n${outputs.replaceAll(/^ {4}/gm, outputs === config ? '$&' : '')}\n\`\`\``,
    ...(notes.length > 1 ? [notes.map((note) => item('- ', note)).join('\n')] : notes),
    heading,
    Object.entries(errors)
      .map(([answer, cause]) => `- ${code(answer)}: ${cause}\n`)
      .join(''),
  ];
  return parts.join('\n\n');
}

const item = (mark: string, text: string) =>
  mark + text.replaceAll(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);

const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
