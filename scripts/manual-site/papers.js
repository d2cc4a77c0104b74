/** The site's pages: the Markdown files, their paths in the site, and their order. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The manual's table of contents: its headings become groups in the sidebar. */
export const contents = 'docs/README.md';

/** Pages outside the manual's folder to which it links. */
const beside = [
  ...['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['SUPPORT.md', 'ROADMAP.md', 'CODE_OF_CONDUCT.md'],
];

/** Paths are relative to the repository's root, with `/`. */
export const pathOf = (paper) => `${root}${paper}`;
export const exists = (path) => existsSync(pathOf(path));
export const read = (paper) => readFileSync(pathOf(paper), 'utf8');

/** The Markdown files of all pages. */
export const papers = [
  ...beside.filter(exists),
  ...readdirSync(pathOf('docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`),
].toSorted();

/** A page's path in the site: `outputs/email.html` for `docs/outputs/email.md`. */
export function addressOf(paper) {
  if (paper === contents) return 'manual.html';
  return paper
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html')
    .replace(/^[A-Z_]+\.html$/, (name) => name.toLowerCase());
}

/** A relative link from one page to another or to a file, so that the site works in any folder. */
export const between = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

const isDecision = (paper) => /^docs\/decisions\/(?!README)/.test(paper);

/** Whether readers search for it. Design decisions, proofs and pages for contributors come last in results. */
export const isRead = (paper) => !/^[A-Z_]+\.md$|^docs\/(decisions\/|proof|spam-figures)/.test(paper);

/**
 * The sidebar: titled groups, their entries, and what is below each. An entry is a list item in the table of
 * contents: its first link. Further links and nested lists are below it.
 */
export function readContents() {
  const groups = [];
  const seen = new Set();
  /** The ancestors of the current entry, outermost first. */
  let open = [];
  for (const token of walk(new MarkdownIt().parse(read(contents), {}))) {
    if (token.type === 'heading_open') groups.push({ title: token.inline.content, entries: [] });
    if (token.type === 'list_item_open') open.push(undefined);
    if (token.type === 'list_item_close') open.pop();
    if (token.type !== 'inline' || open.length === 0) continue;
    for (const entry of linksOf(token)) {
      if (seen.has(entry.paper)) continue;
      if (entry.paper) seen.add(entry.paper);
      const parent = open.findLast((other) => other !== undefined);
      (parent ?? groups.at(-1)).entries.push(entry);
      open = open.with(-1, open.at(-1) ?? entry);
    }
  }
  const forgotten = papers.filter(
    (paper) => paper.startsWith('docs/') && paper !== contents && !seen.has(paper) && !isDecision(paper),
  );
  if (forgotten.length > 0) {
    groups.push({
      title: 'More',
      entries: forgotten.map((paper) => ({ paper, to: paper, title: titleOf(paper), entries: [] })),
    });
  }
  return groups.filter(({ entries }) => entries.length > 0);
}

/** Yields each heading with the content below it. */
function* walk(tokens) {
  for (const [at, token] of tokens.entries()) yield Object.assign(token, { inline: tokens[at + 1] });
}

/** The links in a text. `paper` is undefined for a link within a page, which may have entries below it. */
function linksOf({ children }) {
  return children.flatMap((child, at) => {
    if (child.type !== 'link_open') return [];
    const [path, anchor] = child.attrGet('href').split('#');
    const paper = posix.join('docs', path);
    if (!papers.includes(paper)) return [];
    return [
      { paper: anchor ? undefined : paper, to: paper, anchor, title: children[at + 1].content, entries: [] },
    ];
  });
}

/** A page's first heading, as text. */
export const titleOf = (paper) => (/^# (.*)$/m.exec(read(paper))?.[1] ?? paper).replaceAll('`', '');
