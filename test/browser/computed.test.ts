/** Computed fields in a browser: the page shows the same result as the relay computes. */
import {
  describeInBrowser,
  documentWith,
  isSound,
  openBy,
  openForm,
  openPage,
  stage,
  ways,
} from './stage.ts';

const forms = (language = 'en') => `
  order:
    title: Order
    language: ${language}
    fields:
      - {name: nights, type: number, required: true}
      - {name: room, type: radios, options: [{value: small, label: Small, worth: 80.10}, {value: large, worth: 120}]}
      - {name: extras, type: checkboxes, options: [{value: lunch, worth: 12}, {value: bus, worth: 4.995}]}
      - {name: bed, type: checkbox, label: Extra bed}
      - {name: heat, type: range, max: 10}
      - {name: beds, type: number, visible_when: {field: bed, filled: true}}
      - {name: lines, type: repeat, fields: [{name: price, type: number, step: any}, {name: n, type: number, value: 1}]}
      - {name: net, type: computed, formula: nights × (room + extras) + beds * 10 + heat + sum(lines.price * lines.n)}
      - {name: total, type: computed, required: true, label: In total, currency: EUR, formula: "if(net > 500, net × 0.9, net) + 1 / (nights - 13)"}
      - {name: vat, visible_when: {field: total, at_least: 300}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

describeInBrowser('computed fields', () => {
  test.each([
    ['en', 'light', 1000, '€240.20'],
    ['de', 'dark', 320, '240,20\u00a0€'],
    ['ar', 'light', 320, /€/],
  ] as const)(
    'are accessible, and announce a new result (WCAG 4.1.3): %s, %s, %i wide',
    async (language, colorScheme, width, words) => {
      const { at, page } = await openForm(forms(language), 'order', {
        colorScheme,
        viewport: { width, height: 800 },
      });
      // A required mark would ask visitors to fill it in.
      const total = page.getByLabel('In total', { exact: true });
      await page.locator('[name=nights]').fill('3');
      await page.locator('[name=room]').first().check();
      await expect.poll(() => total.textContent()).toMatch(words);
      expect(await total.getAttribute('aria-live')).toBe('polite');
      await isSound(page, `computed-${language}-${colorScheme}-${width}`);
      // Division by zero.
      await page.locator('[name=nights]').fill('13');
      await page.locator('form').evaluate((form: HTMLFormElement) => form.requestSubmit());
      await page.locator('.form-errors').waitFor();
      expect(await total.textContent()).toBe('–');
      await isSound(page, `computed-errors-${language}-${colorScheme}-${width}`);
      expect(at.delivered).toEqual([]);
    },
  );

  test.each(ways)('with %s, the result is updated during typing, and appears and disappears', async (by) => {
    const at = await stage({ forms: forms() });
    const page = await openBy(by, at, 'order');
    const total = page.locator('output[data-name=total]');
    const shows = (words: string) => expect.poll(() => total.textContent()).toBe(words);
    await page.getByLabel('Small').check();
    await page.getByLabel('lunch').check();
    await shows('–');
    await page.getByLabel('lunch').uncheck();
    await page.locator('[name=nights]').pressSequentially('2');
    await shows('€160.11');
    await page.getByLabel('lunch').check();
    await page.getByLabel('Extra bed').check();
    await page.locator('[name=beds]').fill('3');
    await shows('€214.11');
    await page.getByLabel('Extra bed').uncheck();
    await shows('€184.11');
    expect(await page.locator('[name=vat]').isVisible()).toBe(false);
    await page.locator('[name="lines.1.price"]').fill('200.5');
    await shows('€384.61');
    await page.locator('[name=vat]').fill('DE123');
    await page.locator('[name=nights]').fill('4');
    await page.locator('form').evaluate((form: HTMLFormElement) => form.requestSubmit());
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({
      net: '568.9',
      total: '511.90',
      vat: 'DE123',
    });
  });

  test('on an owner’s page, the result is in its output element', async () => {
    const at = await stage({ forms: forms() });
    const page = await openPage();
    const form = `<form action="${at.origin}/api/v1/submit/order" method="post" data-form-relay="order"><input name="nights"><p>Total: <output name="total"></output></p><button>Send</button></form><script src="${at.origin}/api/v1/form.js"></script>`;
    at.serve('/', documentWith(form));
    await page.goto(`${at.host}/`);
    await page.locator('[name=nights]').fill('3');
    await expect.poll(() => page.locator('output').textContent()).toBe('-€0.10');
  });
});
