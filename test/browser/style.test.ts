/** The forms' stylesheet, `/api/v1/form.css`, in the relay's own pages and in others. */
import type { Page } from 'playwright-core';
import { everyField } from '../../packages/core/test/html/every_field.ts';
import {
  describeInBrowser,
  documentWith,
  isSound,
  openPage,
  type PageOptions,
  type Stage,
  screenshot,
  stage,
  unchecked,
} from './stage.ts';

const small = `
  small:
    fields:
      - {name: name, required: true, help: First and last.}
      - {name: kind, type: radios, options: [personal, business]}
      - {name: topic, type: select, options: [sales, press]}
      - {name: consent, type: checkbox, required: true}
    spam: {honeypot: nickname}
    outputs: [{type: http_post, url: "$sink"}]`;

/** Another site's page around the form, with styles before and after the stylesheet. */
async function embed(
  at: Stage,
  site: { before?: string; after?: string; body?: string } = {},
  options?: PageOptions,
) {
  const { text } = await at.get('/api/v1/form/small');
  const link = `<link rel="stylesheet" href="${at.origin}/api/v1/form.css">`;
  const style = (css = '') => `<style>${css}</style>`;
  const form = text.replaceAll(/<script>.*?<\/script>/gs, '');
  at.serve(
    '/site',
    documentWith(
      (site.body ?? '$form').replace('$form', form),
      style(site.before) + link + style(site.after),
    ),
  );
  return await openPage({ url: `${at.host}/site`, ...options });
}

const styleOf = (page: Page, selector: string, property: string, pseudo?: string) =>
  page
    .locator(selector)
    .first()
    .evaluate(
      (element, [name = '', of]) => getComputedStyle(element, of).getPropertyValue(name),
      [property, pseudo],
    );

/** WCAG contrast of two colours, the second as the background of the first. */
function contrast(page: Page, ...parts: readonly [front: Part, ground: Part]) {
  return page.evaluate((colours) => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('no canvas');
    const page = getComputedStyle(document.querySelector('main') ?? document.body).backgroundColor;
    const luminance = (layers: readonly string[]) => {
      context.globalCompositeOperation = 'source-over';
      for (const layer of layers) {
        context.fillStyle = layer;
        context.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
        const part = byte / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [front = '', back = ''] = colours.map((part) => {
      const [, selector = '', pseudo, property = ''] = /^(.*?)(::\w+)?: ([\w-]+)$/.exec(part) ?? [];
      const element = document.querySelector(selector);
      if (!element) throw new Error(`there is no ${selector}`);
      const colour = getComputedStyle(element, pseudo).getPropertyValue(property);
      if (!CSS.supports('color', colour)) throw new Error(`${selector} has no ${property}`);
      return colour;
    });
    const [one, other] = [luminance([page, back, front]), luminance([page, back])];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }, parts);
}

/** A colour of an element, such as `.form-confirmation::before: background-color`. */
type Part = string;

/** Relays and their pages, covering everything that a visitor can see. */
async function everyState(colorScheme: 'light' | 'dark'): Promise<Page> {
  const at = await stage({ forms: everyField.replace('title:', 'redirect: $sink\n    title:') });
  const page = await openPage({ url: `${at.origin}/api/v1/form/every_field`, colorScheme });
  await unchecked(page);
  at.advance(4_000);
  await page.locator('button[type=submit]').click();
  await page.locator('.field-error').first().waitFor();
  await page.locator('.form-status').evaluate((status) => {
    status.innerHTML = '<ul class="form-errors"><li>It <a href="#x">went</a> wrong.</li></ul>';
    status.parentElement?.insertAdjacentHTML('afterend', '<div class="form-confirmation">Thank you.</div>');
  });
  return page;
}

describeInBrowser('the stylesheet of forms', () => {
  test('changes nothing around a form', async () => {
    const at = await stage({ forms: small });
    const body =
      '<p id="p">Text <a href="#p">link</a></p><ul class="form-errors"><li>a</li></ul><fieldset class="field"><legend>L</legend><label class="choice"><input></label></fieldset><button type="button">B</button>$form';
    const page = await embed(at, { body });
    const outside = 'main > :not(form), main > :not(form) *, h1, body, html';
    const styles = () =>
      page.evaluate(
        (selector) =>
          [...document.querySelectorAll(selector)].map((element) => {
            const style = getComputedStyle(element);
            return [...style]
              .map((name) => `${name}: ${style.getPropertyValue(name)}`)
              .filter((line) => !/size|origin|inset|^(height|width|top|bottom)/.test(line))
              .join('; ');
          }),
        outside,
      );
    const before = await styles();
    await page.locator('link').evaluate((link) => link.remove());
    expect(await styles()).toEqual(before);
    expect(before.length).toBeGreaterThan(8);
  });

  test('yields to every rule of the page that starts with its class, wherever the rule is', async () => {
    const at = await stage({ forms: small });
    const rules = `.form-relay button { background-color: rgb(1, 2, 3) } .form-relay .field-help { color: rgb(4, 5, 6) }
      .form-relay input { border-top-width: 3px } .form-relay label { font-weight: 400 } .form-relay .field { margin: 0 }
      .form-relay select { padding-left: 31px } .form-relay legend { font-size: 31px }`;
    for (const site of [{ before: rules }, { after: rules }]) {
      const page = await embed(at, site);
      expect(await styleOf(page, 'button', 'background-color')).toBe('rgb(1, 2, 3)');
      expect(await styleOf(page, '.field-help', 'color')).toBe('rgb(4, 5, 6)');
      expect(await styleOf(page, 'input[name=name]', 'border-top-width')).toBe('3px');
      expect(await styleOf(page, 'label', 'font-weight')).toBe('400');
      expect(await styleOf(page, '.field', 'margin-bottom')).toBe('0px');
      expect(await styleOf(page, 'select', 'padding-left')).toBe('31px');
      expect(await styleOf(page, 'legend', 'font-size')).toBe('31px');
      // The label is still there.
      expect(await styleOf(page, 'button', 'font-weight')).toBe('600');
    }
  });

  test('uses the values of its custom properties, wherever they are set', async () => {
    const at = await stage({ forms: small });
    const page = await embed(at, {
      before: `:root { --form-relay-accent: rgb(1, 2, 3); --form-relay-radius: 9px; --form-relay-error: rgb(7, 8, 9) }
        form { --form-relay-on-accent: rgb(4, 5, 6); --form-relay-width: 300px; --form-relay-font: monospace;
          --form-relay-space: 33px; --form-relay-text: rgb(10, 11, 12); --form-relay-muted: rgb(13, 14, 15);
          --form-relay-line: rgb(16, 17, 18); --form-relay-field: rgb(19, 20, 21) }
        .form-confirmation { --form-relay-success: rgb(22, 23, 24) }`,
      body: '$form<div class="form-confirmation">Thank you.</div>',
    });
    const said = {
      'button background-color': 'rgb(1, 2, 3)',
      'button color': 'rgb(4, 5, 6)',
      'button border-top-left-radius': '9px',
      '.field-required color': 'rgb(7, 8, 9)',
      'form max-inline-size': '300px',
      'select font-family': 'monospace',
      '.field margin-bottom': '33px',
      'label color': 'rgb(10, 11, 12)',
      '.field-help color': 'rgb(13, 14, 15)',
      'select border-top-color': 'rgb(16, 17, 18)',
      'select background-color': 'rgb(19, 20, 21)',
    };
    for (const [place, value] of Object.entries(said)) {
      const [selector = '', property = ''] = place.split(' ');
      expect([place, await styleOf(page, selector, property)]).toEqual([place, value]);
    }
    expect(await styleOf(page, '.form-confirmation', 'background-color', '::before')).toBe('rgb(22, 23, 24)');
  });

  test('is dark if the page says so, and light by default', async () => {
    const at = await stage({ forms: small });
    const button = async (before: string, colorScheme: 'light' | 'dark') =>
      styleOf(await embed(at, { before }, { colorScheme }), 'button', 'background-color');
    const light = await button('', 'light');
    expect(await button('', 'dark')).toBe(light);
    expect(await button(':root { color-scheme: light dark }', 'light')).toBe(light);
    const dark = await button(':root { color-scheme: light dark }', 'dark');
    expect(dark).not.toBe(light);
    expect(await button('.form-relay { color-scheme: dark }', 'light')).toBe(dark);
  });

  test('keeps the honeypot out of sight, whatever the page shows', async () => {
    const at = await stage({ forms: small });
    const page = await embed(at, { after: 'form > *, [hidden] { display: block !important }' });
    expect(await page.locator('[name=nickname]').isVisible()).toBe(false);
    expect(await page.getByLabel('Name').isVisible()).toBe(true);
  });

  describe('fields side by side', () => {
    const rows = `
  small:
    title: Register
    fields:
      - {name: first, required: true, width: half}
      - {name: last, required: true, width: half, help: As in your passport. We print it on the badge.}
      - {name: street}
      - {name: code, width: third, autocomplete: postal-code}
      - {name: town, width: two_thirds}
      - {name: day, type: date, width: third}
      - {name: guests, type: number, width: third}
      - {name: meal, type: select, options: [with meat, vegetarian], width: third}
      - {name: way, type: radios, options: [train, car, plane], width: half}
      - {name: flight, visible_when: {field: way, is: plane}, width: half}
      - {name: news, type: checkboxes, options: [mail, letter], width: half}
      - {name: plan, type: file, width: half}
      - {name: consent, type: checkbox, width: half}
      - {name: alone, width: half}
    groups: [{legend: Your visit, fields: [day, guests, meal, way, flight]}]
    outputs: [{type: http_post, url: "$sink"}]`;

    interface Box {
      readonly top: number;
      readonly bottom: number;
      readonly left: number;
      readonly right: number;
    }

    /** Positions of each field and of its control, by the field's name. */
    const boxesIn = (page: Page): Promise<Record<string, { field: Box; control: Box }>> =>
      page.evaluate(() =>
        Object.fromEntries(
          [...document.querySelectorAll('.field')].flatMap((field) => {
            const control = field.querySelector<HTMLInputElement>('[name]');
            return control && field.checkVisibility()
              ? [
                  [
                    control.name,
                    { field: field.getBoundingClientRect(), control: control.getBoundingClientRect() },
                  ],
                ]
              : [];
          }),
        ),
      );
    const isClose = (one = Number.NaN, other = Number.NaN) => Math.abs(one - other) < 1;

    test.each(['ltr', 'rtl'] as const)('share a row if the form is wide enough: %s', async (direction) => {
      const at = await stage({ forms: rows });
      const page = await embed(at, { body: `<div dir="${direction}">$form</div>` });
      const { first, last, street, code, town, day, guests, meal, alone } = await boxesIn(page);
      for (const row of [
        [first, last],
        [code, town],
        [day, guests, meal],
      ]) {
        const inOrder = direction === 'ltr' ? row : row.toReversed();
        for (const [index, one] of inOrder.entries()) {
          expect(one?.field.top).toBe(row[0]?.field.top);
          // Controls are aligned, whatever the length of their help.
          expect(isClose(one?.control.bottom, row[0]?.control.bottom)).toBe(true);
          if (index > 0)
            expect((one?.field.left ?? 0) - (inOrder[index - 1]?.field.right ?? 0)).toBeGreaterThan(12);
        }
        expect(isClose(inOrder[0]?.field.left, street?.field.left)).toBe(true);
        expect(isClose(inOrder.at(-1)?.field.right, street?.field.right)).toBe(true);
        for (const one of row) expect(isClose(one?.control.right, one?.field.right)).toBe(true);
      }
      const width = ({ left, right }: Box) => right - left;
      expect(isClose(width(alone?.field as Box), width(first?.field as Box))).toBe(true);
      await screenshot(page, `side-by-side-${direction}`);
    });
  });

  test('shows that a form is being sent, without animation for visitors who prefer that', async () => {
    const at = await stage({ forms: small });
    for (const [reducedMotion, animation] of [
      ['no-preference', 'form-relay-turn'],
      ['reduce', 'none'],
    ] as const) {
      const page = await embed(at, {}, { reducedMotion });
      await page.locator('form').evaluate((form) => form.setAttribute('aria-busy', 'true'));
      expect(await styleOf(page, 'button', 'cursor')).toBe('progress');
      expect(await styleOf(page, 'button', 'animation-name', '::after')).toBe(animation);
    }
  });

  test('looks right in a page with forced colours', async () => {
    const at = await stage({ forms: small });
    const page = await embed(
      at,
      { body: '$form<div class="form-confirmation">Thank you.</div>' },
      { forcedColors: 'active' },
    );
    await screenshot(page, 'forced');
    expect(await styleOf(page, 'select', 'appearance')).toBe('auto');
    expect(await styleOf(page, '.form-confirmation', 'border-top-style', '::before')).toBe('solid');
    await isSound(page);
  });

  describe.each(['light', 'dark'] as const)('in a page of the relay’s own, %s', (colorScheme) => {
    test('contrast is sufficient: 4.5 for text, 3 for graphics (WCAG 1.4.3, 1.4.11, 2.4.7)', async () => {
      const page = await everyState(colorScheme);
      const ground = 'main: background-color';
      const words: readonly (readonly [Part, Part])[] = [
        ...['label', '.field-help', '.form-note', '.field-required', '.field-error'].map(
          (selector) => [`${selector}: color`, ground] as const,
        ),
        ['input[name=first_name]::placeholder: color', ground],
        ['.form-errors a: color', '.form-errors: background-color'],
        ['.form-confirmation: color', '.form-confirmation: background-color'],
        ['[type=submit]: color', '[type=submit]: background-color'],
      ];
      const drawn: readonly (readonly [Part, Part])[] = [
        ['textarea: border-top-color', ground],
        ['input[name=first_name]: border-top-color', ground],
        ['[type=submit]: background-color', ground],
        ['.form-errors: border-left-color', ground],
        ['.form-confirmation::before: background-color', '.form-confirmation: background-color'],
        ['.form-confirmation::after: background-color', '.form-confirmation::before: background-color'],
      ];
      for (const [front, back] of words)
        expect(await contrast(page, front, back), front).toBeGreaterThanOrEqual(4.5);
      for (const [front, back] of drawn)
        expect(await contrast(page, front, back), front).toBeGreaterThanOrEqual(3);
      // The focus ring.
      await page.getByLabel('Your message').focus();
      expect(await contrast(page, 'textarea: outline-color', ground)).toBeGreaterThanOrEqual(3);
    });
  });

  test('single-line fields have the same height, and are large enough to touch', async () => {
    const at = await stage({ forms: everyField });
    const page = await openPage({ viewport: { width: 390, height: 800 } });
    await page.goto(`${at.origin}/api/v1/form/every_field?as=page`);
    const heights = await page
      .locator(
        '.field :is(input[type=text], input[type=email], input[type=number], input[type=date], select:not([multiple])), button',
      )
      .evaluateAll((all) =>
        all
          .filter((element) => element.checkVisibility())
          .map((element) => element.getBoundingClientRect().height),
      );
    expect(heights.length).toBeGreaterThan(5);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(1.5);
    const choices = await page
      .locator('.choice')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...choices)).toBeGreaterThanOrEqual(24);
  });
});
