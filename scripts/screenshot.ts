// `npm run screenshot`: docs/playground.png, the studio as the README shows it, and docs/mail.png.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { shootMail } from './mail_screenshot.ts';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const relay = spawn(
  process.execPath,
  [path('dist/relay.cjs'), '--config', 'examples/studio/webform.yaml', 'dev', '--port', '0'],
  {
    cwd: path(''),
    env: { PATH: process.env.PATH, HOOK_TOKEN: 'swordfish' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const [line = ''] = await once(createInterface({ input: relay.stdout }), 'line');
const address = /http:\S+/.exec(line)?.[0] ?? '';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // As root, Chromium's own sandbox is not to be had.
  chromiumSandbox: process.getuid?.() !== 0,
});
const page = await browser.newPage({
  viewport: { width: 1440, height: 900 },
  deviceScaleFactor: 1.5,
  reducedMotion: 'reduce',
  // As people's browsers have it: a headless one is doubted.
  userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
});
// A field that is being built, beside its lines and a submission that has arrived.
await page.goto(address);
await page.goto(String(new URL('/?form=contact&tab=try', address)));
await page.frameLocator('#frame').getByLabel('Name').waitFor();
await page.getByRole('button', { name: 'a visitor' }).click();
await page.locator('#ending', { hasText: 'the owner got' }).waitFor();
await page.getByText('Build', { exact: true }).first().click();
await page.locator('[data-name=topics] [data-part=edit]').click();
await page.locator('[data-name=topics]').evaluate((row) => row.scrollIntoView({ block: 'start' }));
await page.mouse.move(0, 0);
await page.screenshot({ path: path('docs/playground.png') });
await shootMail(
  browser,
  new URL('../docs/outputs/email.md', import.meta.url),
  new URL('../docs/mail.png', import.meta.url),
);
await browser.close();
relay.kill();
