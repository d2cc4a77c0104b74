// `npm run screenshot`: takes the README's pictures from `relay demo`: its form, inbox and mail, and its config in the studio.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { readStrictly } from '../test/support/strict_mail.ts';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

// The studio shows this path, so it must not contain random letters.
const demoFolder = join(tmpdir(), 'joinery');
if (existsSync(demoFolder)) throw new Error(`${demoFolder} must be free for the demo`);
process.once('exit', () => rmSync(demoFolder, { recursive: true, force: true }));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Chromium's sandbox does not work as root.
  chromiumSandbox: process.getuid?.() !== 0,
});
const demo = await start(['demo', '--port', '0', '--no-open', '--keep', demoFolder], 2);
const [form = '', inbox = ''] = demo.addresses;
await shootOverview(form, inbox);
await shootMail();
await shootStudio();
demo.stop();
await browser.close();

/** Starts the relay, and waits until it has printed this many URLs. */
async function start(words: readonly string[], count: number) {
  const relay = spawn(process.execPath, [path('dist/relay.cjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const addresses: string[] = [];
  for await (const line of createInterface({ input: relay.stdout })) {
    addresses.push(/http:\S+/.exec(line)?.[0] ?? '');
    if (addresses.length === count) break;
  }
  return { addresses, stop: () => relay.kill('SIGINT') };
}

function open(width: number, height: number): Promise<Page> {
  return browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    // A user agent as of a real browser, because headless ones get spam points.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
  });
}

/** Reduces the colours for a smaller file, if the machine has pngquant. */
async function save(page: Page, name: string, fullPage = false): Promise<void> {
  const file = path(`docs/${name}.png`);
  await page.screenshot({ path: file, fullPage });
  spawnSync('pngquant', ['--force', '--speed', '1', '--output', file, file]);
}

/** Puts two pictures side by side, as cards. */
async function saveBoth(name: string, looks: readonly (readonly [picture: Buffer, width: number])[]) {
  const page = await open(
    looks.reduce((sum, [, width]) => sum + width + 24, 24),
    100,
  );
  const pictures = looks.map(
    ([picture, width]) =>
      `<img src="data:image/png;base64,${picture.toString('base64')}" style="width:${width}px;border-radius:14px;box-shadow:0 0 0 1px #8884">`,
  );
  await page.setContent(
    `<body style="margin:0;padding:24px;display:flex;gap:24px;align-items:start;background:#e7ebea">${pictures.join('')}`,
  );
  await save(page, name, true);
}

/** Shows what visitors and owners see: a form, and the inbox with submissions. */
async function shootOverview(form: string, inbox: string): Promise<void> {
  const filled = await open(560, 900);
  await filled.goto(form);
  await filled.getByLabel('Your name').fill('Ada Example');
  await filled.getByLabel('E-mail').fill('ada@visitor.example');
  await filled.getByText('Staircase').click();
  const owner = await open(1180, 900);
  await owner.goto(inbox);
  await owner.getByText('200 submissions').waitFor();
  await owner.getByText('Dario Esempio').first().click();
  await owner.getByText('sketch.png').first().waitFor();
  // Replaces a path of this machine.
  await owner.getByText(/webform\.yaml$/).evaluate((shown) => {
    shown.textContent = 'webform.yaml';
  });
  await saveBoth('overview', [
    [await filled.screenshot(), 500],
    [await owner.screenshot(), 1054],
  ]);
}

/** Shows a mail of the demo to the office, on a phone in dark mode and on a desktop. */
async function shootMail(): Promise<void> {
  const mails = join(demoFolder, 'mails');
  const all = readdirSync(mails)
    .sort()
    .flatMap((name) => readStrictly(`${readFileSync(join(mails, name), 'latin1')}\r\n`).parts);
  const { text: html = '' } =
    all.findLast(({ type, text }) => type === 'text/html' && text.includes('Ada Example')) ?? {};
  const page = await open(100, 100);
  const shoot = async (colorScheme: 'light' | 'dark', width: number) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 100 });
    await page.setContent(html, { waitUntil: 'load' });
    return [await page.screenshot({ fullPage: true }), width] as const;
  };
  await saveBoth('mail', [await shoot('light', 680), await shoot('dark', 360)]);
}

/** Shows a field in the builder, next to its YAML and a submission that has arrived. */
async function shootStudio(): Promise<void> {
  const config = join(demoFolder, 'webform.yaml');
  const { addresses, stop } = await start(['--config', config, 'dev', '--port', '0', '--no-open'], 1);
  const [address = ''] = addresses;
  const page = await open(1440, 900);
  await page.goto(address);
  await page.goto(String(new URL('/?form=quote&tab=try', address)));
  const form = page.frameLocator('#frame');
  await form.getByLabel('Your name').waitFor();
  await page.getByRole('button', { name: 'Fill in' }).click();
  await form.locator('[name=name]:valid').waitFor();
  await form.locator('button[type=submit]').click();
  await page.locator('.report').waitFor();
  await page.getByText('Build', { exact: true }).first().click();
  await page.locator('[data-name=wood] [data-part=edit]').click();
  await page.locator('[data-name=wood]').evaluate((row) => row.scrollIntoView({ block: 'start' }));
  await page.mouse.move(0, 0);
  await save(page, 'playground');
  stop();
}
