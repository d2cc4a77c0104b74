/** `npm run docs`: the manual as a site in `scripts/manual-site/dist`, which works in any folder, and opened from disk. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarkdown, keysOf, reference, sectionsOf } from './markdown.js';
import { pageHtml } from './page.js';
import { addressOf, isSearched, papers, pathOf, read, readContents, titleOf } from './papers.js';

const require = createRequire(import.meta.url);
/** Other words that people use for the subject of a section. */
const otherWords = require('./search_words.json');
const dist = fileURLToPath(new URL('dist/', import.meta.url));
const { description, repository, version } = require('../../package.json');

/** Where the repository can be looked at, once package.json names it. The addresses follow GitHub. */
const web = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
const sourceOf = (path) => web && `${web}/blob/main/${path}`;
const editOf = (path) => web && `${web}/edit/main/${path}`;

/** In the header. */
const links = [
  ['Quick start', 'quick-start.html'],
  ['Reference', 'reference.html'],
  ['Changelog', 'changelog.html'],
  ...(web ? [['Source', web]] : []),
];

/** @param config Eleventy's. */
export default function (config) {
  const { markdown, files } = createMarkdown({ sourceOf });
  const groups = readContents();
  const order = groups.flatMap(({ entries }) => entries).flatMap(flat);
  const found = [];
  const keys = [];

  config.addExtension('md', {
    compile: (text, path) => () => {
      const paper = paperOf(path);
      const env = { paper };
      const tokens = markdown.parse(text, env);
      const sections = sectionsOf(tokens);
      if (isSearched(paper)) {
        for (const { anchor, heading, text } of sections) {
          const address = `${addressOf(paper)}#${anchor}`;
          const words = otherWords[address];
          found.push([
            address,
            titleOf(paper),
            heading,
            text.trim().replaceAll(/\s+/g, ' '),
            ...(words ? [words] : []),
          ]);
        }
      }
      if (paper === reference) {
        for (const { key, anchor, text } of keysOf(tokens)) {
          const address = `${addressOf(paper)}#${anchor}`;
          keys.push([address, `${titleOf(paper)} › ${anchor.replace(/\..*/, '')}`, key, text]);
        }
      }
      const at = order.findIndex((entry) => entry.paper === paper);
      return pageHtml({
        address: addressOf(paper),
        title: titleOf(paper),
        description,
        version,
        body: markdown.renderer.render(tokens, markdown.options, env),
        sections,
        groups,
        before: order[at - 1],
        after: at < 0 ? undefined : order[at + 1],
        edit: editOf(paper),
        links,
      });
    },
  });

  for (const paper of papers) {
    config.addTemplate(virtual(paper), read(paper), { permalink: addressOf(paper) });
  }

  config.on('eleventy.after', () => {
    const addresses = new Set(found.map(([address]) => address));
    const lost = Object.keys(otherWords).filter((address) => !addresses.has(address));
    if (lost.length > 0)
      throw new Error(`search_words.json names sections that are gone: ${lost.join(', ')}`);
    const copy = (from, to) => {
      mkdirSync(dirname(join(dist, to)), { recursive: true });
      copyFileSync(from, join(dist, to));
    };
    for (const [from, to] of files) copy(from, to);
    for (const name of ['site.css', 'site.js']) copy(pathOf(`scripts/manual-site/assets/${name}`), name);
    copy(require.resolve('minisearch').replace(/cjs.index\.cjs$/, 'umd/index.js'), 'minisearch.js');
    // A script, since a page that was opened from disk may load no JSON.
    const data = `formRelaySections = ${JSON.stringify(found)};\nformRelayKeys = ${JSON.stringify(keys)};\n`;
    writeFileSync(join(dist, 'search_data.js'), data);
  });

  return { dir: { input: '.', output: 'dist' }, templateFormats: ['md'] };
}

const flat = (entry) => [...(entry.paper ? [entry] : []), ...entry.entries.flatMap(flat)];

/** A paper's place among Eleventy's templates, which there is no file for. */
const virtual = (paper) => `papers/${paper}`;
const paperOf = (path) => path.replace(/^.*?papers\//, '');
