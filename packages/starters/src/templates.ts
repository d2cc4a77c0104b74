import { readFileSync } from 'node:fs';

/** A complete config to start from: `relay init --template` writes it, and the studio shows it. */
export interface Template {
  /** The template's name, and also the name of its file and its form. */
  readonly name: string;
  readonly title: string;
  /** A sentence about the template. */
  readonly says: string;
  readonly config: string;
}

/** In the order in which people are likely to look for them. */
const names = [
  'contact',
  'newsletter',
  'callback',
  'appointment',
  'quote',
  'order_form',
  'event_registration',
  'job_application',
  'support_ticket',
  'feedback',
  'complaint',
  'privacy_request',
] as const;

const read = (path: string) => readFileSync(new URL(`../${path}.yaml`, import.meta.url), 'utf8');

/**
 * The config that `relay init` writes. Comments that begin with a capital letter are sentences, and the other
 * comments are keys.
 */
export const firstConfig: string = read('first');

/**
 * Each file states its purpose below the lines for editors. The build embeds the texts, since the published
 * package does not contain the files.
 */
export const templates: readonly Template[] = names.map((name) => {
  const config = read(`templates/${name}`);
  const [, title = '', says = ''] = /\n\n# ([^:\n]+): ([^\n]+)\n/.exec(config) ?? [];
  return { name, title, says: `${says[0]?.toUpperCase()}${says.slice(1)}`, config };
});
