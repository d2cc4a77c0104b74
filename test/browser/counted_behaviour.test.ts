/** How a form was filled in, as the relay reads it. */
import { expect, test } from 'vitest';
import { contact, isGuarded, isSent, message, send, ways } from './guarded.ts';
import { describeInBrowser, openPage, stage } from './stage.ts';

describeInBrowser('behaviour', () => {
  test.each(ways)('%s: counts and times, and no text', async (_, open) => {
    const forms = contact('{behaviour: true}');
    const at = await stage({ forms });
    const page = await openPage();
    await open(at, page, forms);
    await isGuarded(page);
    await page.mouse.move(50, 60);
    await page.getByLabel('Email').focus();
    await page.keyboard.type('ada@example.org');
    await page.getByLabel('Message').focus();
    await page.getByLabel('Message').evaluate((input: HTMLInputElement) => {
      // As browsers fill in what they know: without a key.
      input.value = 'Hello';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    const sent = page.waitForRequest(/\/submit\//);
    await send(page);
    const body = new URLSearchParams((await sent).postData() ?? '');
    await isSent(page);
    const counted = /^v1;k=(\d+);p=0;f=(\d+);t=(\d+);m=1;c=1$/.exec(body.get('_behaviour') ?? '');
    expect(counted?.[1]).toBe('15');
    expect(Number(counted?.[2])).toBe(2);
    expect(Number(counted?.[3])).toBeGreaterThan(0);
    expect(at.delivered).toEqual([message()]);
  });
});
