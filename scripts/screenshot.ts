// `npm run screenshot`: docs/playground.png, the studio as the README shows it, and docs/mail.png, the HTML mail of the
// example in docs/outputs/email.md on a phone in dark mode and on a desk; docs/inbox.png and docs/form.png, of `relay demo`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { startRelay } from '../test/support/relay.ts';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // As root, Chromium's own sandbox is not to be had.
  chromiumSandbox: process.getuid?.() !== 0,
});
await shootStudio(browser);
await shootMail(browser);
await shootDemo(browser);
await browser.close();

/** A field that is being built, next to its lines and a submission that has arrived. */
async function shootStudio(browser: Browser): Promise<void> {
  const words = [path('dist/relay.cjs'), '--config', 'examples/studio/webform.yaml', 'dev', '--port', '0'];
  const env = { PATH: process.env.PATH, HOOK_TOKEN: 'swordfish' };
  const relay = spawn(process.execPath, words, { cwd: path(''), env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line = ''] = await once(createInterface({ input: relay.stdout }), 'line');
  const address = /http:\S+/.exec(line)?.[0] ?? '';
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
    // As people's browsers have it: a headless one is doubted.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
  });
  await page.goto(address);
  await page.goto(String(new URL('/?form=contact&tab=try', address)));
  const form = page.frameLocator('#frame');
  await form.getByLabel('Name').waitFor();
  await page.getByRole('button', { name: 'Fill in' }).click();
  await form.locator('[name=name]:valid').waitFor();
  await form.locator('button[type=submit]').click();
  await page.locator('.report').waitFor();
  await page.getByText('Build', { exact: true }).first().click();
  await page.locator('[data-name=topics] [data-part=edit]').click();
  await page.locator('[data-name=topics]').evaluate((row) => row.scrollIntoView({ block: 'start' }));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path('docs/playground.png') });
  relay.kill();
}

/** The inbox, and the form light and dark side by side. */
async function shootDemo(browser: Browser): Promise<void> {
  const words = [path('dist/relay.cjs'), 'demo', '--port', '0', '--no-open'];
  const relay = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const addresses: string[] = [];
  for await (const line of createInterface({ input: relay.stdout })) {
    addresses.push(/http:\S+/.exec(line)?.[0] ?? '');
    if (addresses.length === 2) break;
  }
  const [form = '', inbox = ''] = addresses;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 });
  await page.goto(inbox);
  await page.getByText('200 submissions').waitFor();
  await page.getByText('Dario Esempio').first().click();
  await page.getByText('sketch.png').first().waitFor();
  await page.screenshot({ path: path('docs/inbox.png') });
  const looks: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.setViewportSize({ width: 620, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(form);
    await page.getByText('Something else').click();
    looks.push((await page.screenshot()).toString('base64'));
  }
  // The form's own policy would forbid the styles of this page.
  await page.goto('about:blank');
  await page.setViewportSize({ width: 1256, height: 100 });
  const pictures = looks.map((look) => `<img src="data:image/png;base64,${look}" style="width:620px">`);
  await page.setContent(
    `<body style="margin:0;display:flex;gap:16px;align-items:start">${pictures.join('')}`,
  );
  await page.screenshot({ path: path('docs/form.png'), fullPage: true });
  relay.kill('SIGINT');
}

async function shootMail(browser: Browser): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 1.5 });
  const html = await mailOfExample(readFileSync(path('docs/outputs/email.md'), 'utf8'));
  const shoot = async (colorScheme: 'light' | 'dark', width: number) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 100 });
    await page.setContent(html);
    const look = (await page.screenshot({ fullPage: true })).toString('base64');
    return `<img src="data:image/png;base64,${look}" style="width:${width}px;border:1px solid #c8c8d0;border-radius:16px">`;
  };
  const looks = [await shoot('dark', 360), await shoot('light', 680)];
  await page.setViewportSize({ width: 1104, height: 100 });
  const style = 'padding:16px;display:flex;gap:16px;align-items:start';
  await page.setContent(`<body style="margin:0"><div style="${style}">${looks.join('')}</div>`);
  await page.screenshot({ path: path('docs/mail.png'), fullPage: true });
}

/** The mail that the manual's example sends when its steps are followed. */
async function mailOfExample(manual: string): Promise<string> {
  const section = manual.slice(manual.indexOf('\n## What the mail says\n'));
  const config = /```yaml\n(.*?)```/s.exec(section)?.[1] ?? '';
  const command = /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
  const values = [...command.matchAll(/-d (\w+)=(?:'([^']*)'|(\S+))|'(\w+)=([^']*)'/g)].map(
    ([, name, quoted, bare, longName, long]): [string, string] => [
      name ?? longName ?? '',
      quoted ?? bare ?? long ?? '',
    ],
  );
  let html = '';
  const smtp = async (mail: { readonly html?: string | undefined }) => {
    html = mail.html ?? '';
  };
  const relay = await startRelay({ config, effects: { smtp } });
  await relay.submit('contact', values);
  await relay.close();
  return html;
}
