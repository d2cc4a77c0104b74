import { readFileSync } from 'node:fs';

/** A whole config to start from: `relay init --template` writes it, and the studio shows it. */
export interface Template {
  /** Also that of its file and of its form. */
  readonly name: string;
  readonly title: string;
  /** A sentence. */
  readonly says: string;
  readonly config: string;
}

/** In the order in which people look for them. */
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

/** The config that `relay init` writes: sentences are comments that begin with a capital letter, and the others are keys. */
export const firstConfig: string = read('first');

/** Each file says itself what it is, below the lines for editors. The build puts them here: what is published has no such files. */
export const templates: readonly Template[] = names.map((name) => {
  const config = read(`templates/${name}`);
  const [, title = '', says = ''] = /\n\n# ([^:\n]+): ([^\n]+)\n/.exec(config) ?? [];
  return { name, title, says: `${says[0]?.toUpperCase()}${says.slice(1)}`, config };
});
