import { readdirSync, readFileSync } from 'node:fs';
import catalogue from './catalogue.json' with { type: 'json' };
import type { Variable } from './mail_config.ts';

/** A config for `relay init --output` and the studio, of a page of the manual or of a unit of the catalogue. */
export interface Recipe {
  readonly name: string;
  /** The heading that it stands under, or that of its page. */
  readonly title: string;
  /** From the root. */
  readonly page: string;
  readonly config: string;
  /** The owner has to have it there: a webhook, an account, a key. From the table of docs/outputs.md; empty for those outside it. */
  readonly needs: string;
  /** A sentence: what a unit does, and what it needs. */
  readonly summary?: string;
  /** The SMTP servers of a mail provider. */
  readonly hosts?: readonly string[];
  /** Other words that people search for. */
  readonly alsoCalled?: string | undefined;
  /** The variables of the recipe, and where owners find their values. */
  readonly variables?: readonly Variable[];
}

const folder = new URL('../../../docs/outputs/', import.meta.url);
const table = readFileSync(new URL('../outputs.md', folder), 'utf8');
/** The form of recipes whose page shows only their outputs. */
const [, contact = ''] = /^```yaml other\n(.*?)^```$/ms.exec(table) ?? [];
const needsOf = (name: string): string =>
  table
    .split('\n')
    .find((line) => line.startsWith('| [') && line.includes(` | \`${name}\` | `))
    ?.split(' | ')[2]
    ?.replace(/ \|$/, '') ?? '';

const samples: readonly Pick<Recipe, 'name' | 'title' | 'config' | 'summary'>[] = Object.values(
  catalogue,
).flatMap((unit) => ('samples' in unit ? unit.samples : []));

/** The YAML after each mention of `relay init --output NAME`. The build puts it here: what is published reads no manual. */
const shown: readonly Recipe[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    const written = text.matchAll(/`relay init --output (\w+)`[^`]*```yaml( form)?\n(.*?)^```$/gms);
    return [...written].map(([, name = '', part, shown = '']) => ({
      name,
      title,
      page: `docs/outputs/${file}`,
      config: part ? contact + shown.replaceAll(/^(?=.)/gm, '    ') : shown,
      needs: needsOf(name),
    }));
  });

export const recipes: readonly Recipe[] = [
  ...shown,
  ...samples.map((one) => ({ ...one, page: `docs/reference.md#${one.name}`, needs: '' })),
].toSorted((a, b) => (a.name < b.name ? -1 : 1));
