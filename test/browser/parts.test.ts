/** Addresses, matrices and repeated entries in a browser. */
import type { Page } from 'playwright-core';
import {
  describeInBrowser,
  documentWith,
  isSound,
  openBy,
  openForm,
  openPage,
  scriptOf,
  stage,
  tagOf,
  unchecked,
  ways,
} from './stage.ts';

const forms = (language: string) => `
  party:
    title: Come to our party
    language: ${language}
    fields:
      - {name: home, type: address, label: Your address, required: true, countries: [DE]}
      - {name: work, type: address}
      - name: rated
        type: grid
        label: How was the last one?
        required: true
        rows: [Food, Music, {value: staff, label: How friendly our staff was to you}]
        options: [Very poor, Poor, Fair, Good, Very good]
      - {name: days, type: grid, label: When can you come?, several: true, rows: [Morning, Evening], options: [Mon, Tue, Wed]}
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

async function fillEntries(page: Page) {
  for (const [index, name] of ['Ada', 'Grace', 'Edith', 'Mary'].entries()) {
    if (index > 0) await page.getByRole('button', { name: 'Add another' }).click();
    await page.locator(`[name="guests.${index + 1}.name"]`).fill(name);
    await page.locator(`[name="guests.${index + 1}.age"]`).fill(`${index}`);
  }
  await page.locator('[name="guests.4.meal"]').last().check();
}

async function expectEntries(page: Page) {
  const names = page.locator('[name^="guests."][name$=".name"]');
  expect(await names.evaluateAll((all: HTMLInputElement[]) => all.map(({ value }) => value))).toEqual([
    'Ada',
    'Grace',
    'Edith',
    'Mary',
  ]);
  expect(await page.locator('[name="guests.4.age"]').inputValue()).toBe('3');
  expect(await page.locator('[name="guests.4.meal"]').last().isChecked()).toBe(true);
}

describeInBrowser('fields with parts', () => {
  test.each(looks)('are accessible and fit: %s, %s, %i wide', async (language, colorScheme, width) => {
    const { page } = await openForm(forms(language), 'party', {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await isSound(page, `parts-${language}-${colorScheme}-${width}`);
    await unchecked(page);
    await page.locator('[name="rated.Food"]').nth(1).check();
    await page.locator('[name="guests.1.age"]').fill('7');
    await page.locator('button[type=submit]').click();
    await page.locator('.field-error').first().waitFor();
    await isSound(page, `parts-errors-${language}-${colorScheme}-${width}`);
  });

  test.each([...ways, 'page', 'htmx2'] as const)('with %s, visitors add and remove entries', async (by) => {
    const at = await stage({ forms: forms('en') });
    const page = await openBy(by, at, 'party');
    const entries = page.locator('.repeat-item');
    const add = page.getByRole('button', { name: 'Add another' });
    await add.waitFor();
    // Without scripts, there are three.
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
    await isSound(page);
    for (const row of ['Food', 'Music', 'staff']) await page.locator(`[name="rated.${row}"]`).nth(3).check();
    await page.locator('[name="home.line1"]').fill('Hauptstraße 1');
    await page.locator('[name="home.city"]').fill('Berlin');
    await page.locator('[name="home.postal_code"]').fill('10115');
    await page.locator('button[type=submit]').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([
      ['guests', '[{"name":"Ada"},{"name":"Edith"}]'],
      ['home', '{"country":"DE","line1":"Hauptstraße 1","city":"Berlin","postal_code":"10115"}'],
      ['rated', '{"Food":"Good","Music":"Good","staff":"Good"}'],
    ]);
  });

  test('entries filled in by a link or the relay’s answer stay', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage();
    await page.goto(`${at.origin}/api/v1/form/party?guests.1.name=Ada&guests.2.name=Grace`);
    const names = page.locator('.repeat-item [name$=".name"]');
    const shown = () => names.evaluateAll((all: HTMLInputElement[]) => all.map(({ value }) => value));
    await expect.poll(shown).toEqual(['Ada', 'Grace']);
    await unchecked(page);
    await page.locator('button[type=submit]').click();
    await page.locator('.field-error').first().waitFor();
    await page.getByRole('button', { name: 'Remove Guest 2' }).waitFor();
    expect(await shown()).toEqual(['Ada', 'Grace']);
  });

  test('a reload within steps loses no entry, and an error in an entry leads to its step', async () => {
    const at = await stage({
      forms: `
  party:
    fields:
      - name: guests
        type: repeat
        fields:
          - {name: name, required: true}
          - {name: pin, autocomplete: off}
          - {name: age, type: number}
          - {name: meal, type: radios, options: [Meat, Vegetables]}
      - {name: city}
    steps: [{title: Guests, fields: [guests]}, {title: Rest, fields: [city]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`,
    });
    at.serve('/', documentWith(tagOf(at, 'party'), scriptOf(at)));
    const page = await openPage({ url: `${at.host}/` });
    await page.getByRole('button', { name: 'Add another' }).waitFor();
    await fillEntries(page);
    await page.locator('[name="guests.2.pin"]').fill('1234');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('1234');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain('Mary');
    await page.reload();
    await page.locator('[name="guests.4.name"]').waitFor();
    await expectEntries(page);
    expect(await page.locator('[name="guests.2.pin"]').inputValue()).toBe('');
    // The relay checks this step's entries before the next step is shown.
    await page.locator('[name="guests.4.name"]').fill('');
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      for (const input of form.querySelectorAll('input')) input.required = false;
    });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.field-error').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('guests.4.name');
    expect(await page.locator('[name=city]').isVisible()).toBe(false);
    expect(at.delivered).toEqual([]);
  });
});
