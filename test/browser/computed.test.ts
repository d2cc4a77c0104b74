/** Computed fields in a browser: what is shown while typing is what the relay works out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  describeInBrowser,
  documentWith,
  openBy,
  openPage,
  screenshot,
  stage,
  violationsIn,
  ways,
} from './stage.ts';

const forms = (language: string) => `
  order:
    title: Order
    language: ${language}
    fields:
      - {name: guests, type: number, required: true, step: any}
      - {name: tip, type: number, step: any}
      - {name: workshop, type: radios, options: [{value: clay, label: Clay, worth: 120.10}, {value: glass, worth: 80.5}]}
      - {name: extras, type: checkboxes, options: [{value: lunch, worth: 12}, {value: bus, worth: 4.995}]}
      - {name: size, type: select, options: ["1", "2.5"]}
      - {name: fast, type: checkbox, label: Fast, worth: 10}
      - {name: heat, type: range, max: 10}
      - {name: fee, type: number, step: any, visible_when: {field: fast, filled: true}}
      - name: sum
        type: computed
        formula:
          - {when: {field: size, is: "2.5"}, value: guests * (workshop + sum(extras)) * size / 3 + fee}
          - {value: guests * workshop + extras + fast + heat + fee - tip}
      - {name: total, type: computed, required: true, label: In total, formula: sum * 1.19, currency: EUR}
      - {name: each, type: computed, formula: total / guests, visible_when: {field: fast, filled: true}, digits: 2}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

describeInBrowser('computed fields', () => {
  test.each([
    ['en', 'light', 1000, '€720.60'],
    ['de', 'dark', 320, '720,60\u00a0€'],
    ['ar', 'light', 320, /€/],
    ['he', 'dark', 1000, /€/],
  ] as const)(
    'are accessible and fit the page: %s, %s, %i wide',
    async (language, colorScheme, width, words) => {
      const at = await stage({ forms: forms(language).replace('sum * 1.19', 'sum * 2') });
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${at.origin}/api/v1/form/order`);
      const total = page.locator('output[name=total]');
      expect(await total.textContent()).toBe('–');
      expect(await total.getAttribute('aria-live')).toBe('off');
      expect(await violationsIn(page)).toEqual([]);
      await page.locator('[name=guests]').fill('3');
      await page.locator('[name=workshop]').first().check();
      await expect.poll(() => total.textContent()).toMatch(words);
      expect(await total.getAttribute('aria-live')).toBe('polite');
      expect(await page.getByLabel(/In total/).textContent()).toBe(await total.textContent());
      await screenshot(page, `computed-${language}-${colorScheme}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      // A result that there is not.
      await page.locator('[name=guests]').fill('1e15');
      await page.locator('button').click();
      await page.locator('.field-error').waitFor();
      await screenshot(page, `computed-errors-${language}-${colorScheme}-${width}`);
      expect(await violationsIn(page)).toEqual([]);
      expect(at.delivered).toEqual([]);
    },
  );

  test.each(ways)(
    'with %s, the result follows what is typed, and the relay works it out again',
    async (by) => {
      const at = await stage({ forms: forms('en') });
      const page = await openBy(by, at, 'order');
      const total = page.locator('output[name=total]');
      await expect.poll(() => total.textContent()).toBe('–');
      await page.locator('[name=guests]').pressSequentially('2');
      await expect.poll(() => total.textContent()).toBe('€0.00');
      await page.getByLabel('Clay').check();
      await expect.poll(() => total.textContent()).toBe('€285.84');
      await page.locator('[name=fast]').check();
      await expect.poll(() => total.textContent()).toBe('€297.74');
      const each = page.locator('output[name=each]');
      await expect.poll(() => each.textContent()).toBe('148.87');
      await page.locator('[name=fee]').fill('1');
      await expect.poll(() => total.textContent()).toBe('€298.93');
      await page.locator('[name=fast]').uncheck();
      await expect.poll(() => total.textContent()).toBe('€285.84');
      await page.locator('[name=guests]').focus();
      await page.keyboard.press('Backspace');
      await expect.poll(() => total.textContent()).toBe('–');
      await page.locator('[name=guests]').fill('3');
      await page.locator('button').click();
      await expect.poll(() => at.delivered.length).toBe(1);
      expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({ total: '428.76', sum: '360.3' });
    },
  );

  test('on a page of one’s own, the result stands where its output is', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage();
    at.serve(
      '/',
      documentWith(
        `<form action="${at.origin}/api/v1/submit/order" method="post" data-form-relay="order"><input name="guests"><input type="radio" name="workshop" value="glass">
        <p>Total: <output name="total"></output></p><input name="total" type="hidden" value="1"><button>Send</button></form>
        <script src="${at.origin}/api/v1/form.js"></script>`,
      ),
    );
    await page.goto(`${at.host}/`);
    await page.locator('[name=guests]').fill('2');
    await page.locator('[name=workshop]').check();
    await expect.poll(() => page.locator('output').textContent()).toBe('€191.59');
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({ total: '191.59' });
  });

  test('without JavaScript, it is worked out after sending', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${at.origin}/api/v1/form/order`);
    const total = page.locator('output[name=total]');
    expect(await total.textContent()).toBe('Worked out after you send the form.');
    await page.locator('[name=guests]').fill('1');
    await page.locator('[name=fast]').check();
    await page.locator('[name=fee]').fill('0.5');
    await page.locator('button').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({
      sum: '10.5',
      total: '12.50',
      each: '12.50',
    });
  });

  test('whatever is filled in, browser and relay agree', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage();
    await page.goto(`${at.origin}/api/v1/form/order`);
    const amount = fc.oneof(
      fc.constantFrom('', '0', '-0', '0.005', '1e3', '1e15', '1e300', '-1e-9', '999999999999999', '007'),
      fc.integer({ min: -1e9, max: 1e9 }).map(String),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).map(String),
    );
    const filled = fc.record({
      guests: amount.filter((value) => value !== ''),
      tip: amount,
      fee: amount,
      workshop: fc.constantFrom('', 'clay', 'glass'),
      extras: fc.subarray(['lunch', 'bus']),
      size: fc.constantFrom('', '1', '2.5'),
      fast: fc.boolean(),
      heat: fc.constantFrom('-1', '0', '7'),
    });
    await fc.assert(
      fc.asyncProperty(filled, async (values) => {
        const [shown, body] = await page.evaluate(async (values) => {
          const form = document.querySelector('form') as HTMLFormElement;
          form.reset();
          const all = (name: string) =>
            [...form.elements].filter((one) => (one as HTMLInputElement).name === name) as HTMLInputElement[];
          for (const [name, value] of Object.entries(values)) {
            for (const control of all(name)) {
              if (control.type === 'radio' || control.type === 'checkbox')
                control.checked =
                  value === true ||
                  (Array.isArray(value) ? value.includes(control.value) : value === control.value);
              else control.value = value as string;
            }
          }
          form.dispatchEvent(new Event('change', { bubbles: true }));
          await new Promise((resolve) => setTimeout(resolve));
          const shown = [...form.querySelectorAll('output[name]')].map((output) => [
            (output as HTMLOutputElement).name,
            (output as HTMLOutputElement).value,
          ]);
          const body = [...new FormData(form)] as [string, string][];
          return [Object.fromEntries(shown) as Record<string, string>, body] as const;
        }, values);
        const count = at.delivered.length;
        const answer = await fetch(`${at.origin}/api/v1/submit/order`, {
          method: 'POST',
          body: new URLSearchParams(body),
        });
        if (answer.status !== 200) {
          expect(answer.status).toBe(422);
          expect(shown.total).toBe('–');
          return;
        }
        const got = Object.fromEntries(at.delivered[count] ?? []);
        const plain = (words = '–') => (words === '–' ? '' : words.replaceAll(/[€,]/g, ''));
        expect(plain(shown.total)).toBe(got.total ?? '');
        if (values.fast) expect(plain(shown.each)).toBe(got.each ?? '');
        expect(Number(plain(shown.sum))).toBe(Number(got.sum ?? ''));
      }),
      { numRuns: 150 },
    );
  });
});
