/** A campaign in the inbox's page, in a real browser. */
import { expect, test } from 'vitest';
import type { Actions } from '../../packages/inbox/src/server/index.ts';
import type { Written } from '../archive/entries.ts';
import { button, entries, letter, open, row, rows, slow } from './inbox_stage.ts';
import { complaintsOf, describeInBrowser, screenshot, violationsIn } from './stage.ts';

const copies = Array.from(
  { length: 11 },
  (_, nth): Written => ({
    id: `robot-${nth}`,
    at: new Date(Date.UTC(2026, 10, 24, 10) + nth * 1_800_000).toISOString(),
    values: {
      name: [`Kevin ${'ABCDEFGHIJK'[nth]}.`],
      email: [`kevin${nth}@robots.example`],
      message: [
        `Launch our trading robot TODAY and earn $${nth}000 while you sleep: https://r${nth}.example/`,
      ],
    },
  }),
);

describeInBrowser('a campaign in the inbox', () => {
  test.each(['light', 'dark'] as const)(
    'is shown by row and letter, chosen by a click, and marked as a whole: %s',
    async (colorScheme) => {
      const marked: string[] = [];
      const actions: Actions = {
        run: async (id) => {
          marked.push(id);
          return { isDone: true, words: 'Marked as spam.' };
        },
        remove: async () => ({ isDone: false, words: '' }),
      };
      const { page } = await open([...entries, ...copies], { actions }, { colorScheme });
      await row(page, /Kevin K.*11 alike/s).click();
      const part = letter(page).locator('.campaign');
      await part.locator('.sender', { hasText: 'Kevin J.' }).waitFor();
      expect(await part.locator('.sender', { hasText: 'Kevin K.' }).count()).toBe(0);
      expect(await part.locator('li').count()).toBe(8);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await part.scrollIntoViewIfNeeded();
        expect(await violationsIn(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
        await screenshot(page, `inbox-campaign-${width}-${colorScheme}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await part.locator('.sender', { hasText: 'Kevin J.' }).click();
      await letter(page)
        .getByRole('heading', { name: /Kevin J\./ })
        .waitFor();
      await button(page, 'Mark all as spam').click();
      await page.getByText('Marked 11 submissions as spam.').waitFor();
      expect(marked.toSorted()).toEqual(copies.map(({ id }) => id).toSorted());
      await button(page, 'Show all in the list').click();
      await page.getByText('11 submissions', { exact: true }).waitFor();
      await expect.poll(() => rows(page).filter({ hasText: 'Spam' }).count()).toBe(11);
      await screenshot(page, `inbox-campaign-list-${colorScheme}`);
      await page.getByRole('button', { name: /^Alike/ }).click();
      await expect.poll(() => rows(page).count()).toBe(17);
      expect(complaintsOf(page)).toEqual([]);
    },
    slow,
  );
});
