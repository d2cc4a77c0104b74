/** The page around each paper. */
import MarkdownIt from 'markdown-it';
import { addressOf, between } from './papers.js';

const { escapeHtml } = new MarkdownIt().utils;

const icon = (path) =>
  `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;
const icons = {
  menu: icon('<path d="M4 7h16M4 12h16M4 17h16"/>'),
  search: icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>'),
  theme: icon('<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>'),
};

/** Before anything is painted: the colours that were chosen, and whether there is a script at all. */
const early = `document.documentElement.className='js';try{document.documentElement.dataset.theme=localStorage.theme||'auto'}catch{}`;

/** @param page What stands on it, and where it is: `address` is its path in the site. `edit` is where it can be changed, if anywhere. */
export function pageHtml({
  address,
  title,
  description,
  version,
  body,
  sections,
  groups,
  before,
  after,
  edit,
  links,
}) {
  const to = (target) => between(address, target);
  const isHome = address === 'index.html';
  const places = links
    .map(([text, href]) => `<a href="${escapeHtml(/^https?:/.test(href) ? href : to(href))}">${text}</a>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isHome ? 'Form Relay' : `${escapeHtml(title)} · Form Relay`}</title>
<meta name="description" content="${escapeHtml(isHome ? description : firstWords(sections) || description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark('#0f766e'))}">
<link rel="stylesheet" href="${to('site.css')}">
<script>${early}</script>
</head>
<body data-root="${to('index.html').replace('index.html', '')}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="icon menu needs-js" aria-label="Pages" aria-expanded="false" aria-controls="pages">${icons.menu}</button>
<a class="brand" href="${to('index.html')}">${mark('currentColor')}<span>Form Relay</span></a>
<button class="search needs-js" aria-label="Search" aria-haspopup="dialog">${icons.search}<span>Search</span><kbd>/</kbd></button>
<nav aria-label="Places">${places}</nav>
<button class="icon theme needs-js" aria-label="Colours: as the system has them">${icons.theme}</button>
</header>
<div class="columns">
<nav id="pages" class="pages" aria-label="Pages">
<div class="places">${places}</div>
${groups.map(({ title, entries }) => `<p class="group">${escapeHtml(title)}</p>\n${entriesHtml(entries, address)}`).join('\n')}
<p class="version">Version ${version}</p>
</nav>
<main id="content" tabindex="-1">
<article>
${body}</article>
<footer>
${edit ? `<p><a href="${escapeHtml(edit)}">Edit this page</a></p>` : ''}
<nav class="next" aria-label="Pages before and after">
${before ? `<a rel="prev" href="${to(addressOf(before.paper))}"><small>Before</small>${escapeHtml(before.title)}</a>` : ''}
${after ? `<a rel="next" href="${to(addressOf(after.paper))}"><small>Next</small>${escapeHtml(after.title)}</a>` : ''}
</nav>
</footer>
</main>
${contentsHtml(sections)}
</div>
<script src="${to('site.js')}"></script>
</body>
</html>
`;
}

/** An envelope on its way. */
const mark = (colour) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M7 6h13a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9M21 7l-8 6-4-3M2 10h4M1 14h6M3 18h2"/></svg>`;

/** The text that a search engine shows below the title: the page's first sentences. */
function firstWords(sections) {
  const text = (sections[0]?.text ?? '').trim().replaceAll(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, 160).replace(/\s\S*$/, '')} …`;
}

const entriesHtml = (entries, address) =>
  `<ul>${entries.map((entry) => `<li>${entryHtml(entry, address)}</li>`).join('')}</ul>`;

function entryHtml(entry, address) {
  const { title, to, anchor, entries } = entry;
  const target = addressOf(to);
  const current = target === address && !anchor ? ' aria-current="page"' : '';
  const href = between(address, target) + (anchor ? `#${anchor}` : '');
  const link = `<a href="${href}"${current}>${escapeHtml(title)}</a>`;
  if (entries.length === 0) return link;
  const isOpen = holds(entry, address) ? ' open' : '';
  return `${link}<details${isOpen}><summary>${`<span>More on ${escapeHtml(title)}</span>`}</summary>${entriesHtml(entries, address)}</details>`;
}

const holds = ({ to, anchor, entries }, address) =>
  (!anchor && addressOf(to) === address) || entries.some((entry) => holds(entry, address));

function contentsHtml(sections) {
  const shown = sections.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '<div class="contents"></div>';
  const items = shown.map(
    ({ level, anchor, heading }) =>
      `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p class="group">On this page</p><ul>${items.join('')}</ul></nav>`;
}
