/** What a form's script counts, and what the relay makes of it: people of many kinds, and programs. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isGuarded } from './guarded.ts';
import { describeInBrowser, openPage, stage } from './stage.ts';

const forms = `
  contact:
    confirmation: We have your message.
    fields:
      - {name: email, type: email}
      - {name: text, label: Message, type: textarea, required: true}
    spam: {behaviour: true, doubt: observe}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

const words = 'Good morning, is the flat in the harbour street still free in August?';
const isSent = (page: Page) => page.getByText('We have your message.').waitFor();

/** The points against how a form was filled in, and why. */
async function pointsOf(
  fill: (page: Page, origin: string) => Promise<unknown>,
  options: BrowserContextOptions = {},
) {
  const at = await stage({ forms });
  const page = await openPage(options);
  await page.goto(`${at.origin}/api/v1/form/contact?as=page`);
  if (options.javaScriptEnabled !== false) await isGuarded(page);
  await fill(page, at.origin);
  await isSent(page);
  const line = at.logged.find(({ event, outcome }) => event === 'submission' && outcome === 'delivered');
  return (line?.signals as Record<string, number> | undefined)?.behaviour;
}

const click = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

describeInBrowser('how a form was filled in', () => {
  test('by keyboard alone', { timeout: 60_000 }, async () => {
    const points = await pointsOf(async (page) => {
      await page.keyboard.press('Tab');
      await page.keyboard.type('ada@example.org', { delay: 30 });
      await page.keyboard.press('Tab');
      await page.keyboard.type(words, { delay: 30 });
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    });
    expect(points).toBeUndefined();
  });

  test('with a text that was pasted', { timeout: 60_000 }, async () => {
    const points = await pointsOf(async (page) => {
      await page.getByLabel('Message').click();
      // As the browser pastes: an event, and the text without a key.
      await page.evaluate(() => {
        document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { bubbles: true }));
      });
      await page.keyboard.insertText(words);
      await click(page);
    });
    expect(points).toBeUndefined();
  });

  test('by somebody who dictates, or whose browser fills it in', { timeout: 60_000 }, async () => {
    const points = await pointsOf(async (page) => {
      await page.getByLabel('Message').click();
      await page.keyboard.insertText(words);
      await click(page);
    });
    expect(points).toBeUndefined();
  });

  test('without JavaScript', { timeout: 60_000 }, async () => {
    const points = await pointsOf(
      async (page) => {
        await page.getByLabel('Message').fill(words);
        await click(page);
      },
      { javaScriptEnabled: false },
    );
    expect(points).toBeUndefined();
  });

  test('by a link, and sent as it came: less than half of what tags', { timeout: 60_000 }, async () => {
    const points = await pointsOf(async (page, origin) => {
      await page.goto(`${origin}/api/v1/form/contact?as=page&text=${encodeURIComponent(words)}`);
      await isGuarded(page);
      await page
        .getByRole('button', { name: 'Send' })
        .evaluate((button: HTMLButtonElement) => button.click());
    });
    expect(points).toBe(1.5);
  });

  test('by a program that sets what stands in the fields', { timeout: 60_000 }, async () => {
    const points = await pointsOf((page) =>
      page.evaluate((text) => {
        for (const field of document.querySelectorAll('textarea')) field.value = text;
        document.querySelector('form')?.requestSubmit();
      }, words),
    );
    expect(points).toBe(1.5);
  });

  test('by a program that presses keys as fast as it can', { timeout: 60_000 }, async () => {
    const points = await pointsOf((page) =>
      page.evaluate((text) => {
        const field = document.querySelector('textarea');
        if (!field) throw new Error('the form has no field');
        for (const key of text) field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        field.value = text;
        document.querySelector('form')?.requestSubmit();
      }, words),
    );
    expect(points).toBe(3);
  });
});
