/** The inbox's built page, with a real server and real files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { noCounts } from '../../apps/inbox/src/api.ts';
import { idle, indexed, stage } from '../../apps/inbox/test/stage.ts';
import type { Written } from '../../packages/stored/test/entries.ts';
import { listen } from '../support/listen.ts';
import { openPage, type Page, type PageOptions } from './stage.ts';

export const slow = 120_000;
const people = ['Ada Lovelace', 'Bob Miller', 'Céline Dubois', 'دانا', 'Emil Åberg', 'Fatma Yılmaz'];

export const entries: readonly Written[] = people.map((name, nth) => ({
  id: `id-${nth}`,
  form: nth === 5 ? 'gone' : 'contact',
  at: `2026-11-2${nth}T10:00:00.000Z`,
  values: {
    name: [name],
    email: [`person${nth}@example.org`],
    message: [`I would like an offer for ${nth + 1} windows.\nThank you, ${name}`],
  },
  files: nth === 1 ? [['cv', 'plan.txt', 'Four windows, one door.']] : [],
}));

let built: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** The page's files, built once for all tests in a file. */
export function pageFiles(): Promise<ReadonlyMap<string, Buffer>> {
  built ??= buildPage();
  return built;
}

async function buildPage(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'inbox-page-'));
  try {
    await build({ configFile: 'apps/inbox/vite.config.ts', build: { outDir: folder } });
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function open(
  entries: readonly Written[],
  options: Parameters<typeof stage>[1] = {},
  pageOptions: PageOptions = {},
) {
  const files = await pageFiles();
  const at = await stage(entries, { asset: async (name) => files.get(name), ...options });
  // Cookies belong to the browser context.
  const page = await openPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...pageOptions,
    isIsolated: true,
  });
  await page.goto(`http://127.0.0.1:${at.port}/?key=${at.key}`);
  return { at, page, origin: `http://127.0.0.1:${at.port}` };
}

export { idle };

export const rows = (page: Page) => page.getByRole('option');
export const row = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
export const message = (page: Page) => page.getByRole('article');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A server with this many generated entries, too many to write as files. */
export async function openGenerated(count: number) {
  const files = await pageFiles();
  const start = Date.UTC(2026, 10, 20);
  const entryOf = (index: number) =>
    indexed(`g-${index}`, {
      receivedAt: start - index * 60_000,
      sender: `Person ${index}`,
      summary: 'A question',
    });
  const about = {
    config: 'webform.yaml',
    forms: [
      {
        id: 'contact',
        title: 'Contact',
        isKnown: true,
        total: count,
        unread: 0,
        attention: noCounts,
        outputs: [],
        rights: { act: false, erase: false },
      },
    ],
    places: ['a folder'],
    troubles: { count: 0, latest: [] },
    models: [],
    person: { name: 'Ada', canSignOut: false },
  };
  let requests = 0;
  const server = http.createServer((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://x');
    const file = files.get(pathname === '/' ? 'index.html' : pathname.slice(1));
    if (file) {
      const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
      const [, end = 'html'] = /\.(\w+)$/.exec(pathname) ?? [];
      outgoing.writeHead(200, { 'content-type': types[end as keyof typeof types] }).end(file);
    } else if (pathname === '/api/events') {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    } else if (pathname === '/api/entries') {
      requests += 1;
      const from = Number(searchParams.get('from'));
      const most = Math.max(0, Math.min(Number(searchParams.get('count')), count - from));
      const entries = Array.from({ length: most }, (_, nth) => entryOf(from + nth));
      outgoing.end(JSON.stringify({ version: 1, total: count, entries }));
    } else if (pathname === '/api/about') outgoing.end(JSON.stringify(about));
    else outgoing.writeHead(404).end('{"error":"there is no such submission"}');
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const page = await openPage({ viewport: { width: 1440, height: 900 }, isIsolated: true });
  await page.goto(`http://127.0.0.1:${port}/`);
  return { page, requests: () => requests };
}
