/**
 * The time until the inbox's page has opened sealed submissions, in Chromium: `npx tsx lab/bench/inbox_sealed.ts [submissions]`.
 * It measures a first visit, which opens all (10,000 unless told), a second, which reads the index of the first, and searches.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { entryFiles } from '../../test/archive/entries.ts';

const many = Number(process.argv[2] ?? 10_000);
const sealedSource = fileURLToPath(new URL('../../packages/inbox/app/sealed/sealed.ts', import.meta.url));
const words = 'quote street visit lamp garden order number window question answer invoice morning'.split(' ');

const folder = mkdtempSync(join(tmpdir(), 'relay-sealed-'));
const entry = join(folder, 'page.ts');
writeFileSync(
  entry,
  `import { createSealed } from ${JSON.stringify(sealedSource)};\nglobalThis.sealed = createSealed('here');\n`,
);
await build({
  root: folder,
  configFile: false,
  logLevel: 'error',
  worker: {
    format: 'es',
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /packages\/relay\//, sideEffects: false }] },
    },
  },
  build: { outDir: 'built', rolldownOptions: { input: entry, output: { entryFileNames: 'page.js' } } },
});

const identity = await generateX25519Identity();
const sealTo = [await identityToRecipient(identity)];
const listed: { id: string; form: string; receivedAt: number }[] = [];
const documents = new Map<string, Buffer>();
for (let nth = 0; nth < many; nth++) {
  const receivedAt = Date.UTC(2026, 0, 1) + nth * 60_000;
  const id = `entry${nth}`;
  const text = (length: number) =>
    Array.from({ length }, (_, at) => words[(nth * 31 + at * at * 7) % words.length]).join(' ');
  const values = { name: [`Person ${nth}`], email: [`person${nth}@example.org`], message: [text(60)] };
  const files = await entryFiles({ id, at: new Date(receivedAt).toISOString(), values, sealTo });
  documents.set(id, [...files.values()][0] as Buffer);
  listed.push({ id, form: 'contact', receivedAt });
}

const server = http.createServer((incoming, outgoing) => {
  const url = new URL(incoming.url ?? '', 'http://localhost');
  const [, id] = /^\/api\/entries\/([^/]+)\/document$/.exec(url.pathname) ?? [];
  if (url.pathname === '/')
    outgoing
      .setHeader('content-type', 'text/html')
      .end('<!DOCTYPE html><script type="module" src="/page.js"></script>');
  else if (url.pathname === '/api/sealed') {
    const from = Number(url.searchParams.get('after') ?? 0);
    const next = from + 500 < many ? { next: `${from + 500}` } : {};
    outgoing.end(JSON.stringify({ entries: listed.slice(from, from + 500), total: many, ...next }));
  } else if (id) outgoing.end(documents.get(id));
  else if (url.pathname.endsWith('.js'))
    outgoing
      .setHeader('content-type', 'text/javascript')
      .end(readFileSync(join(folder, 'built', url.pathname)));
  else outgoing.writeHead(404).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const names = ['chromium-headless-shell', 'chromium'];
const executablePath = process.env.CHROMIUM ?? `/usr/bin/${names[process.env.WINDOWS ? 1 : 0]}`;
const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
const page = await browser.newPage();

/** Milliseconds from the identity to the last entry, and of the slowest of some searches. */
async function visit(): Promise<{ opened: number; searched: number; found: number }> {
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page.evaluate(async (identity) => {
    // biome-ignore lint/suspicious/noExplicitAny: the global of the page.
    const { sealed } = globalThis as any;
    const start = performance.now();
    const unlocked = await sealed.unlock(identity);
    if (!unlocked.ok) throw new Error(unlocked.error);
    await sealed.refresh();
    const opened = performance.now() - start;
    let searched = 0;
    let found = 0;
    for (const search of ['person77', 'quote gard', 'invoice morning lam', 'nothing']) {
      const from = performance.now();
      found += (await sealed.search(search)).length;
      searched = Math.max(searched, performance.now() - from);
    }
    return { opened, searched, found };
  }, identity);
}

console.log(
  `${many} sealed submissions; ${cpus().length} × ${cpus()[0]?.model}; Chromium ${browser.version()}`,
);
for (const nth of ['first', 'second']) {
  const { opened, searched, found } = await visit();
  console.log(
    `${nth} visit: ${(opened / 1000).toFixed(1)} s, ${Math.round((1000 * many) / opened)} a second;` +
      ` slowest search ${searched.toFixed(1)} ms, ${found} found`,
  );
}
await browser.close();
server.close();
rmSync(folder, { recursive: true });
