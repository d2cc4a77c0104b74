/** Rankings in a browser. */
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openBy, openPage, screenshot, stage, violationsIn, ways } from './stage.ts';

const forms = (language: string) => `
  survey:
    title: What do you like?
    language: ${language}
    fields:
      - {name: drinks, type: ranking, required: true, options: [Coffee, {value: tea, label: Green tea}, Water]}
      - {name: days, type: ranking, options: [Monday, Sunday]}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

describeInBrowser('rankings', () => {
  test.each([
    ['de', 'light', 1000, true],
    ['ar', 'dark', 320, true],
    ['en', 'light', 320, false],
  ] as const)(
    'are accessible and fit the page: %s, %s, %i wide, with a script: %s',
    async (language, colorScheme, width, isScripted) => {
      const at = await stage({ forms: forms(language) });
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
      if (!isScripted) await page.route('**/ranking.js', (route) => route.abort());
      await page.goto(`${at.origin}/api/v1/form/survey`);
      if (isScripted) await page.locator('.ranking-list').first().waitFor();
      else expect(await page.locator('select').count()).toBe(5);
      await screenshot(page, `ranking-${language}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await page.locator('form').evaluate((form: HTMLFormElement) => {
        form.noValidate = true;
      });
      await page.locator('button[type=submit]').click();
      await page.locator('.field-error').waitFor();
      if (isScripted) await page.locator('.ranking-list').first().waitFor();
      await screenshot(page, `ranking-error-${language}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
    },
  );

  test.each(ways)('with %s, buttons and dragging put options in order', async (by) => {
    const at = await stage({ forms: forms('en') });
    const page = await openBy(by, at, 'survey');
    const drinks = page.locator('.field-ranking').first();
    const status = drinks.getByRole('status');
    await expect.poll(() => status.textContent()).toContain('Not in order yet.');
    const up = drinks.getByRole('button', { name: 'Move up: Water' });
    await up.focus();
    await page.keyboard.press('Enter');
    expect(await status.textContent()).toBe('Water: place 2 of 3');
    // The button moved, and the focus with it.
    await page.keyboard.press('Enter');
    expect(await status.textContent()).toBe('Water: place 1 of 3');
    expect(await up.getAttribute('aria-disabled')).toBe('true');
    const box = async (name: string) => {
      const found = await drinks.locator('li', { hasText: name }).boundingBox();
      if (!found) throw new Error(`${name} is not there`);
      return { x: found.x + 60, y: found.y + found.height / 2 };
    };
    const [from, to] = [await box('Green tea'), await box('Water')];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, (from.y + to.y) / 2, { steps: 4 });
    await page.mouse.move(to.x, to.y - 10, { steps: 4 });
    await page.mouse.up();
    expect(await status.textContent()).toBe('Green tea: place 1 of 3');
    const days = page.locator('.field-ranking').nth(1);
    await days.getByRole('button', { name: 'Keep this order' }).click();
    await days.getByRole('button', { name: 'Take the order back' }).click();
    await days.getByRole('button', { name: 'Keep this order' }).click();
    await page.locator('button:not([type=button])').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([
      ['days', 'Monday'],
      ['days', 'Sunday'],
      ['drinks', 'tea'],
      ['drinks', 'Water'],
      ['drinks', 'Coffee'],
    ]);
  });

  test('a finger drags an option by its handle, and scrolls the page', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage({ hasTouch: true, viewport: { width: 390, height: 320 } });
    await page.goto(`${at.origin}/api/v1/form/survey`);
    const water = page.locator('.ranking-list').first().locator('li', { hasText: 'Water' });
    await water.waitFor();
    const session = await page.context().newCDPSession(page);
    const swipe = async (on: Locator, by: number) => {
      const box = await on.boundingBox();
      if (!box) throw new Error('it is not there');
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      for (let step = 1; step <= 10; step += 1) {
        const touchPoints = [{ x, y: y + (by * step) / 10 }];
        await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
      }
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const lists = page.locator('[name=drinks]');
    const chosen = () => lists.evaluateAll((all: HTMLSelectElement[]) => all.map(({ value }) => value));
    await swipe(water.locator('.ranking-handle'), -140);
    await expect.poll(chosen).toEqual(['Water', 'Coffee', 'tea']);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await swipe(water.getByText('Water'), -120);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50);
    expect(await chosen()).toEqual(['Water', 'Coffee', 'tea']);
  });

  test('without JavaScript, each place has a list', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${at.origin}/api/v1/form/survey`);
    const lists = page.locator('[name=drinks]');
    for (const [place, label] of ['Water', 'Coffee', 'Green tea'].entries())
      await lists.nth(place).selectOption({ label });
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([
      ['drinks', 'Water'],
      ['drinks', 'Coffee'],
      ['drinks', 'tea'],
    ]);
  });
});
