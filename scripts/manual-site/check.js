/** Checks that every link of the built site leads to an existing file and anchor. Exits with 1 otherwise. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('dist', import.meta.url));
const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html'))
  .map((path) => join(dist, path));

const unescaped = (text) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** For each page: the targets of its links and images, and its own anchors. */
const named = new Map(
  pages.map((page) => {
    const html = readFileSync(page, 'utf8');
    const all = (pattern) => [...html.matchAll(pattern)].map(([, value]) => unescaped(value));
    return [
      page,
      { links: all(/<[a-z][^>]*\s(?:href|src)="([^"]*)"/g), ids: all(/<[a-z][^>]*\sid="([^"]*)"/g) },
    ];
  }),
);

let links = 0;
const broken = [];
for (const [page, { links: of, ids }] of named) {
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  broken.push(...twice.map((id) => `${relative(dist, page)} has the anchor #${id} twice`));
  for (const link of of) {
    if (/^(https?:|mailto:|data:)/.test(link)) continue;
    links += 1;
    const [path, fragment] = link.split('#');
    const target = path === '' ? page : join(dirname(page), decodeURI(path.replace(/\?.*/, '')));
    // The link must stay inside the site's folder, so that the site works in any folder.
    const isOutside = link.startsWith('/') || relative(dist, target).startsWith('..');
    const isThere = !isOutside && existsSync(target) && statSync(target).isFile();
    const anchors = named.get(target)?.ids;
    const isNamed = !fragment || !anchors || anchors.includes(decodeURIComponent(fragment));
    if (!isThere || !isNamed) broken.push(`${relative(dist, page)} links to ${link}, which does not exist`);
  }
}

for (const line of broken) process.stderr.write(`${line}\n`);
process.stdout.write(`${pages.length} pages, ${links} links within them, ${broken.length} broken\n`);
process.exitCode = broken.length > 0 || pages.length === 0 ? 1 : 0;
