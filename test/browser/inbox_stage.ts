/** The inbox's page, built, in front of a real server over real files. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import type { InboxOptions } from '../../packages/inbox/src/server/index.ts';
import type { Written } from '../archive/entries.ts';
import { stage } from '../inbox/stage.ts';
import { openPage, type PageOptions } from './stage.ts';

let built: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** The files of the page, built once for all tests of a file. */
export function pageFiles(): Promise<ReadonlyMap<string, Buffer>> {
  built ??= buildPage();
  return built;
}

async function buildPage(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'inbox-page-'));
  try {
    await build({ configFile: 'packages/inbox/vite.config.ts', build: { outDir: folder } });
    return new Map(
      ['index.html', 'inbox.js', 'inbox.css'].map((name) => [name, readFileSync(join(folder, name))]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function open(
  entries: readonly Written[],
  options: Partial<InboxOptions> = {},
  pageOptions: PageOptions = {},
) {
  const files = await pageFiles();
  const at = await stage(entries, { asset: async (name) => files.get(name), ...options });
  // Cookies belong to the context.
  const page = await openPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...pageOptions,
    isAlone: true,
  });
  await page.goto(`http://127.0.0.1:${at.port}/?key=${at.key}`);
  return { at, page, origin: `http://127.0.0.1:${at.port}` };
}

export const rows = (page: Page) => page.getByRole('option');
export const row = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
export const letter = (page: Page) => page.getByRole('article');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
