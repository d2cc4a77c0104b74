// `npm run docs:check`: tests the built manual in Chromium, served from an unknown path and opened from disk:
// links, search, layout on phones and in dark mode, and accessibility according to axe-core.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { listen } from '../test/support/listen.ts';
import { filesOf } from './static_files.ts';

const dist = fileURLToPath(new URL('./manual-site/dist/', import.meta.url));
const axe = fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url));
const below = '/some/sub/path/';
/** A busy machine is slow; that is not a failure. */
const patienceMs = 120_000;
const server = createServer(filesOf(dist, below));

let failures = 0;
function expect(what: string, holds: boolean, seen: unknown = ''): void {
  if (holds) return;
  failures += 1;
  process.stderr.write(`FAILED: ${what} ${JSON.stringify(seen)}\n`);
}

/** Viewports and colour schemes in which pages are tested. */
const looks = [
  { name: 'desktop', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const;
/** Pages of each kind: long prose, wide tables, code, pictures. */
const looked = [
  ...['index.html', 'quick-start.html', 'outputs/notion.html', 'reference.html', 'problems.html'],
  ...['sites/react.html', 'styling.html'],
];

/** Search queries, and the pages that answer them: files, if needed with an anchor. */
const questions: Readonly<Record<string, readonly string[]>> = JSON.parse(
  await readFile(new URL('./manual-site/questions.json', import.meta.url), 'utf8'),
);
/** A file's path in the site. Anchors are kept. */
const addressOf = (paper: string) =>
  paper
    .replace(/^docs\//, '')
    .replace('README.md', 'index.html')
    .replace('.md', '.html');
/** How many of 20 questions may find their page only after the first three results. */
const maxMissed = 1;

async function findings(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: axe });
  // axe preloads stylesheets, which pages opened from disk may not do.
  const { violations } = await page.evaluate<Findings>('axe.run(document, { preload: false })');
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length})`);
}

/** The part of axe-core's result that is used. */
interface Findings {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

async function look(browser: Browser, root: string): Promise<void> {
  for (const { name, ...options } of looks) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    for (const path of looked) {
      await page.goto(root + path);
      const found = await findings(page);
      expect(`${path} in ${name}: axe-core finds nothing`, found.length === 0, found);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(`${path} in ${name} is no wider than the window`, width <= options.viewport.width, width);
    }
    await context.close();
  }
}

/** Acts as a reader: follows a link, searches with the keyboard only, and keeps the chosen colour scheme. */
async function use(browser: Browser, root: string): Promise<void> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  page.setDefaultTimeout(patienceMs);
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('requestfailed', (request) => wrong.push(request.url()));
  page.on('response', (response) => response.status() >= 400 && wrong.push(response.url()));
  await page.goto(`${root}outputs/email.html`);
  await page.click('.pages li a:has-text("Quick start")');
  await page.waitForURL(`${root}quick-start.html`);
  await page.keyboard.press('/');
  await page.keyboard.type('minimal filling');
  await page.waitForSelector('[role=option]');
  const found = await findings(page);
  expect('axe-core finds nothing in the search', found.length === 0, found);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${root}spam.html#minimum-filling-time`);
  await page.keyboard.press('/');
  const missed: string[] = [];
  for (const [question, answers] of Object.entries(questions)) {
    await page.fill('[role=combobox]', question);
    const results = await page.$$eval('[role=option]', (all) =>
      all.slice(0, 3).map((one) => one.getAttribute('data-href') ?? ''),
    );
    const found = results.map((href) => href.replace(/^(\.\.\/)*/, ''));
    const isFound = answers
      .map(addressOf)
      .some((answer) =>
        found.some((place) => (answer.includes('#') ? place : place.split('#')[0]) === answer),
      );
    if (!isFound) missed.push(`"${question}" finds ${results}`);
  }
  const limit = (Object.keys(questions).length / 20) * maxMissed;
  expect('the first three results answer the questions', missed.length <= limit, missed);
  await page.keyboard.press('Escape');
  await page.goto(`${root}spam.html`);
  await page.click('.theme');
  await page.click('.theme');
  await page.goto(`${root}fields.html`);
  const theme = await page.evaluate('document.documentElement.dataset.theme');
  expect('the colours that were chosen stay', theme === 'dark', theme);
  expect('the pages log no errors', wrong.length === 0, wrong);
  await page.context().close();
}

/** Without scripts, everything readable must be reachable. */
async function useWithoutScript(browser: Browser, root: string): Promise<void> {
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  page.setDefaultTimeout(patienceMs);
  await page.goto(`${root}index.html`);
  await page.click('.pages li a:has-text("Troubleshooting")');
  await page.waitForURL(`${root}troubleshooting.html`);
  await page.close();
}

const port = await listen(server);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const served = `http://127.0.0.1:${port}${below}`;
const opened = pathToFileURL(dist).href;
try {
  await look(browser, served);
  for (const root of [served, opened]) {
    await use(browser, root);
    await useWithoutScript(browser, root);
  }
} finally {
  await browser.close();
  server.close();
}
process.stdout.write(`${looked.length} pages in ${looks.length} looks, ${failures} failures\n`);
process.exitCode = failures > 0 ? 1 : 0;
