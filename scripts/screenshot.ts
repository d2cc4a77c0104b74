// `npm run screenshot`: docs/playground.png, the playground after a form was sent, as the README shows it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const relay = spawn(
  process.execPath,
  [path('dist/relay.cjs'), '--config', 'examples/playground/webform.yaml', 'dev', '--port', '0'],
  {
    cwd: path(''),
    env: { PATH: process.env.PATH, HOOK_TOKEN: 'swordfish' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const [line = ''] = await once(createInterface({ input: relay.stdout }), 'line');
const origin = /http:\S+/.exec(line)?.[0];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // As root, Chromium's own sandbox is not to be had.
  chromiumSandbox: process.getuid?.() !== 0,
});
const page = await browser.newPage({
  viewport: { width: 1440, height: 900 },
  deviceScaleFactor: 1.5,
  reducedMotion: 'reduce',
});
const form = page.frameLocator('#frame');
const fillIn = async () => {
  await page.getByRole('button', { name: 'Fill in' }).click();
  await form.locator('[name=name][value]').waitFor();
};
const send = async (count: number) => {
  await form.getByRole('button', { name: 'Send' }).click();
  await page.locator('.story').nth(count).waitFor();
};

// One that was too fast, and one whose story is open.
await page.goto(`${origin}/?form=quote&mode=htmx4`);
await page.getByRole('button', { name: 'Fill in' }).click();
await form.locator('[name=company][value]').waitFor();
await send(0);
await page.goto(`${origin}/?form=contact&mode=htmx4`);
await form.getByLabel('Name').waitFor();
await fillIn();
await send(1);
await fillIn();
await page.mouse.move(0, 0);
await page.screenshot({ path: path('docs/playground.png') });
await browser.close();
relay.kill();
