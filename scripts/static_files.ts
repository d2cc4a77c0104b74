/** A plain static file server. */
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
};

/**
 * Serves folders as static hosts do: `/tag/` is `tag/index.html`.
 * @param below The site's base path. @param isApp Whether its index replaces missing pages.
 */
export function filesOf(folder: string, below = '/', isApp = false): RequestListener {
  const read = async (path: string) => ({ path, content: await readFile(join(folder, normalize(path))) });
  return async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const isPage = extname(path) === '';
    const inside = path.startsWith(below) ? `/${path.slice(below.length)}` : '/-';
    const found = await read(isPage ? `${inside}/index.html` : inside)
      .catch(() => (isPage && isApp ? read('/index.html') : undefined))
      .catch(() => undefined);
    // A page that submits to itself: the data would be lost.
    const status = request.method !== 'GET' ? 405 : found ? 200 : 404;
    response.writeHead(status, { 'content-type': types[extname(found?.path ?? '')] ?? 'text/plain' });
    response.end(status === 200 ? found?.content : 'Nothing here.');
  };
}
