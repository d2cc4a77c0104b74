import { ownCommand } from '../packages/cli/src/commands.ts';
import { ownCommands } from '../packages/core/src/command.ts';
import { configSchemaText } from '../packages/runtimes/src/inspect.ts';
import { accessibility } from './accessibility.ts';
import { bundledKeys } from './bundled_keys.ts';
import { catalogueSizes } from './catalogue_sizes.ts';
import { catalogueUnits } from './catalogue_units.ts';
import { commandLine, metricList } from './lists.ts';
import { llms } from './llms.ts';
import { mailPage } from './mail_page.ts';
import { recipePages } from './recipe_pages.ts';
import { reference } from './reference.ts';

/** Committed files that are derived from packages/, by path, with a function that generates each. */
export const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'packages/runtimes/src/catalogue.ts': catalogueUnits,
  'packages/starters/src/catalogue.json': catalogueSizes,
  'packages/runtimes/src/bundled_keys.json': bundledKeys,
  'packages/cli/src/summaries.json': summaries,
  'docs/accessibility.md': accessibility,
  ...recipePages,
  'docs/mail.md': mailPage,
  'docs/reference.md': reference,
  'docs/webform.schema.json': configSchemaText,
  'docs/command-line.md': commandLine,
  'docs/metric-list.md': metricList,
  'llms.txt': llms,
};

/** The lines of `relay --help`, so that listing them loads no command. */
async function summaries(): Promise<string> {
  const all = await Promise.all(ownCommands.map(ownCommand));
  return `${JSON.stringify(all.filter(Boolean), ['name', 'alias', 'summary', 'commands'], 2)}\n`;
}
