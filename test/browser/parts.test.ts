/** Addresses, matrices and entries that repeat, in a browser. */
import { expect, test } from 'vitest';
import {
  describeInBrowser,
  documentWith,
  openPage,
  openWithHtmx,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

const forms = (language: string) => `
  party:
    title: Come to our party
    language: ${language}
    fields:
      - {name: home, type: address, label: Your address, required: true, country: DE}
      - {name: work, type: address, first: [DE, AT, CH]}
      - name: rated
        type: matrix
        label: How was the last one?
        required: true
        rows: [Food, Music, {value: staff, label: How friendly our staff was to you}]
        options: [Very poor, Poor, Fair, Good, Very good]
      - {name: days, type: matrix, label: When can you come?, several: true, rows: [Morning, Evening], options: [Mon, Tue, Wed]}
      - name: guests
        type: repeat
        label: Who comes with you?
        item: "Guest {n}"
        most: 4
        fields:
          - {name: name, required: true, width: two_thirds}
          - {name: age, type: number, width: third}
          - {name: meal, type: radios, options: [Meat, Vegetables]}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

const looks = [
  ['en', 'light', 1440],
  ['de', 'dark', 390],
  ['ar', 'light', 390],
  ['he', 'dark', 1440],
] as const;

describeInBrowser('fields that are made of others', () => {
  test.each(looks)(
    'are accessible and fit the page: %s, %s, %i wide',
    async (language, colorScheme, width) => {
      const at = await stage({ forms: forms(language) });
      const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
      await page.goto(`${at.origin}/api/v1/form/party`);
      await screenshot(page, `parts-${language}-${colorScheme}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await page.locator('form').evaluate((form: HTMLFormElement) => {
        form.noValidate = true;
      });
      await page.locator('[name="rated.Food"]').nth(1).check();
      await page.locator('[name="guests.1.age"]').fill('7');
      await page.locator('button[type=submit]').click();
      await page.locator('.field-error').first().waitFor();
      await screenshot(page, `parts-errors-${language}-${colorScheme}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
    },
  );

  test.each(['page', 'script', 'htmx2', 'htmx4'] as const)(
    'with %s, visitors add and remove entries',
    async (by) => {
      const at = await stage({ forms: forms('en') });
      const page = by.startsWith('htmx')
        ? await openWithHtmx(at, by as 'htmx2', 'same', ['party'])
        : await openPage();
      if (by === 'page') await page.goto(`${at.origin}/api/v1/form/party`);
      if (by === 'script') {
        at.serve(
          '/',
          documentWith(
            `<relay-form src="${at.origin}/api/v1/form/party"></relay-form><script src="${at.origin}/api/v1/form.js"></script>`,
          ),
        );
        await page.goto(`${at.host}/`);
      }
      const entries = page.locator('.repeat-item');
      const add = page.getByRole('button', { name: 'Add another' });
      await add.waitFor();
      // Where no script runs, there are three.
      await expect.poll(() => entries.count()).toBe(1);
      await page.locator('[name="guests.1.name"]').fill('Ada');
      await add.click();
      await page.keyboard.type('Grace');
      expect(await page.locator('.repeat-status').textContent()).toBe('Guest 2 added');
      await add.click();
      await page.keyboard.type('Edith');
      await add.click();
      expect(await add.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Remove Guest 2' }).click();
      expect(await page.locator('.repeat-status').textContent()).toBe('Guest 2 removed');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Remove Guest 2');
      expect(await page.locator('[name="guests.2.name"]').inputValue()).toBe('Edith');
      expect(await violationsIn(page)).toEqual([]);
      for (const row of ['Food', 'Music', 'staff'])
        await page.locator(`[name="rated.${row}"]`).nth(3).check();
      await page.locator('[name="home.line1"]').fill('Hauptstraße 1');
      await page.locator('[name="home.city"]').fill('Berlin');
      await page.locator('[name="home.postal_code"]').fill('10115');
      await page.locator('button[type=submit]').click();
      await expect.poll(() => at.delivered.length).toBe(1);
      expect(at.delivered[0]).toEqual([
        ['guests', '[{"name":"Ada"},{"name":"Edith"}]'],
        ['home', '{"line1":"Hauptstraße 1","postal_code":"10115","city":"Berlin","country":"DE"}'],
        ['rated', '{"Food":"Good","Music":"Good","staff":"Good"}'],
      ]);
    },
  );

  test('without JavaScript, a fixed number is shown, and empty ones are ignored', async () => {
    const at = await stage({
      forms: forms('en').replaceAll('required: true, ', '').replace('required: true', ''),
    });
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${at.origin}/api/v1/form/party`);
    expect(await page.locator('.repeat-item').count()).toBe(3);
    expect(await page.getByRole('button', { name: 'Add another' }).isVisible()).toBe(false);
    await page.locator('[name="guests.3.name"]').fill('Ada');
    await page.locator('button[type=submit]').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([['guests', '[{"name":"Ada"}]']]);
  });
});
