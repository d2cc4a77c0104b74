import { readdirSync, readFileSync } from 'node:fs';
import { readDocument } from '@form-relay/yaml/document';
import catalogue from './catalogue.json' with { type: 'json' };
import type { Variable } from './mail_config.ts';

/** A config for `relay init --output` and the studio, for a service, an output type, or a unit of the catalogue. */
export interface Recipe {
  readonly name: string;
  /** The heading of its page. */
  readonly title: string;
  /** The page's path from the repository's root. */
  readonly page: string;
  readonly config: string;
  /** Things that the owner needs at the service, such as a webhook, an account or a key. Empty for units. */
  readonly needs: string;
  /** A sentence for units: what the unit does, and what it requires. */
  readonly summary?: string;
  /** The SMTP servers of a mail provider. */
  readonly hosts?: readonly string[];
  /** Other search terms for the service. */
  readonly alsoCalled?: string | undefined;
  /** The recipe's variables, and where owners find their values. */
  readonly variables?: readonly Variable[];
}

/** A file of `recipes/`, from which `npm run generate` makes a manual page. */
interface ServiceRecipe {
  readonly title: string;
  /** The name for `relay init --output`, if it differs from the file's name. */
  readonly name?: string;
  readonly needs: string;
  /** A complete config, or the `outputs` of a contact form. */
  readonly config: string;
}

const folderOf = (path: string) => new URL(`../${path}/`, import.meta.url);
const namesIn = (folder: URL, ext: string) =>
  readdirSync(folder).flatMap((file) => (file.endsWith(ext) ? [file.slice(0, -ext.length)] : []));

const contact = `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
`;

const inContactForm = (outputs: string) => `${contact}${outputs.replaceAll(/^(?=.)/gm, '    ')}`;

const files = folderOf('recipes');

/** The build embeds these files and the manual's examples, since the published package reads no files. */
const ofServices: readonly Recipe[] = namesIn(files, '.yaml').map((file) => {
  const read = readDocument(readFileSync(new URL(`${file}.yaml`, files), 'utf8'));
  if (!read.ok) throw new Error(`recipes/${file}.yaml is not YAML`);
  const { title, name = file, needs, config } = read.value.value as ServiceRecipe;

  return {
    name,
    title,
    page: `docs/outputs/${file}.md`,
    config: config.startsWith('forms:') ? `${config}\n` : inContactForm(`${config}\n`),
    needs,
  };
});

const needsOf: Readonly<Record<string, string>> = {
  smtp: 'a mail account',
  email: 'Amazon SES',
  folder: 'a folder',
  s3: 'a bucket',
  slack: 'a webhook',
  crm_web2lead: 'the form that Salesforce generates',
  webhook: 'an address',
  http_post: 'an address',
};

const pages = folderOf('../../docs/outputs');

/**
 * The YAML that follows `relay init --output TYPE` in the pages of output types: a complete config, or the
 * `outputs` of a contact form.
 */
const ofTypes: readonly Recipe[] = namesIn(pages, '.md')
  .filter((file) => !ofServices.some(({ page }) => page.includes(`/${file}.md`)))
  .flatMap((file) => {
    const text = readFileSync(new URL(`${file}.md`, pages), 'utf8');
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    const shown = text.matchAll(/`relay init --output (\w+)`[^`]*```yaml(?: form)?\n(.*?)^```$/gms);
    return [...shown].map(([, name = '', config = '']) => ({
      name,
      title,
      page: `docs/outputs/${file}.md`,
      config: config.startsWith('forms:') ? config : inContactForm(config),
      needs: needsOf[name] ?? '',
    }));
  });

const samples: readonly Pick<Recipe, 'name' | 'title' | 'config' | 'summary'>[] = Object.values(
  catalogue,
).flatMap((unit) => ('samples' in unit ? unit.samples : []));

export const recipes: readonly Recipe[] = [
  ...ofServices,
  ...ofTypes,
  ...samples.map((one) => ({ ...one, page: `docs/reference.md#${one.name}`, needs: '' })),
].toSorted((a, b) => (a.name < b.name ? -1 : 1));
