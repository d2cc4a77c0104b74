/** Telephone numbers with a country in a browser. */
import { describeInBrowser, isSound, openBy, openForm, openPage, stage, unchecked, ways } from './stage.ts';

const forms = (language: string) => `
  call:
    title: May we call you?
    language: ${language}
    fields: [{name: phone, type: tel, country: DE, required: true}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

describeInBrowser('telephone numbers with a country', () => {
  test.each([
    ['de', 'light', 1000],
    ['ar', 'dark', 320],
  ] as const)('are accessible and fit the page: %s, %s, %i wide', async (language, colorScheme, width) => {
    const { page } = await openForm(forms(language), 'call', {
      colorScheme,
      viewport: { width, height: 800 },
    });
    await isSound(page, `phone-${language}-${width}`);
    await unchecked(page);
    await page.locator('input[name=phone]').fill('1');
    await page.locator('button').click();
    await page.locator('.field-error').waitFor();
    await isSound(page, `phone-error-${language}-${width}`);
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('tel');
  });

  test.each(ways)('with %s, a number is checked and grouped when the visitor leaves it', async (by) => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage();
    const loaded = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/tel.js'));
    await openBy(by, at, 'call', page);
    if (!by.startsWith('htmx')) expect((await loaded).status()).toBe(200);
    else loaded.catch(() => {});
    const number = page.locator('input[name=phone]');
    const shown = async (typed: string) => {
      await number.fill('');
      await number.pressSequentially(typed);
      expect(await number.inputValue()).toBe(typed);
      await number.blur();
      return number.inputValue();
    };
    await expect.poll(() => shown('030901820')).toBe('030 901820');
    expect(await shown('12')).toBe('12');
    expect(await number.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain(
      'complete phone number',
    );
    expect(await shown('+442079460958')).toBe('020 7946 0958');
    expect(await page.locator('select').inputValue()).toBe('GB');
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([['phone', '+442079460958']]);
  });

  test('without JavaScript, the relay checks it', async () => {
    const { at, page } = await openForm(forms('en'), 'call', { javaScriptEnabled: false });
    await page.locator('select').selectOption({ label: 'Austria (+43)' });
    await page.locator('input[name=phone]').fill('01 534 35');
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([['phone', '+43153435']]);
  });
});
