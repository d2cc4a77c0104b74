/** Ratings, scales, sliders and countries in a browser. */
import { describeInBrowser, isSound, openBy, openForm, stage, unchecked, ways } from './stage.ts';

const forms = (language: string) => `
  survey:
    title: How was it?
    language: ${language}
    fields:
      - {name: stars, type: rating, required: true}
      - {name: food, type: scale, min: 1}
      - {name: nps, type: scale, low: Not at all likely, high: Very likely}
      - {name: heat, type: range, max: 10}
      - {name: budget, type: range, min: 50, max: 500, step: 10, value: 150, required: true}
      - {name: land, type: country}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

const looks = [
  ['en', 'light', 1000],
  ['de', 'dark', 320],
  ['ar', 'light', 320],
  ['he', 'dark', 1000],
] as const;

describeInBrowser('ratings, scales, sliders and countries', () => {
  test.each(looks)('are accessible and fit: %s, %s, %i wide', async (language, colorScheme, width) => {
    const { page } = await openForm(forms(language), 'survey', {
      colorScheme,
      viewport: { width, height: 800 },
    });
    await page.locator('[name=stars]').nth(2).check({ force: true });
    await isSound(page, `choices-${language}-${colorScheme}-${width}`);
    await page.locator('form').evaluate((form: HTMLFormElement) => form.reset());
    await unchecked(page);
    await page.locator('button').click();
    await page.locator('.field-error').waitFor();
    await isSound(page, `choices-errors-${language}-${colorScheme}-${width}`);
  });

  test.each(ways)('with %s, a slider shows its value, or none', async (by) => {
    const at = await stage({ forms: forms('en') });
    const page = await openBy(by, at, 'survey');
    const heat = page.locator('[name=heat]');
    const shown = page.locator('[name=heat] + output');
    await expect.poll(() => shown.textContent()).toBe('No answer');
    expect(await heat.getAttribute('aria-valuetext')).toBe('No answer');
    expect(await page.locator('[name=budget] + output').textContent()).toBe('150');
    await heat.focus();
    await page.keyboard.press('ArrowRight');
    expect(await shown.textContent()).toBe('0');
    expect(await heat.getAttribute('aria-valuetext')).toBe(null);
    await page.keyboard.press('ArrowLeft');
    expect(await shown.textContent()).toBe('No answer');
    await page.getByRole('radio', { name: '4 stars' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('radio', { name: '10 Very likely' }).check({ force: true });
    await page.getByRole('combobox').selectOption({ label: 'Austria' });
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]?.filter(([, value]) => value !== '')).toEqual(
      Object.entries({ budget: '150', land: 'AT', nps: '10', stars: '4' }),
    );
  });

  test('without JavaScript, they are plain HTML controls', async () => {
    const { at, page } = await openForm(forms('en'), 'survey', { javaScriptEnabled: false });
    expect(await page.locator('output').first().isVisible()).toBe(false);
    await page.getByRole('radio', { name: '2 stars' }).check({ force: true });
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]?.filter(([, value]) => value !== '')).toEqual([
      ['budget', '150'],
      ['stars', '2'],
    ]);
  });
});
