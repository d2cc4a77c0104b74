// `npm run docs:check`: the built manual in Chromium, served below a path that it does not know and opened from disk: do
// its pages, links and search work, is it whole on a phone and in the dark, and does axe-core find nothing?

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { listen } from '../test/support/listen.ts';

const dist = fileURLToPath(new URL('./manual-site/dist/', import.meta.url));
const axe = fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url));
const below = '/some/sub/path/';
/** A busy machine is slow, and not broken. */
const patienceMs = 120_000;
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
};

/** A server that knows files and nothing else. */
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
  const file = normalize(join(dist, path.startsWith(below) ? path.slice(below.length) || 'index.html' : '-'));
  const body = file.startsWith(dist) ? await readFile(file).catch(() => undefined) : undefined;
  response.writeHead(body ? 200 : 404, {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
  });
  response.end(body);
});

let failures = 0;
function expect(what: string, holds: boolean, seen: unknown = ''): void {
  if (holds) return;
  failures += 1;
  process.stderr.write(`FAILED: ${what} ${JSON.stringify(seen)}\n`);
}

/** Looks that the pages are seen in. */
const looks = [
  { name: 'desktop', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const;
/** Pages of each kind: much prose, wide tables, code, pictures. */
const looked = [
  ...['index.html', 'quick-start.html', 'outputs/notion.html', 'reference.html', 'problems.html'],
  ...['sites/react.html', 'styling.html'],
];

/** Search queries, and the pages that answer them: files, with an anchor of the site where needed. */
const questions: Readonly<Record<string, readonly string[]>> = JSON.parse(
  await readFile(new URL('./manual-site/questions.json', import.meta.url), 'utf8'),
);
/** Where a file is in the site. Anchors stay. */
const addressOf = (paper: string) =>
  paper
    .replace(/^docs\//, '')
    .replace('README.md', 'index.html')
    .replace('.md', '.html');
/** How many of 20 questions may find their page after the first three results. */
const maxMissed = 1;

async function findings(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: axe });
  // Axe preloads stylesheets, which pages opened from disk may not do.
  const { violations } = await page.evaluate<Findings>('axe.run(document, { preload: false })');
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length})`);
}

/** The part of axe-core's result that is read. */
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

/** Acts as a reader: follows a link, searches only by keys, and keeps the chosen colours. */
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
  expect('nothing goes wrong', wrong.length === 0, wrong);
  await page.context().close();
}

/** Without a script, all that can be read can be reached. */
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
