/** Signatures, rankings, picture choices and searches from the catalogue in a browser. */
import {
  describeInBrowser,
  isSound,
  openBy,
  openForm,
  openPage,
  type Page,
  stage,
  unchecked,
  ways,
} from './stage.ts';

const room = `
      - {name: room, type: radios, label: Room, options: [{value: sea, label: Sea view, picture: https://pictures.example/sea.svg}, inside]}`;

const forms = (more = 'title: Trip', fields = '') => `
  trip:
    ${more}
    fields:
      - {name: drinks, type: ranking, label: Drinks, required: true, options: [{value: tea, label: Green tea}, coffee, water]}
      - {name: signed, type: signature, label: Signature, required: true}
      - {name: starts, type: month, label: Starts}
      - {name: country, type: country, label: Country, search: true}${fields}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

/** Draws as a hand would. */
async function draw(page: Page) {
  const pad = page.locator('.signature-pad');
  await pad.scrollIntoViewIfNeeded();
  const { x = 0, y = 0, width = 0, height = 0 } = (await pad.boundingBox()) ?? {};
  await page.mouse.move(x + width / 4, y + height / 4);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
  await page.mouse.up();
}

const orderOf = (page: Page) => page.locator('.ranking-list li > span:nth-child(2)').allTextContents();

describeInBrowser('rankings and signatures', () => {
  test.each(ways)('with %s, are filled in by pointer, and sent', async (by) => {
    const at = await stage({ forms: forms() });
    const page = await openPage();
    await openBy(by, at, 'trip', page);
    const items = page.locator('.ranking-list li');
    await expect.poll(() => items.count()).toBe(3);
    await items.nth(2).dragTo(items.nth(0), { targetPosition: { x: 30, y: 2 } });
    expect(await orderOf(page)).toEqual(['water', 'Green tea', 'coffee']);
    await page.locator('input[name=signed]').fill('Ada');
    await draw(page);
    await page.locator('button[type=submit]').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    const sent = at.delivered[0] ?? [];
    expect(sent.filter(([name]) => name === 'drinks').map(([, value]) => value)).toEqual([
      'water',
      'tea',
      'coffee',
    ]);
    expect(new Map(sent).get('signed.drawn')).toMatch(/^signed\.png \(\d/);
  });

  test('fingers drag by the handle and draw; elsewhere they scroll', async () => {
    const at = await stage({ forms: forms() });
    const page = await openPage({ hasTouch: true, viewport: { width: 360, height: 640 } });
    await openBy('script', at, 'trip', page);
    const touches = await page.context().newCDPSession(page);
    const swipe = async (from: string, to: string) => {
      const boxesNow = () => Promise.all([from, to].map((one) => page.locator(one).boundingBox()));
      let boxes = await boxesNow();
      // The page may still be scrolling from the previous swipe.
      await expect
        .poll(async () => {
          const before = JSON.stringify(boxes);
          await page.evaluate(() => new Promise(requestAnimationFrame));
          boxes = await boxesNow();
          return JSON.stringify(boxes) === before;
        })
        .toBe(true);
      const [start, end] = boxes.map((box) => ({ x: (box?.x ?? 0) + 8, y: (box?.y ?? 0) + 4 }));
      await touches.send('Input.dispatchTouchEvent', {
        type: 'touchStart',
        touchPoints: [start ?? { x: 0, y: 0 }],
      });
      for (const part of [0.5, 1]) {
        const y = (start?.y ?? 0) + ((end?.y ?? 0) - (start?.y ?? 0)) * part;
        await touches.send('Input.dispatchTouchEvent', {
          type: 'touchMove',
          touchPoints: [{ x: start?.x ?? 0, y }],
        });
      }
      await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await page.locator('.ranking-list li').nth(2).waitFor();
    await swipe('li:nth-child(3) > span:nth-child(2)', 'li:nth-child(1)');
    expect(await orderOf(page)).toEqual(['Green tea', 'coffee', 'water']);
    await page.evaluate(() => scrollTo(0, 0));
    await swipe('li:nth-child(3) .ranking-handle', 'li:nth-child(1)');
    await expect.poll(() => orderOf(page)).toEqual(['water', 'Green tea', 'coffee']);
    await page.locator('.signature-pad').scrollIntoViewIfNeeded();
    await swipe('.signature-pad', '.signature-clear');
    await expect
      .poll(() => page.locator('input[name="signed.drawn"]').inputValue())
      .toMatch(/^data:image\/png/);
  });

  test('the keyboard alone can sort and sign, and changes are announced', async () => {
    const at = await stage({ forms: forms() });
    const page = await openPage();
    await openBy('script', at, 'trip', page);
    await page.locator('.ranking-list button').first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    // The browser reports the missing first place, and focuses what can be moved.
    await page.locator('button[type=submit]').click();
    await expect.poll(focused).toBe('Move up: Green tea');
    await page.keyboard.press('ArrowDown');
    const status = page.locator('.ranking-status');
    expect(await status.textContent()).toBe('Green tea: place 2 of 3');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Move up: Green tea',
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await orderOf(page)).toEqual(['coffee', 'water', 'Green tea']);
    for (let presses = 0; presses < 9; presses += 1) {
      if (await page.locator('input[name=signed]').evaluate((one) => one === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('Ada');
    await page.keyboard.press('Enter');
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.delivered[0]).toEqual([
      ['drinks', 'coffee'],
      ['drinks', 'water'],
      ['drinks', 'tea'],
      ['signed', 'Ada'],
    ]);
  });

  test.each(ways)('with %s, a part of a country’s name finds it', async (by) => {
    const at = await stage({ forms: forms() });
    const page = await openPage({ hasTouch: true });
    await openBy(by, at, 'trip', page);
    const box = page.getByRole('combobox', { name: 'Country' });
    const options = page.getByRole('option');
    const chosen = page.locator('select[name=country]');
    // Until the script has loaded, the list has this role.
    await page.locator('input[role=combobox]').waitFor();
    await box.click();
    await expect.poll(() => options.count()).toBe(249);
    await box.fill('aland');
    expect(await options.allTextContents()).toEqual(['Åland Islands', 'New Zealand']);
    expect(await page.locator('.search-status').textContent()).toBe('Options found: 2');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = await box.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).textContent()).toBe('New Zealand');
    await page.keyboard.press('Enter');
    expect([await box.inputValue(), await chosen.inputValue(), await options.count()]).toEqual([
      'New Zealand',
      'NZ',
      0,
    ]);
    await box.fill('xyz');
    expect(await page.locator('.search-status').textContent()).toBe('No option matches.');
    expect((await page.locator('.search-status').boundingBox())?.height).toBeGreaterThan(10);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await box.inputValue()).toBe('New Zealand');
    await box.fill('FR');
    await box.fill('DE');
    expect(await options.first().textContent()).toBe('Germany');
    await box.fill('FR');
    await page.keyboard.press('Tab');
    expect([await box.inputValue(), await chosen.inputValue()]).toEqual(['France', 'FR']);
    await box.fill('');
    await page.keyboard.press('Tab');
    expect(await chosen.inputValue()).toBe('');
    await box.fill('kingd');
    await options.first().tap();
    expect([await box.inputValue(), await chosen.inputValue()]).toEqual(['United Kingdom', 'GB']);
    expect(at.delivered).toEqual([]);
  });

  test('without JavaScript, numbers and a typed name work', async () => {
    const { at, page } = await openForm(forms(), 'trip', { javaScriptEnabled: false });
    for (const [index, drink] of ['water', 'tea', 'coffee'].entries())
      await page.getByLabel(`Place ${index + 1}`).selectOption(drink);
    await page.getByLabel('Signature').fill('Ada');
    await page.getByLabel('Starts').fill('2026-03');
    await page.getByLabel('Country').selectOption('NZ');
    await page.locator('button[type=submit]').click();
    await expect.poll(() => at.delivered.length).toBe(1);
    expect(at.bodies[0]).toBe('country=NZ&drinks=water&drinks=tea&drinks=coffee&signed=Ada&starts=2026-03');
  });

  test.each([
    ['de', 'light', 1000],
    ['ar', 'dark', 360],
  ] as const)('are accessible and fit the page: %s, %s, %i wide', async (language, colorScheme, width) => {
    const at = await stage({ forms: forms(`language: ${language}`, room) });
    const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
    const body =
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="teal"/></svg>';
    const answer = { contentType: 'image/svg+xml', body };
    await page.route('https://pictures.example/**', (route) => route.fulfill(answer));
    await page.goto(`${at.origin}/api/v1/form/trip`);
    await page.locator('.signature-pad').waitFor();
    await page.locator('.choice-picture > img').scrollIntoViewIfNeeded();
    const loaded = () =>
      page.locator('.choice-picture > img').evaluate((one: HTMLImageElement) => one.naturalWidth);
    await expect.poll(loaded).toBe(600);
    await isSound(page, `drawn-${language}-${width}`);
    await draw(page);
    await page.locator('input[role=combobox]').fill('a');
    await page.keyboard.press('ArrowDown');
    await isSound(page, `found-${language}-${width}`);
    await page.keyboard.press('Escape');
    await unchecked(page);
    await page.locator('button[type=submit]').click();
    await page.locator('.field-error').nth(1).waitFor();
    await isSound(page, `drawn-again-${language}-${width}`);
    expect(await page.locator('input[name="signed.drawn"]').inputValue()).toMatch(/^data:/);
  });
});
