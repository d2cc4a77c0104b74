/** Real pages in a real Chromium, with a real relay. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { formHtml } from '../support/form_html.ts';
import {
  bodyOf,
  type HttpSinkOptions,
  listen,
  startHttpSink,
  startRelay,
  type TestRelayOptions,
  tempFolder,
  untilEnd,
} from '../support/index.ts';
import { passOn } from './pass_on.ts';

export type { Frame, FrameLocator, Page } from 'playwright-core';

/** Headless Chromium takes two thirds of the CPU. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser'];
const executablePath = process.env.CHROMIUM ?? names.map((name) => `/usr/bin/${name}`).find(existsSync);
const isRequired = process.env.REQUIRE_BROWSER === '1';

/**
 * Each new window loads two invisible pages for search suggestions: a fifth of Chromium's CPU time in these
 * tests. Chromium only reads the last list of features, so Playwright's list is repeated here.
 */
const disabledFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['ThirdPartyStoragePartitioning'],
];

const launched = new Map<string | undefined, Promise<Browser>>();

/** A worker's browser for all files, and one for each experimental feature; they end with the worker. */
function browser(feature?: string): Promise<Browser> {
  if (!executablePath) throw new Error('REQUIRE_BROWSER=1, and there is no /usr/bin/chromium');
  const launching = launched.get(feature) ?? launch(feature);
  launched.set(feature, launching);
  return launching;
}

const launch = (feature: string | undefined) =>
  chromium.launch({
    // Chromium's sandbox does not work as root.
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    // Cross-origin frames run in separate processes, as in browsers with windows.
    args: [
      '--site-per-process',
      ...(feature ? [`--enable-features=${feature}`] : []),
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });

/** Skipped with a loud message if there is no browser, unless REQUIRE_BROWSER=1. */
export function describeInBrowser(title: string, suite: () => void): void {
  if (!executablePath && !isRequired)
    console.warn(`SKIPPED for want of /usr/bin/chromium: ${title}. REQUIRE_BROWSER=1 makes this a failure.`);
  describe.skipIf(!executablePath && !isRequired)(title, suite);
}

/** Files that only a page with htmx loads. */
export type Htmx = 'htmx2' | 'htmx4';
const require = createRequire(import.meta.url);
const files: ReadonlyMap<string, string> = new Map(
  (['htmx2', 'htmx4'] as const).map((name) => [
    `/${name}.js`,
    readFileSync(require.resolve(`${name}/dist/htmx.min.js`), 'utf8'),
  ]),
);

/** htmx settings for a page on another origin than the relay's. */
export const crossOriginConfig = {
  htmx2: `<meta name="htmx-config" content='{"selfRequestsOnly":false}'>`,
  htmx4: `<meta name="htmx-config" content='{"mode":"cors"}'>`,
} as const;

export type Stage = Awaited<ReturnType<typeof stage>>;

interface StageOptions extends TestRelayOptions {
  /** The forms in YAML; `$sink` is a URL that accepts everything. */
  readonly forms: string;
  readonly sink?: HttpSinkOptions;
}

/** A relay, a sink that it delivers to, and a host for pages. */
export async function stage(given: StageOptions) {
  const { forms, sink: sinkOptions, env, ...options } = given;
  const sink = await startHttpSink(sinkOptions);
  const relay = await startRelay({
    config: `forms:\n${forms.replaceAll('$sink', `${sink.origin}/`)}`,
    env: { FORM_TOKEN_SECRET: 'not so secret', ...env },
    ...options,
  });
  const pages = new Map<string, { html: string; headers: http.OutgoingHttpHeaders }>();
  const host = http.createServer((incoming, outgoing) => {
    const { url = '' } = incoming;
    if (url.startsWith('/api/')) return passOn(relay.origin, incoming, outgoing);
    const page = pages.get(url);
    const script = files.get(url);
    if (page) outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
    else if (script) outgoing.writeHead(200, { 'content-type': 'text/javascript' });
    else outgoing.writeHead(404);
    outgoing.end(page?.html ?? script);
  });
  const port = await listen(host);
  onTestFinished(async () => {
    host.closeAllConnections();
    host.close();
    await Promise.all([relay.close(), sink.close()]);
  });
  return {
    ...relay,
    /** Deliveries, in order. */
    sink,
    get delivered() {
      return sink.requests.map(({ body }) => [...new URLSearchParams(body)]);
    },
    /** Deliveries as text, such as `email=ada@example.org&name=Ada`. */
    get bodies() {
      return sink.requests.map(bodyOf);
    },
    /** The origin of the host's pages; its `/api` is forwarded to the relay, so the relay is also available on that origin. */
    host: `http://127.0.0.1:${port}`,
    /** Serves a page on the host with these headers. */
    serve: (path: string, html: string, headers: http.OutgoingHttpHeaders = {}) =>
      pages.set(path, { html, headers }),
  };
}

/** A page around some markup, in which axe-core and html-validate find no mistakes. */
export const documentWith = (body: string, head = '') =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Host</title>\n${head}</head>\n` +
  `<body>\n<main>\n<h1>Host</h1>\n${body}</main>\n</body>\n</html>\n`;

/** The form script, and the tag of a form, as on another site's page. */
export const scriptOf = ({ origin }: Pick<Stage, 'origin'>) =>
  `<script src="${origin}/api/v1/form.js" defer></script>\n`;
export const tagOf = ({ origin }: Pick<Stage, 'origin'>, form = 'contact') =>
  `<relay-form src="${origin}/api/v1/form/${form}"></relay-form>\n`;

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
export const isFocused = (page: Page, selector: string) =>
  expect.poll(() => page.evaluate((s) => document.activeElement?.matches(s), selector)).toBe(true);

/**
 * Messages of Chromium that are expected: 4xx answers are shown to the visitor, pages have no icon, and
 * scripts focus the first error before Chromium handles the attribute for that.
 */
const isNormal = /status of [45]\d\d|Response Status Error Code [45]\d\d|^Autofocus processing was blocked/;

/**
 * `SLOW_BROWSER=4`: each page gets a quarter of a processor, and a delay on everything it loads, so that
 * tests which depend on a race fail.
 */
const slowness = Number(process.env.SLOW_BROWSER ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  // Uses no route, because routes keep pages out of the cache and answer preflights themselves.
  const unlimited = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { ...unlimited, latency: 100 * slowness });
}

/** A page per set of options that stays open, in a context shared by tests with these options. */
const openers = new Map<string, Promise<Page>>();

async function newOpener(options: BrowserContextOptions): Promise<Page> {
  const context = await (await browser()).newContext(options);
  const page = await context.newPage();
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html' }));
  await page.goto('http://127.0.0.1/');
  return page;
}

/** Runs in the process of the page that opens it: a new process would take half of a test's time. */
async function newSharedPage(options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify(options);
  const opening = openers.get(key) ?? newOpener(options);
  openers.set(key, opening);
  const opener = await opening;
  const context = opener.context();
  onTestFinished(async () => {
    const opened = context.pages().filter((page) => page !== opener);
    const closing = Promise.all(opened.map((page) => page.close())).then(() => true);
    // Chromium sometimes never closes a page that is closed while it navigates. The next test gets another opener.
    if (!(await Promise.race([closing, setTimeout(10_000, false, { ref: false })]))) openers.delete(key);
  });
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    opener.evaluate(() => void window.open('about:blank')),
  ]);
  return page;
}

async function newOwnPage(options: BrowserContextOptions, feature?: string): Promise<Page> {
  const context = await untilEnd((await browser(feature)).newContext(options));
  return context.newPage();
}

export interface PageOptions extends BrowserContextOptions {
  /** For a test that changes the context: its clock, its routes, its network. */
  readonly isIsolated?: boolean;
  /** An experimental feature of Chromium, for a test with a browser of its own. */
  readonly feature?: string;
  /** The page to open. Default: it stays empty. */
  readonly url?: string;
  /** Console messages and script errors that the test expects. Others fail it. */
  readonly complains?: RegExp;
}

export async function openPage(given: PageOptions = {}): Promise<Page> {
  const { isIsolated = false, feature, url, complains = isNormal, ...options } = given;
  const page = await (isIsolated || feature ? newOwnPage : newSharedPage)(options, feature);
  page.setDefaultTimeout(60_000);
  if (slowness > 1) await slowDown(page);
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  onTestFinished(() =>
    expect(said.filter((text) => !isNormal.test(text) && !complains.test(text))).toEqual([]),
  );
  if (url !== undefined) await page.goto(url);
  return page;
}

/** Opens the relay's own page of a form. */
export async function openForm(forms: string, form: string, options: PageOptions = {}) {
  const at = await stage({ forms });
  return { at, page: await openPage({ url: `${at.origin}/api/v1/form/${form}`, ...options }) };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Lists axe-core's violations in the page, or in a part of it, one per line. */
export async function violationsIn(page: Page, part?: string): Promise<readonly string[]> {
  // Uses the debugger, which is exempt from Content-Security-Policies.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (selector) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe-core is a global of the page.
    const { axe } = globalThis as any;
    const { violations } = await axe.run(selector ?? document, { resultTypes: ['violations'] });
    return violations.flatMap(
      ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    );
  }, part);
}

/** Turns off the browser's validation, so that the relay finds the mistakes. */
export async function unchecked(page: Page): Promise<void> {
  const forms = page.locator('form');
  await forms.first().waitFor({ state: 'attached' });
  await forms.evaluateAll((all) => {
    for (const form of all as HTMLFormElement[]) form.noValidate = true;
  });
}

/** Expects no violations from axe-core and no overflow. With a name, also takes a screenshot. */
export async function isSound(page: Page, name?: string): Promise<void> {
  if (name) await screenshot(page, name);
  expect(await violationsIn(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

/** Saves a screenshot for people to look at, in the folder named by SCREENSHOTS. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** A page on the host with htmx, which loads these forms from the relay. */
export async function openWithHtmx(
  at: Stage,
  htmx: Htmx,
  origin: 'same' | 'cross',
  forms: readonly string[],
  opened?: Page,
): Promise<Page> {
  const base = origin === 'same' ? '' : at.origin;
  const head = `${origin === 'cross' ? crossOriginConfig[htmx] : ''}<script src="/${htmx}.js"></script>`;
  const loaders = forms.map(
    (form) => `<div hx-get="${base}/api/v1/form/${form}" hx-trigger="load">Loading …</div>`,
  );
  at.serve('/page', documentWith(loaders.join('\n'), head));
  const page = opened ?? (await openPage());
  await page.goto(`${at.host}/page`);
  for (const form of forms) await page.locator(`form[action$="/${form}"]`).first().waitFor();
  return page;
}

/** Ways to show a form. */
export type Way = 'page' | 'script' | 'htmx2' | 'htmx4';

/** The two that differ for parts of a form: the page's script, and htmx. */
export const ways: readonly Way[] = ['script', 'htmx4'];

/** Opens a form on the relay's own page, or on a page of the host with the script or htmx. */
export async function openBy(way: Way, at: Stage, form: string, opened?: Page): Promise<Page> {
  if (way === 'htmx2' || way === 'htmx4') return openWithHtmx(at, way, 'same', [form], opened);
  const page = opened ?? (await openPage());
  const address = `${at.origin}/api/v1/form/${form}`;
  const tag = `<relay-form src="${address}"></relay-form><script src="${at.origin}/api/v1/form.js"></script>`;
  at.serve('/', documentWith(tag));
  await page.goto(way === 'page' ? address : `${at.host}/`);
  return page;
}

/** The markup that `relay form html` prints for a form of the stage. */
export const printed = (at: Stage, forms: string, form: string, ...options: readonly string[]) =>
  formHtml(
    `forms:${forms.replaceAll('$sink', `${at.sink.origin}/`)}`,
    ...[form, '--base-url', at.origin, ...options],
  );

/** Runs the built `relay form html` for a config, and returns its output. */
export async function runFormHtml(config: string, ...args: readonly string[]) {
  const folder = tempFolder();
  await writeFile(join(folder, 'webform.yaml'), config);
  const command = ['dist/relay.cjs', '--config', join(folder, 'webform.yaml')];
  return promisify(execFile)(process.execPath, [...command, 'form', 'html', ...args]);
}
