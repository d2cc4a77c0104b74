/** Renders Markdown as GitHub does: with the same anchors, and with links between files turned into links between pages. */
import { posix } from 'node:path';
import hljs from 'highlight.js/lib/common';
import powershell from 'highlight.js/lib/languages/powershell';
import MarkdownIt from 'markdown-it';
import { addressOf, between, exists, papers, pathOf } from './papers.js';

hljs.registerLanguage('powershell', powershell);
/** Language names in the manual, mapped to those of highlight.js. */
const languages = {
  ...{ tsx: 'typescript', jsx: 'javascript', svelte: 'xml', vue: 'xml', astro: 'xml', njk: 'xml' },
  ...{ gotmpl: 'xml', liquid: 'xml' },
};

/** A heading's anchor as on GitHub. `seen` counts the anchors of the page. */
function anchorOf(text, seen) {
  const anchor = text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  const times = seen.get(anchor) ?? 0;
  seen.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

const { escapeHtml } = new MarkdownIt().utils;

/** Replaces a link without a target in the site by its text, followed by the file name unless the text contains it. */
function nameFile(children, file) {
  const end = children.findIndex(({ type }) => type === 'link_close');
  const text = children.slice(1, end).map(({ content }) => content);
  const named = text.join('').includes(file) ? '' : ` (<code>${escapeHtml(file)}</code>)`;
  Object.assign(children[0], { type: 'html_inline', content: '' });
  Object.assign(children[end], { type: 'html_inline', content: named });
}

/** @param sourceOf Returns the URL of a repository file that is not a page, if it has one. */
export function createMarkdown({ sourceOf }) {
  /** Files that pages show or link to, and their destinations. */
  const files = new Map();
  // Allows HTML as on GitHub: the papers are our own, and contain comments about their generators.
  const markdown = new MarkdownIt({ html: true });

  /** A link's target in the site, or the file name if the file is not in the site. Throws if the target does not exist. */
  function resolve(href, paper) {
    if (/^(https?:|mailto:)/.test(href)) return { address: href };
    const [path = '', anchor] = href.split('#');
    const to = path === '' ? paper : posix.join(posix.dirname(paper), decodeURI(path));
    const fragment = anchor === undefined ? '' : `#${anchor}`;
    if (path === '') return { address: fragment };
    if (papers.includes(to)) return { address: between(addressOf(paper), addressOf(to)) + fragment };
    if (!exists(to)) throw new Error(`${paper} links to ${href}, which does not exist`);
    if (!/^docs\/.*\.\w+$/.test(to)) return { address: sourceOf(to) && sourceOf(to) + fragment, file: to };
    const address = to.replace(/^docs\//, '');
    files.set(pathOf(to), address);
    return { address: between(addressOf(paper), address) };
  }

  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const anchors = new Map();
    for (const [at, token] of tokens.entries()) {
      // An empty table header is removed.
      if (token.type === 'th_open' && tokens[at + 1].content === '') {
        token.tag = 'td';
        tokens[at + 2].tag = 'td';
      }
      if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[at + 1].content, anchors));
      for (const [index, child] of (token.children ?? []).entries()) {
        const name = { link_open: 'href', image: 'src' }[child.type];
        if (!name) continue;
        const { address, file } = resolve(child.attrGet(name), env.paper);
        if (address === undefined) nameFile(token.children.slice(index), file);
        else child.attrSet(name, address);
      }
    }
    const taken = new Set(anchors.keys());
    for (const { item, anchor } of namesOf(tokens)) {
      if (item && !taken.has(anchor)) item.attrSet('id', anchor);
      taken.add(anchor);
    }
  });

  const { rules } = markdown.renderer;
  rules.heading_close = (tokens, at) => {
    const { tag } = tokens[at];
    const id = tokens[at - 2].attrGet('id');
    // The page's title does not link to itself.
    const link =
      tag === 'h1' ? '' : ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
    return `${link}</${tag}>\n`;
  };
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at) => {
    const { content, info } = tokens[at];
    const [language = ''] = info.split(' ');
    const known = languages[language] ?? language;
    const code = hljs.getLanguage(known)
      ? hljs.highlight(content, { language: known }).value
      : escapeHtml(content);
    return `<div class="code"><pre tabindex="0"><code>${code}</code></pre></div>\n`;
  };

  return { markdown, files };
}

export const reference = 'docs/reference.md';

/**
 * Names that a page explains: keys, variables, codes, statuses and commands. A heading in code or with a status has one
 * name, and so has each item or row that begins with code, which gets an anchor such as `outputs.on_error`.
 */
export function namesOf(tokens) {
  const names = [];
  let section = '';
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const { children, content } = tokens[at + 1];
      section = token.attrGet('id');
      const isCode = children.length === 1 && children[0].type === 'code_inline';
      const [name] = isCode ? [children[0].content] : (/^[1-5]\d\d\b/.exec(content) ?? []);
      if (name) names.push({ name: nameIn(name), anchor: section, text: plain(tokens[at + 4] ?? {}) });
    }
    const isRow = token.type === 'tr_open' && tokens[at + 1].type === 'td_open';
    if (!isRow && token.type !== 'list_item_open') continue;
    const [first, ...rest] = tokens[at + 2].children ?? [];
    if (first?.type !== 'code_inline') continue;
    const close = token.type.replace('open', 'close');
    const end = tokens.findIndex(({ type }, index) => index > at && type === close);
    const cells = tokens.slice(at + 3, end).filter(({ type }) => type === 'inline');
    const name = nameIn(first.content);
    const text = [{ children: rest }, ...cells].map(plain).join(' ').trim();
    names.push({ item: token, name, anchor: `${section}.${name.replaceAll(/\s+/g, '-')}`, text });
  }
  return names;
}

/** The name in a usage line: `default` in `default value fallback`, `form check` in `relay form check PAGE`. */
const nameIn = (code) => /^relay (.*?)(?= [[A-Z-]|$)/.exec(code)?.[1] ?? code.replace(/:$/, '').split(' ')[0];

/** A page's sections for the search and for its table of contents: each heading, and the text below it. */
export function sectionsOf(tokens) {
  const sections = [{ level: 1, anchor: '', heading: '', text: '' }];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plain(tokens[at + 1]);
      sections.push({ level: Number(token.tag[1]), anchor: token.attrGet('id'), heading, text: '' });
    } else if (token.type === 'fence') sections.at(-1).text += ` ${token.content}`;
    else if (token.type === 'inline' && tokens[at - 1].type !== 'heading_open')
      sections.at(-1).text += ` ${plain(token)}`;
  }
  return sections.filter(({ heading }) => heading !== '');
}

const plain = ({ children }) =>
  (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
