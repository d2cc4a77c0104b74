import type { Frame, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { stage } from '../studio/stage.ts';
import {
  complaintsOf,
  describeInBrowser,
  isNotAboutFocus,
  openPage,
  screenshot,
  violationsIn,
} from './stage.ts';

const forms = `
forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true, autocomplete: name}
      - {name: message, type: textarea}
    outputs:
      - type: smtp
        host: smtp.example.com
        from: Acme website <forms@acme.example>
        to: Office <office@acme.example>
        bcc: archive@acme.example
        subject: Message from {{ .fields.name }}
        html: true
        footer: "[Our imprint](https://www.acme.example/imprint)"
`;

const message = Array.from({ length: 60 }, (_, index) => `line ${index} <img src=https://evil.example/x>`);

const booking = `
forms:
  contact:
    fields:
      - {name: email, type: email, required: true, autocomplete: email}
    outputs:
      - {type: smtp, host: smtp.example.com, to: office@acme.example, mapping: "*"}
    confirmation_mail:
      {to: email, subject: Your table, text: See you on Friday., html: true}
`;

const newsletter = `
forms:
  contact:
    fields:
      - {name: email, type: email, required: true, autocomplete: email}
    confirmation: Welcome!
    outputs:
      - {type: http_post, url: "https://list.example.com/", mapping: "*"}
    double_opt_in:
      {to: email, subject: Confirm, text: Was it you?, html: true, through: {type: smtp, host: smtp.example.com}}
`;

async function openMail(options = {}) {
  const at = await stage({ config: forms });
  const page = await openPage({ viewport: { width: 1440, height: 900 }, ...options });
  await page.goto(`${at.origin}/`);
  await page.frameLocator('#frame').locator('form').waitFor();
  await at.post('/api/v1/submit/contact', { name: 'Ada', message: message.join('\n') });
  await page.locator('.mail').first().waitFor();
  return { at, page };
}

/** The frame that is looked at, once it is there. */
async function shownFrame(page: Page): Promise<Frame> {
  const element = await page.locator('.letter iframe:visible').elementHandle();
  const frame = await element?.contentFrame();
  await frame?.locator('body').waitFor();
  if (!frame) throw new Error('no mail is shown');
  return frame;
}

const looks = (frame: Frame) =>
  frame.locator('body').evaluate((body) => ({
    scheme: getComputedStyle(document.documentElement).colorScheme,
    back: getComputedStyle(body).backgroundColor,
    width: innerWidth,
    scrolls: document.documentElement.scrollHeight > innerHeight,
  }));

describeInBrowser('a mail in the studio', () => {
  test.each(['light', 'dark'] as const)(
    'is shown in light and in dark in a %s browser, on a phone and on a desk, by keyboard alone',
    async (colorScheme) => {
      const { page } = await openMail({ colorScheme });
      await screenshot(page, `mail-${colorScheme}`);
      const light = await looks(await shownFrame(page));
      expect(light).toMatchObject({ scheme: 'light', scrolls: true });
      expect(light.width).toBeLessThan(400);

      await page.getByRole('radio', { name: 'Light' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowRight');
      await expect.poll(async () => (await looks(await shownFrame(page))).scheme).toBe('dark');
      const dark = await looks(await shownFrame(page));
      expect(dark.width).toBeGreaterThan(600);
      expect(dark.back).not.toBe(light.back);
      expect(await page.getByText('Gmail and Outlook make their own').isVisible()).toBe(true);
      await screenshot(page, `mail-${colorScheme}-dark`);
      expect(await violationsIn(page)).toEqual([]);

      await page.getByText('Text', { exact: true }).click();
      expect(await page.locator('.mail pre:visible').innerText()).toContain('line 59 <img src=');
      expect(await page.locator('.letter').isVisible()).toBe(false);
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    },
  );

  test('runs nothing, loads nothing, and leads out through its links alone', async () => {
    const asked: string[] = [];
    const { page } = await openMail();
    await page.context().route(/acme\.example|evil\.example/, (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<title>Imprint</title>' });
    });
    const frame = await shownFrame(page);
    expect(await frame.locator('script, img, link, iframe').count()).toBe(0);
    const link = frame.getByRole('link', { name: 'Our imprint' });
    // A busy Chromium may lose a click into a frame that it has just painted.
    const open = async () => {
      const opened = page.waitForEvent('popup', { timeout: 10_000 });
      await link.click();
      return opened;
    };
    const popup = await open().catch(open);
    await expect.poll(() => popup.title()).toBe('Imprint');
    expect(popup.url()).toBe('https://www.acme.example/imprint');
    expect(await popup.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
    expect(new Set(asked)).toEqual(new Set(['https://www.acme.example/imprint']));
    expect(await frame.locator('body').isVisible()).toBe(true);
  });

  test('to the visitor is told beside what the owner gets', async () => {
    const at = await stage({ config: booking });
    const page = await openPage({ reducedMotion: 'reduce', viewport: { width: 1440, height: 900 } });
    await page.goto(at.origin);
    await page.frameLocator('#frame').locator('form').waitFor();
    await page.getByRole('button', { name: 'a visitor' }).click();
    const ending = page.locator('#ending', { hasText: 'the owner got' });
    expect(await ending.textContent()).toMatch(
      /^The visitor read .*, and got a mail to ada@example\.org; the owner got a mail to office@acme\.example\.$/,
    );
    await expect
      .poll(async () => (await shownFrame(page)).locator('body').innerText())
      .toContain('See you on Friday.');
    await page.getByRole('button', { name: 'To the visitor' }).click();
    await expect.poll(() => page.locator('#colours .marked:visible').count()).toBe(1);
  });

  test('with a link is clicked by the scenario, and by the owner in the mail itself', async () => {
    const at = await stage({ config: newsletter });
    const page = await openPage({ reducedMotion: 'reduce', viewport: { width: 1440, height: 900 } });
    await page.goto(at.origin);
    await page.frameLocator('#frame').locator('form').waitFor();
    await page.getByRole('button', { name: 'a visitor' }).click();
    const ending = page.locator('#ending', { hasText: 'the owner got' });
    expect(await ending.textContent()).toMatch(
      /^The visitor read Almost done.*, and then Welcome!, and got a mail to ada@example\.org; the owner got a request/,
    );
    await page.locator('.story', { hasText: 'Held back' }).locator('summary').first().click();
    const opened = page.waitForEvent('popup');
    await (await shownFrame(page)).getByRole('link', { name: 'Confirm', exact: true }).click();
    await (await opened).getByText('Welcome!').waitFor();
  });
});
