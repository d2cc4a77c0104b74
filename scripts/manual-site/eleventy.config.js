/** `npm run docs`: builds the manual as a site in `scripts/manual-site/dist`, which works in any folder, and from disk. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarkdown, namesOf, reference, sectionsOf } from './markdown.js';
import {
  addressOf,
  between,
  contents,
  isRead,
  papers,
  pathOf,
  read,
  readContents,
  titleOf,
} from './papers.js';

const require = createRequire(import.meta.url);
/** Synonyms for a page's or section's subject. */
const searchWords = require('./search_words.json');
const dist = fileURLToPath(new URL('dist/', import.meta.url));
const { description, repository, version } = require('../../package.json');

/** The repository's web address, if package.json names it. URLs follow GitHub's scheme. */
const web = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
const sourceOf = (path) => web && `${web}/blob/main/${path}`;
const editOf = (path) => web && `${web}/edit/main/${path}`;

/** Links in the header. */
const links = [
  ['Quick start', 'quick-start.html'],
  ['Reference', 'reference.html'],
  ['Changelog', 'changelog.html'],
  ...(web ? [['Source', web]] : []),
];

/** @param config Eleventy's config. */
export default function (config) {
  const { markdown, files } = createMarkdown({ sourceOf });
  const groups = readContents();
  const order = groups.flatMap(({ entries }) => entries).flatMap(flat);
  const searched = [];
  /** Sorts pages that explain the same name: the reference first, the others in the manual's order. */
  const placeOf = ({ address }) =>
    address === addressOf(reference) ? -1 : order.findIndex(({ to }) => addressOf(to) === address) >>> 0;

  config.addGlobalData('groups', groups);
  config.addGlobalData('links', links);
  config.addGlobalData('version', version);
  config.addFilter('addressOf', addressOf);
  config.addFilter('from', (to, address) => (/^https?:/.test(to) ? to : between(address, to)));
  config.addFilter('holds', holds);
  config.addExtension('md', {
    compile:
      () =>
      ({ body }) =>
        body,
  });

  for (const paper of papers) {
    const env = { paper };
    const tokens = markdown.parse(read(paper), env);
    const sections = sectionsOf(tokens);
    if (paper !== contents) searched.push(entryOf(paper, sections, namesOf(tokens)));
    const at = order.findIndex((entry) => entry.paper === paper);
    const address = addressOf(paper);
    config.addTemplate(`papers/${paper}`, '', {
      layout: 'page.njk',
      permalink: address,
      address,
      title: titleOf(paper),
      body: markdown.renderer.render(tokens, markdown.options, env),
      shown: sections.filter(({ level }) => level === 2 || level === 3),
      summary: (address !== 'index.html' && firstWords(sections)) || description,
      before: order[at - 1],
      after: at < 0 ? undefined : order[at + 1],
      edit: editOf(paper),
    });
  }

  config.on('eleventy.after', () => {
    const copy = (from, to) => {
      mkdirSync(dirname(join(dist, to)), { recursive: true });
      copyFileSync(from, join(dist, to));
    };
    for (const [from, to] of files) copy(from, to);
    for (const name of ['site.css', 'site.js', 'search.js'])
      copy(pathOf(`scripts/manual-site/assets/${name}`), name);
    copy(require.resolve('minisearch').replace(/cjs.index\.cjs$/, 'umd/index.js'), 'minisearch.js');
    // A script, because a page opened from disk may not load JSON.
    const inOrder = searched.toSorted((one, other) => placeOf(one) - placeOf(other));
    writeFileSync(join(dist, 'search_data.js'), `formRelayPages = ${JSON.stringify(inOrder)};\n`);
  });

  return { dir: { input: '.', output: 'dist' }, templateFormats: ['md'] };
}

/** A page's search entry: its sections with their synonyms, and the keys, codes and commands that it explains. */
function entryOf(paper, sections, names) {
  const wordsOf = (anchor) => searchWords[anchor ? `${paper}#${anchor}` : paper] ?? '';
  return {
    address: addressOf(paper),
    title: titleOf(paper),
    isLast: !isRead(paper),
    sections: sections.map(({ anchor, heading, text }, at) => [
      anchor,
      heading,
      text.trim().replaceAll(/\s+/g, ' '),
      [at === 0 ? wordsOf('') : '', wordsOf(anchor)].join(' ').trim(),
    ]),
    names: names.map(({ anchor, name, text }) => [anchor, name, text]),
  };
}

const flat = (entry) => [...(entry.paper ? [entry] : []), ...entry.entries.flatMap(flat)];

/** Whether a page is an entry of the sidebar, or below it. */
const holds = ({ to, anchor, entries }, address) =>
  (!anchor && addressOf(to) === address) || entries.some((entry) => holds(entry, address));

/** The description for search engines: the page's first sentences. */
function firstWords(sections) {
  const text = (sections[0]?.text ?? '').trim().replaceAll(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, 160).replace(/\s\S*$/, '')} …`;
}
