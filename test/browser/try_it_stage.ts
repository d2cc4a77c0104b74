/** "Try it" as a visitor has it: its files in a static folder, below a path, on a server that notes what it is asked for. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { FrameLocator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { buildTryIt } from '../../packages/studio/try/build.ts';
import { openPage, type PageOptions } from './stage.ts';

let built: Promise<string> | undefined;

/** Once for all files of a worker; the folder is gone when that ends. */
export const folder = (): Promise<string> => {
  built ??= mkdtemp(join(tmpdir(), 'try-it-')).then(async (path) => {
    process.once('exit', () => void rm(path, { recursive: true, force: true }));
    await buildTryIt(path);
    return path;
  });
  return built;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

/** As `Share` writes it, by another hand. */
export const fragmentOf = (config: string): string =>
  `#1.${deflateRawSync(config, { level: 9 }).toString('base64url')}`;

export interface TryIt {
  readonly page: Page;
  readonly form: FrameLocator;
  /** What was asked for of the server, in order. */
  readonly asked: readonly string[];
  /** What browsers were about to ask anybody for, but for their own memory. */
  readonly requests: readonly string[];
  /** The address of the folder. */
  readonly address: string;
}

const withPrelude = (boot: string, prelude: string) =>
  boot.replace(/\(\)=>(.*)\);\s*$/s, (_, code: string) => `()=>{${prelude};return ${code}});`);

/** Below this path, as a docs site has it. */
export const mount = '/docs/latest/try/';

interface TryItOptions extends PageOptions {
  /** Default: `try`, the live form. */
  readonly tab?: 'build' | 'try';
  /** What the worker runs before all else. */
  readonly prelude?: string;
}

/** Chooses what to show, by the tabs that are in view at this width. */
export const showTab = (page: Page, name: string) =>
  page.locator('.choice:visible').getByText(name, { exact: true }).click();

/** The config's text as the editor has it, which draws all lines of a short one. */
export const typed = (page: Page): Promise<string> =>
  editor(page).evaluate((box) =>
    [...box.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );
export const editor = (page: Page) => page.getByRole('textbox', { name: 'Config' });

/** `fragment`: with `#`. */
export async function openTryIt(fragment = '', given: TryItOptions = {}): Promise<TryIt> {
  const { prelude = '', tab = 'try', ...options } = given;
  const path = await folder();
  const asked: string[] = [];
  const server = http.createServer(async (incoming, outgoing) => {
    const url = incoming.url ?? '';
    asked.push(url);
    const name = url.split('?', 1)[0]?.slice(mount.length) || 'index.html';
    const text = url.startsWith(mount) ? await readFile(join(path, name)).catch(() => undefined) : undefined;
    const sent = name === 'parts/boot.js' && text ? withPrelude(String(text), prelude) : text;
    outgoing
      .writeHead(text ? 200 : 404, { 'content-type': `${types[extname(name)]}; charset=utf-8` })
      .end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const page = await openPage({
    isAlone: true,
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const requests: string[] = [];
  page.context().on('request', (request) => {
    if (!/^(blob|data):/.test(request.url())) requests.push(request.url());
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount}`;
  await page.goto(address + fragment);
  await page.locator('body[data-ready]').waitFor();
  await page.locator('.b-canvas, #no-form').first().waitFor({ state: 'attached' });
  if (tab === 'try') await showTab(page, 'Try');
  return { page, form: page.frameLocator('#frame'), asked, requests, address };
}
