// docs/mail.png: the HTML mail of the example in docs/outputs/email.md, on a phone in dark mode and on a desk.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { startRelay } from '../test/support/relay.ts';

export async function shootMail(browser: Browser, manual: URL, picture: URL): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 1.5 });
  const html = await mailOfExample(readFileSync(manual, 'utf8'));
  const shoot = async (colorScheme: 'light' | 'dark', width: number) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 100 });
    await page.setContent(html);
    return (await page.screenshot({ fullPage: true })).toString('base64');
  };
  const looks = [await shoot('dark', 360), await shoot('light', 680)];
  await page.setViewportSize({ width: 1104, height: 100 });
  await page.setContent(
    `<body style="margin:0"><div style="padding:16px;display:flex;gap:16px;align-items:start">${looks
      .map(
        (look, at) =>
          `<img src="data:image/png;base64,${look}" style="width:${at === 0 ? 360 : 680}px;border:1px solid #c8c8d0;border-radius:16px">`,
      )
      .join('')}</div>`,
  );
  writeFileSync(picture, await page.screenshot({ fullPage: true }));
}

/** What the manual's example sends when it is done as the manual says. */
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
  const relay = await startRelay({
    config,
    effects: {
      smtp: async (mail) => {
        html = mail.html ?? '';
      },
    },
  });
  await relay.submit('contact', values);
  await relay.close();
  return html;
}
