import type { Page } from 'playwright-core';
import { everyField } from '../../packages/core/test/html/every_field.ts';
import { describeInBrowser, isSound, openPage, openWithHtmx, type Stage, stage, unchecked } from './stage.ts';

/** Sends values that only the relay rejects. */
async function sendNonsense(at: Stage, page: Page) {
  at.advance(3_000);
  await unchecked(page);
  await page.getByLabel('Email').fill('nobody');
  await page.locator('button[type=submit]').click();
  await page.locator('.field-error').first().waitFor();
}

/** Fills in all required fields, and a company. */
async function fillIn(page: Page) {
  const named = (name: string) => page.locator(`[name="${name}"]`);
  const texts = {
    first_name: 'Ada',
    email: 'ada@example.org',
    company: 'Engines',
    'home.line1': 'Unter den Linden 1',
    'home.postal_code': '10117',
    'home.city': 'Berlin',
    'guests.1.name': 'Charles',
  };
  for (const [name, text] of Object.entries(texts)) await named(name).fill(text);
  await named('country').selectOption('gb');
  for (const label of ['sales', 'press', 'You may write to me']) await page.getByLabel(label).check();
  for (const row of ['food', 'music']) await page.locator(`[name="rated.${row}"][value=good]`).check();
  await named('terms').check();
  const places = await named('drinks').all();
  // The script hides it behind a list, but it is still what is sent.
  for (const [index, drink] of ['Coffee', 'tea', 'Water'].entries())
    await places[index]?.selectOption(drink, { force: true });
}

const looks = [
  { colorScheme: 'light', width: 1280 },
  // Like a window of 1280 pixels at a zoom of 400%.
  { colorScheme: 'dark', width: 320 },
] as const;

describeInBrowser('accessibility', () => {
  describe.each(looks)('the relay’s own page, $colorScheme, $width wide', ({ colorScheme, width }) => {
    const open = async () => {
      let isDown = true;
      const at = await stage({
        forms: everyField.replace('title:', 'redirect: $sink\n    title:'),
        sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
      });
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${at.origin}/api/v1/form/every_field?topics=sales&topics=press`);
      return {
        at,
        page,
        recover: () => {
          isDown = false;
        },
      };
    };
    const look = (page: Page, name: string) => isSound(page, `${name}-${colorScheme}-${width}`);

    test('as first shown, also with more space in the text (WCAG 1.4.4, 1.4.10, 1.4.12)', async () => {
      const { page } = await open();
      await look(page, 'first');
      await page.evaluate((css) => {
        const spacing = new CSSStyleSheet();
        spacing.replaceSync(css);
        document.adoptedStyleSheets.push(spacing);
      }, '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }');
      await look(page, 'spaced');
      const cut = await page.locator('label, legend, p, button, h1').evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && getComputedStyle(one).overflow !== 'visible')
          .filter((one) => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth)
          .map((one) => one.outerHTML),
      );
      expect(cut).toEqual([]);
    });

    test('as owners share it, with custom styles', async () => {
      const colours =
        '{accent: "#0f766e", background: "#e6f2f0", corner: round, footer: "[Imprint](https://acme.example/)"}';
      const at = await stage({ forms: everyField.replace('title:', `look: ${colours}\n    title:`) });
      const page = await openPage({
        colorScheme,
        viewport: { width, height: 800 },
        url: `${at.origin}/f/every_field`,
      });
      await page.getByRole('link', { name: 'Imprint' }).waitFor();
      await look(page, 'shared');
    });

    test('with words longer than the page is wide', async () => {
      const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(
        2,
      );
      const at = await stage({
        forms: `
  long:
    title: ${long}
    redirect: $sink
    fields:
      - {name: a, label: ${long}, help: "https://example.com/${long}"}
      - {name: b, type: checkboxes, label: ${long}, options: [${long}], max_choices: 1}
      - {name: c, type: checkbox, label: ${long}}
      - {name: d, type: select, options: [${long}]}
    outputs: [{type: http_post, url: "$sink"}]`,
      });
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${at.origin}/api/v1/form/long`);
      await look(page, 'long');
    });

    test('with errors at fields', async () => {
      const { at, page } = await open();
      await sendNonsense(at, page);
      await look(page, 'errors');
    });

    test('with an error about the whole form', async () => {
      const { at, page } = await open();
      at.advance(7_200_001);
      await unchecked(page);
      await page.locator('button[type=submit]').click();
      await page.locator('.form-errors').waitFor();
      await look(page, 'whole');
    });
  });

  test.each(['htmx2', 'htmx4'] as const)(
    'fragments in a page with %s: initial form, errors at fields, error about the form, and confirmation',
    async (htmx) => {
      let isDown = true;
      const at = await stage({ forms: everyField, sink: { answer: () => ({ status: isDown ? 500 : 200 }) } });
      const page = await openWithHtmx(at, htmx, 'same', ['every_field']);
      await isSound(page);
      await page.getByLabel('For a company').check();
      await page.getByRole('textbox', { name: 'Company' }).waitFor();
      await sendNonsense(at, page);
      await isSound(page);
      await fillIn(page);
      await page.locator('button[type=submit]').click();
      await page.locator('.form-errors:not(:has(a))').waitFor();
      await isSound(page);
      isDown = false;
      await page.locator('button[type=submit]').click();
      await page.locator('.form-confirmation').waitFor();
      await isSound(page);
    },
  );
});
