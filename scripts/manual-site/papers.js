/** The pages of the site: which Markdown files there are, where each goes, and in which order they are listed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The manual's table of contents: its headings are the groups of the sidebar. */
export const contents = 'docs/README.md';

/** Pages that the manual leads to, outside its folder. */
const beside = [
  ...['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['SUPPORT.md', 'ROADMAP.md', 'CODE_OF_CONDUCT.md'],
];

/** Paths are from the repository's root, with `/`. */
export const pathOf = (paper) => `${root}${paper}`;
export const exists = (path) => existsSync(pathOf(path));
export const read = (paper) => readFileSync(pathOf(paper), 'utf8');

/** Every page's Markdown. */
export const papers = [
  ...beside.filter(exists),
  ...readdirSync(pathOf('docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`),
].toSorted();

/** Where a page goes in the site: `docs/outputs/email.md` to `outputs/email.html`. */
export function addressOf(paper) {
  if (paper === contents) return 'manual.html';
  return paper
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html')
    .replace(/^[A-Z_]+\.html$/, (name) => name.toLowerCase());
}

/** How one page of the site names another, or a file: relative, so that the site works in any folder. */
export const between = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

const isDecision = (paper) => /^docs\/decisions\/(?!README)/.test(paper);

/** Whether readers look for it. The search shows reasons, proof and what is for contributors after everything else. */
export const isRead = (paper) => !/^[A-Z_]+\.md$|^docs\/(decisions\/|proof|spam-figures)/.test(paper);

/**
 * The sidebar: groups with a title, their entries, and what stands below an entry. In the table of contents an entry is
 * an item of a list. The first link in it is the entry; further links, and lists within it, stand below.
 */
export function readContents() {
  const groups = [];
  const seen = new Set();
  /** The entries that the current one is in, outermost first. */
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

/** With each heading goes what stands in it. */
function* walk(tokens) {
  for (const [at, token] of tokens.entries()) yield Object.assign(token, { inline: tokens[at + 1] });
}

/** The links of a text. `paper` is undefined where one leads to a place within a page, which may have entries below it. */
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
