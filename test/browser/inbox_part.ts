/** Parts of the inbox's page in a page of their own, built as the inbox is and served under its policy. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { build } from 'vite';
import { onTestFinished } from 'vitest';

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

/** @param answer Answers requests for addresses below `/api/`. */
export async function servePart(script: string, answer: (url: URL) => unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'form-relay-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entry = join(folder, 'page.tsx');
  await writeFile(entry, script);
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    resolve: {
      dedupe: ['preact'],
      alias: { preact: join(import.meta.dirname, '../../node_modules/preact') },
    },
    build: {
      outDir: 'built',
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: { entryFileNames: 'page.js', chunkFileNames: '[name].js', assetFileNames: 'page[extname]' },
      },
    },
  });
  const server = http.createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '', 'http://localhost');
    outgoing.setHeader('content-security-policy', policy);
    if (url.pathname === '/') outgoing.setHeader('content-type', 'text/html').end(html);
    else if (url.pathname.startsWith('/api/')) outgoing.end(JSON.stringify(answer(url)));
    else {
      const bytes = await readFile(join(folder, 'built', url.pathname)).catch(() => undefined);
      outgoing.writeHead(bytes ? 200 : 404, { 'content-type': types[extname(url.pathname)] ?? 'text/plain' });
      outgoing.end(bytes);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const html = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Inbox</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<main><h1>Inbox</h1><div id="part"></div></main>
<script type="module" src="/page.js"></script>
</html>
`;
