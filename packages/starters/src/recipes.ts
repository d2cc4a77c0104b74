import { readdirSync, readFileSync } from 'node:fs';
import type { Variable } from './mail_config.ts';

/** A config that a page of the manual shows, and `relay init --output` writes. */
export interface Recipe {
  readonly name: string;
  /** The heading that it stands under, or that of its page. */
  readonly title: string;
  /** From the root. */
  readonly page: string;
  readonly config: string;
  /** The owner has to have it there: a webhook, an account, a key. From the table of docs/outputs.md; empty for those outside it. */
  readonly needs: string;
  /** The SMTP servers of a mail provider. */
  readonly hosts?: readonly string[];
  /** Other words that people search for. */
  readonly alsoCalled?: string | undefined;
  /** The variables of the recipe, and where owners find their values. */
  readonly variables?: readonly Variable[];
}

const folder = new URL('../../../docs/outputs/', import.meta.url);
const table = readFileSync(new URL('../outputs.md', folder), 'utf8');
const needsOf = (name: string): string =>
  table
    .split('\n')
    .find((line) => line.startsWith('| [') && line.includes(` | \`${name}\` | `))
    ?.split(' | ')[2]
    ?.replace(/ \|$/, '') ?? '';

/** The YAML after each mention of `relay init --output NAME`. The build puts it here: what is published reads no manual. */
export const recipes: readonly Recipe[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    const shown = text.matchAll(/`relay init --output (\w+)`[^`]*```yaml\n(.*?)^```$/gms);
    return [...shown].map(([, name = '', config = '']) => ({
      name,
      title,
      page: `docs/outputs/${file}`,
      config,
      needs: needsOf(name),
    }));
  })
  .sort((a, b) => (a.name < b.name ? -1 : 1));
