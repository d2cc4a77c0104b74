/** Signatures in a browser. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pngSize } from '../../packages/more-fields/src/choices/png.ts';
import { describeInBrowser, openBy, openPage, screenshot, stage, violationsIn, ways } from './stage.ts';

const forms = (language: string) => `
  contract:
    title: Please sign
    language: ${language}
    fields:
      - {name: signed, type: signature, required: true}
      - {name: email, type: email}
    outputs: [{type: webhook, url: "$sink", mapping: "*", files: base64}]`;

/** Draws a zigzag from the left to the right. */
async function draw(page: Page): Promise<void> {
  const pad = page.locator('canvas');
  await pad.scrollIntoViewIfNeeded();
  const box = await pad.boundingBox();
  if (!box) throw new Error('there is no pad');
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...at(0.1, 0.8));
  await page.mouse.down();
  for (const x of [0.3, 0.5, 0.7, 0.9])
    await page.mouse.move(...at(x, (x * 10) % 4 === 1 ? 0.8 : 0.2), { steps: 5 });
  await page.mouse.up();
}

/** How many of the pixels on the pad are ink. */
const inkOn = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return data.filter((value, index) => index % 4 === 0 && value < 128).length;
  });

interface Delivered {
  readonly signed: string;
  readonly 'signed.drawn'?: { readonly name: string; readonly content: string };
}
const deliveredTo = (at: Awaited<ReturnType<typeof stage>>): readonly Delivered[] =>
  at.sink.requests.map(({ body }) => JSON.parse(body));

describeInBrowser('signatures', () => {
  test.each([
    ['de', 'light', 1000],
    ['ar', 'dark', 320],
  ] as const)('are accessible and fit the page: %s, %s, %i wide', async (language, colorScheme, width) => {
    const at = await stage({ forms: forms(language) });
    const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${at.origin}/api/v1/form/contract`);
    await page.locator('canvas').waitFor();
    await draw(page);
    await screenshot(page, `signature-${language}-${width}`);
    expect(await violationsIn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
    });
    await page.locator('button[type=submit]').click();
    await page.locator('.field-error').waitFor();
    await page.locator('canvas').waitFor();
    await screenshot(page, `signature-error-${language}-${width}`);
    expect(await violationsIn(page)).toEqual([]);
    // The drawing came back with the page, and the name is asked for.
    await expect.poll(() => inkOn(page)).toBeGreaterThan(500);
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('signed');
  });

  test.each(ways)(
    'with %s, the mouse draws, a button clears, and an image is sent beside the name',
    async (by) => {
      const at = await stage({ forms: forms('en') });
      const page = await openBy(by, at, 'contract');
      await page.locator('canvas').waitFor();
      const clear = page.getByRole('button', { name: 'Clear the drawing' });
      const status = page.locator('.signature-status');
      const kept = () => page.locator('input[name="signed.drawn"]').inputValue();
      expect(await clear.isVisible()).toBe(false);
      await draw(page);
      expect(await status.textContent()).toBe('The drawing will be sent with your name.');
      expect(await kept()).toMatch(/^data:image\/png;base64,/);
      await clear.press('Enter');
      expect(await inkOn(page)).toBe(0);
      expect(await kept()).toBe('');
      expect(await status.textContent()).toBe('The drawing has been cleared.');
      // The button is gone, and the focus is not.
      await page.keyboard.type('Ada Lovelace');
      await draw(page);
      await page.locator('button:not([type=button])').click();
      await expect.poll(() => at.sink.requests.length).toBe(1);
      const [delivered] = deliveredTo(at);
      expect(delivered).toMatchObject({ signed: 'Ada Lovelace', 'signed.drawn': { name: 'signed.png' } });
      const image = Buffer.from(delivered?.['signed.drawn']?.content ?? '', 'base64');
      expect(pngSize(image)).toEqual({ width: 600, height: 200 });
    },
  );

  test('without JavaScript, the name signs', async () => {
    const at = await stage({ forms: forms('en') });
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${at.origin}/api/v1/form/contract`);
    expect(await page.locator('canvas').count()).toBe(0);
    await page.getByLabel('Signed').fill('Ada Lovelace');
    await page.locator('button').click();
    await expect.poll(() => at.sink.requests.length).toBe(1);
    expect(deliveredTo(at)).toEqual([{ signed: 'Ada Lovelace' }]);
  });
});
