import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { snippets } from '../../src/snippets.ts';

const config =
  'forms: {contact: {title: Write to us, spam: {honeypot: website}, fields: [{name: a}], outputs: [{type: http_post, url: "https://example.com"}]}}';
const form = must(parseConfig(config, 'webform.yaml')).forms.get('contact');
if (!form) throw new Error('no form');
const all = snippets(form, form.locale(undefined), 'https://forms.example.com');

test('every part that is shown for a site is a part of a site that npm run sites sends forms on', () => {
  const sites = fileURLToPath(new URL('../../../../lab/site-generators', import.meta.url));
  const used = new Set<string>();
  for (const folder of readdirSync(sites, { withFileTypes: true })) {
    if (!folder.isDirectory() || /^\.|node_modules/.test(folder.name)) continue;
    for (const file of readdirSync(join(sites, folder.name), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), 'utf8');
      for (const [, name, part = '1'] of text.matchAll(/ studio: ([\w ]+?)(?:, part (\d))?\s*[*\n-]/g))
        used.add(`${name} ${part}`);
    }
  }
  // The tests cannot build WordPress, the link stands in every tag, and sites print their forms by command.
  const elsewhere = ['WordPress', 'A link', 'A printed form'];
  const shown = all.filter(({ name }) => !elsewhere.includes(name));
  expect([...used].sort()).toEqual(
    shown.flatMap(({ name, parts }) => parts.map((_, index) => `${name} ${index + 1}`)).sort(),
  );
});

test('WordPress reduces the tag to a link, for people who may not write scripts', () => {
  const code = all.find(({ name }) => name === 'WordPress')?.parts[0]?.code ?? '';
  // As wp_kses_post() does: it takes tags away that it does not know, and leaves what is in them.
  const left = code.replaceAll(/<\/?(?!a[ >]|\/a>)[\w-]+[^>]*>/g, '').replaceAll(/<\/(?!a>)[\w-]+>/g, '');
  expect(left.trim()).toBe('<a href="https://forms.example.com/api/v1/form/contact?as=page">Write to us</a>');
});
