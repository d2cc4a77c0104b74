/** The guides in docs/sites agree with the code that they describe. */
import { readdirSync } from 'node:fs';
import { snippets } from '../../apps/studio/src/state_of.ts';
import { pasteSnippets } from '../../lab/site-generators/paste.ts';
import { must } from '../support/must.ts';
import { parseConfig } from '../support/parse_config.ts';
import { blocksOf, pathOf, read } from './papers.ts';
import { readmeConfig } from './samples.ts';

const guidesIn = (folder: string) => readdirSync(pathOf(folder)).map((file) => file.replace(/\.md$/, ''));

const relay = 'https://forms.example.com';
const form = must(parseConfig(JSON.stringify(readmeConfig), 'webform.yaml')).forms.get('contact');
if (!form) throw new Error('the README shows no form called contact');

interface Guide {
  /** The snippet from the studio. */
  readonly snippet: string;
  /** Whether the site has no `index.html`, so the guide shows only the snippet's last part. */
  readonly isWithoutHead?: boolean;
  /** Sources that `npm run sites` builds. */
  readonly sources?: readonly string[];
  /** The source with the form from html.md. */
  readonly plain?: string;
}

const guides: Readonly<Record<string, Guide>> = {
  astro: { snippet: 'Astro', plain: 'astro/src/pages/own.astro' },
  'cloudflare-pages': { snippet: 'HTML' },
  eleventy: { snippet: 'Eleventy', plain: 'eleventy/own.html' },
  'github-pages': { snippet: 'HTML' },
  html: { snippet: 'HTML', sources: ['plain/own/index.html'] },
  hugo: { snippet: 'Hugo', plain: 'hugo/layouts/_default/own.html' },
  jekyll: { snippet: 'Jekyll', plain: 'jekyll/own.html' },
  nextjs: { snippet: 'React', isWithoutHead: true },
  react: { snippet: 'React' },
  svelte: { snippet: 'Svelte' },
  vue: { snippet: 'Vue' },
  wordpress: { snippet: 'WordPress' },
};

/** A file of `lab/site-generators/` without lines that only tests need. */
const sourceOf = (file: string) =>
  pasteSnippets(
    read(`lab/site-generators/${file}`)
      .replaceAll(/^ *(\/\/|\{?\/\*) biome-ignore.*\n/gm, '')
      .replaceAll(/^ *<a href="\/other\/">.*\n/gm, ''),
    form,
    relay,
  );

describe('docs/sites', () => {
  test('has no other guides', () => expect(guidesIn('docs/sites')).toEqual(Object.keys(guides)));

  test.each(Object.entries(guides))(
    '%s.md shows working sources',
    (name, { snippet, isWithoutHead, sources = [], plain }) => {
      const blocks = blocksOf(`docs/sites/${name}.md`).map(({ text }) => text.trimEnd());
      const all =
        snippets(form, form.locale(undefined), relay).find((one) => one.name === snippet)?.parts ?? [];
      const parts = isWithoutHead ? all.slice(-1) : all;
      expect(blocks).toEqual(expect.arrayContaining(parts.map(({ code }) => code)));
      expect(blocks).toEqual(expect.arrayContaining(sources.map((file) => sourceOf(file).trimEnd())));
      expect(parts).not.toEqual([]);
      if (!plain) return;
      expect(read(`docs/sites/${name}.md`)).toContain('(html.md#your-own-html)');
      const [markup = 'no form'] = /<form .*<\/form>/s.exec(read('docs/sites/html.md')) ?? [];
      expect(sourceOf(plain)).toContain(markup);
    },
  );
});
