/** `npm run try`: builds "Try it" and serves it on this machine. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTryIt } from './build.ts';

const folder = fileURLToPath(new URL('../dist/try/', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

await buildTryIt(folder);
const server = http.createServer(async (incoming, outgoing) => {
  const [path = '/'] = (incoming.url ?? '/').split('?');
  const name = path === '/' ? 'index.html' : path.slice(1);
  const isName = /^(?:(?:parts|data)\/)?[\w-]+\.(?:html|css|js)$/.test(name);
  const text = isName ? await readFile(folder + name).catch(() => undefined) : undefined;
  outgoing.writeHead(text ? 200 : 404, { 'content-type': types[extname(name)] ?? 'text/plain' }).end(text);
});
server.listen(Number(process.env.PORT) || 0, '127.0.0.1', () => {
  process.stdout.write(`Try it at http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
