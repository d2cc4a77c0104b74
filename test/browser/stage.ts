/** Real pages in a real Chromium, in front of a real relay. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { formHtml } from '../support/form_html.ts';
import { bodyOf, type HttpSinkOptions, startHttpSink, tempFolder, untilEnd } from '../support/index.ts';
import { startRelay, type TestRelayOptions } from '../support/relay.ts';

export type { Frame, FrameLocator, Page } from 'playwright-core';

/** Chromium without its windows takes two thirds of the CPU. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser'];
const executablePath = process.env.CHROMIUM ?? names.map((name) => `/usr/bin/${name}`).find(existsSync);
const isRequired = process.env.REQUIRE_BROWSER === '1';

/**
 * Each new window loads two pages for the suggestions below its address bar, which nobody sees: a fifth of the time
 * that Chromium takes for these tests. Chromium only reads the last list of features, so Playwright's stands here, too.
 */
const disabledFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['ThirdPartyStoragePartitioning'],
];

const launched = new Map<string | undefined, Promise<Browser>>();

/** A single browser for all files of a worker, and one for each feature that is still an experiment; they end with the worker. */
function browser(feature?: string): Promise<Browser> {
  if (!executablePath) throw new Error('REQUIRE_BROWSER=1, and there is no /usr/bin/chromium');
  const launching = launched.get(feature) ?? launch(feature);
  launched.set(feature, launching);
  return launching;
}

const launch = (feature: string | undefined) =>
  chromium.launch({
    // As root, Chromium's own sandbox is not to be had.
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    // Frames of other origins in processes of their own, as in browsers with windows.
    args: [
      '--site-per-process',
      ...(feature ? [`--enable-features=${feature}`] : []),
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });

/** Skipped, loudly, where there is no browser, unless REQUIRE_BROWSER=1. */
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

/** Settings of htmx that a page on another origin than the relay's needs. */
export const crossOriginConfig = {
  htmx2: `<meta name="htmx-config" content='{"selfRequestsOnly":false}'>`,
  htmx4: `<meta name="htmx-config" content='{"mode":"cors"}'>`,
} as const;

export type Stage = Awaited<ReturnType<typeof stage>>;

interface StageOptions extends TestRelayOptions {
  /** YAML of the forms; `$sink` is an URL that takes everything. */
  readonly forms: string;
  readonly sink?: HttpSinkOptions;
  /** Rewrites `Host` on the way to the relay, as careless proxies do. */
  readonly proxiedHost?: string;
}

/** A relay, a sink behind it, and a host for pages before it. */
export async function stage(given: StageOptions) {
  const { forms, sink: sinkOptions, env, proxiedHost, ...options } = given;
  const sink = await startHttpSink(sinkOptions);
  const relay = await startRelay({
    config: `forms:\n${forms.replaceAll('$sink', `${sink.origin}/`)}`,
    env: { FORM_TOKEN_SECRET: 'not so secret', ...env },
    ...options,
  });
  const pages = new Map<string, { html: string; headers: http.OutgoingHttpHeaders }>();
  const host = http.createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (url.startsWith('/api/')) {
      const sent = { ...headers, ...(proxiedHost && { host: proxiedHost }) };
      const onward = http.request(relay.origin + url, { method, headers: sent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      });
      // Leaving a page may abort its requests, and so may the end of a test.
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
      return;
    }
    const page = pages.get(url);
    const script = files.get(url);
    if (page) outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
    else if (script) outgoing.writeHead(200, { 'content-type': 'text/javascript' });
    else outgoing.writeHead(404);
    outgoing.end(page?.html ?? script);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    host.closeAllConnections();
    host.close();
    await Promise.all([relay.close(), sink.close()]);
  });
  return {
    ...relay,
    /** The deliveries, in order. */
    sink,
    get delivered() {
      return sink.requests.map(({ body }) => [...new URLSearchParams(body)]);
    },
    /** The same in one text each, such as `email=ada@example.org&name=Ada`. */
    get bodies() {
      return sink.requests.map(bodyOf);
    },
    /** The origin of the host pages; its `/api` leads to the relay, so that the relay is there on the same origin, too. */
    host: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    /** Serves a page on the host, with these headers. */
    serve: (path: string, html: string, headers: http.OutgoingHttpHeaders = {}) =>
      pages.set(path, { html, headers }),
  };
}

/** A page around some markup, with nothing that axe-core or html-validate would find wrong with the page itself. */
export const documentWith = (body: string, head = '') =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Host</title>\n${head}</head>\n` +
  `<body>\n<main>\n<h1>Host</h1>\n${body}</main>\n</body>\n</html>\n`;

/**
 * Chromium's messages that are no complaint: answers of 4xx are shown to the visitor, pages have no icon, and scripts move the
 * focus to the first error before Chromium gets to the attribute that says the same.
 */
const isNormal = /status of [45]\d\d|Response Status Error Code [45]\d\d|^Autofocus processing was blocked/;

/**
 * `SLOW_BROWSER=4`: each page has a quarter of a processor, and waits for what it loads. Tests that only pass by
 * winning a race fail then.
 */
const slowness = Number(process.env.SLOW_BROWSER ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  // Not by a route, which keeps pages out of the cache and answers preflights itself.
  const unlimited = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { ...unlimited, latency: 100 * slowness });
}

/** By its options: a page that stays open, in the context that tests with these options share. */
const openers = new Map<string, Promise<Page>>();

async function newOpener(options: BrowserContextOptions): Promise<Page> {
  const context = await (await browser()).newContext(options);
  const page = await context.newPage();
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html' }));
  await page.goto('http://127.0.0.1/');
  return page;
}

/** In the process of the page that opens it: half of a test's time would go into a process of its own. */
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
  /** For a test that stages what belongs to the context: its clock, its routes, its network. */
  readonly isIsolated?: boolean;
  /** An experiment of Chromium's, for a test with a browser of its own. */
  readonly feature?: string;
  /** Where it goes. Default: it stays empty. */
  readonly url?: string;
  /** Messages of the console, and errors of scripts, that the test expects. Others fail it. */
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

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Lists the violations that axe-core finds in the page as it is shown now, or in a part of it, a line each. */
export async function violationsIn(page: Page, part?: string): Promise<readonly string[]> {
  // Through the debugger, which no Content-Security-Policy keeps out.
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

/** As if the browser checked nothing, so that the relay has something to find. */
export async function unchecked(page: Page): Promise<void> {
  const forms = page.locator('form');
  await forms.first().waitFor({ state: 'attached' });
  await forms.evaluateAll((all) => {
    for (const form of all as HTMLFormElement[]) form.noValidate = true;
  });
}

/** Takes a screenshot, if it has a name. Expects that axe-core finds nothing, and that nothing hangs over the page's edge. */
export async function isSound(page: Page, name?: string): Promise<void> {
  if (name) await screenshot(page, name);
  expect(await violationsIn(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

/** For people to look at, in the folder that SCREENSHOTS names. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** A page on the host with htmx that loads these forms from the relay. */
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

/** Each way of the relay's to show a form. */
export type Way = 'page' | 'script' | 'htmx2' | 'htmx4';

/** The two that differ for a part of a form: the script of a page, and htmx. */
export const ways: readonly Way[] = ['script', 'htmx4'];

/** A form on the relay's own page, on one of the host's with the script, or with htmx. */
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

/** The output of the built `relay form html` for a config. */
export async function runFormHtml(config: string, ...args: readonly string[]) {
  const folder = tempFolder();
  await writeFile(join(folder, 'webform.yaml'), config);
  const command = ['dist/relay.cjs', '--config', join(folder, 'webform.yaml')];
  return promisify(execFile)(process.execPath, [...command, 'form', 'html', ...args]);
}
