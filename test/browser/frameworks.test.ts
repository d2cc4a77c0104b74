/** The relay's stylesheet with stylesheets of frameworks: the form looks right in either order. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { formStyle } from '../../packages/element/built/style.ts';
import { tailwindAround } from '../support/recipe.ts';
import {
  describeInBrowser,
  documentWith,
  openPage,
  printed,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

const require = createRequire(import.meta.url);
const fileOf = (name: string) => readFileSync(require.resolve(name), 'utf8');

const forms = `
  all:
    title: Write to us
    fields:
      - note: "Prefer the phone? [Call us](https://example.com/) on weekdays."
      - {name: name, required: true, placeholder: Ada, help: First and last.}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true}
      - {name: topic, type: select, required: true, options: [sales, support]}
      - {name: languages, type: select, multiple: true, options: [English, French]}
      - {name: reach, type: radios, required: true, options: [mail, phone]}
      - {name: topics, type: checkboxes, required: true, options: [first, second], help: As you like.}
      - {name: consent, type: checkbox, required: true, label: "I read the [notice](https://example.com/)."}
      - {name: cv, type: file, required: true, multiple: true}
      - {name: day, type: date, required: true}
      - {name: seats, type: number, required: true}
    groups: [{legend: When and how many, fields: [day, seats]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
  stepped:
    fields: [{name: city, required: true}, {name: street}]
    steps: [{title: Where, fields: [city]}, {title: Where there, fields: [street]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

/** The stylesheets in a page's head, in order; `pasted` is the link that `relay form html` prints. */
type Sheet = { readonly text: string } | 'form.css' | 'pasted';

interface Tailwind {
  compile(
    css: string,
    options: { loadStylesheet(id: string): Promise<Record<'path' | 'base' | 'content', string>> },
  ): Promise<{ build(classes: readonly string[]): string }>;
}

/** Tailwind's output for this stylesheet, for a site that supports dark mode. */
async function tailwind(css = '@import "tailwindcss";'): Promise<Sheet> {
  const { compile }: Tailwind = require('tailwindcss');
  const loadStylesheet = async (id: string) =>
    id === './form-relay.css'
      ? { path: id, base: '', content: formStyle.toString() }
      : { path: id, base: '', content: fileOf(`${id}/index.css`) };
  const dark = ':root { color-scheme: dark } body { color: #fff; background: #101828 }';
  const { build } = await compile(css, { loadStylesheet });
  return { text: `${build(['p-4'])} @media (prefers-color-scheme: dark) { ${dark} }` };
}

const own = { text: ':root { color-scheme: light dark } body { background: Canvas }' };
const reset = {
  text: `${own.text} *, ::before, ::after { margin: 0; padding: 0; border: 0; appearance: none }
    button, input, select, textarea { font: inherit; color: inherit; background: none }`,
};
const bootstrap = { text: fileOf('bootstrap/dist/css/bootstrap.min.css') };
const pico = { text: fileOf('@picocss/pico/css/pico.min.css') };

const sites: readonly (readonly [name: string, sheets: () => Promise<readonly Sheet[]>])[] = [
  ['nothing else, as it is pasted', async () => [own, 'pasted']],
  ['a reset after it', async () => ['form.css', reset]],
  ['Bootstrap before it', async () => [bootstrap, 'form.css']],
  ['Bootstrap after it', async () => ['form.css', bootstrap]],
  ['Tailwind before it', async () => [await tailwind(), 'form.css']],
  ['Tailwind after it', async () => ['form.css', await tailwind()]],
  ['Tailwind around it', async () => [await tailwind(tailwindAround)]],
  ['Pico before it', async () => [pico, 'form.css']],
  ['Pico after it', async () => ['form.css', pico]],
];

/** A page with all kinds of controls, each with an error, and with a form at its second step. */
async function everyControl(sheets: readonly Sheet[]): Promise<Page> {
  const at = await stage({ forms });
  const link = `<link rel="stylesheet" href="${at.origin}/api/v1/form.css">`;
  const head = sheets.map((sheet) => {
    if (sheet === 'pasted') return '';
    return sheet === 'form.css' ? link : `<style>${sheet.text}</style>`;
  });
  const options = ['--tag', ...(sheets.includes('pasted') ? [] : ['--no-style'])];
  const tag = (form: string) => printed(at, forms, form, ...options);
  const viewport = '<meta name="viewport" content="width=device-width">';
  at.serve('/site', documentWith((await tag('all')) + (await tag('stepped')), viewport + head.join('')));
  const page = await openPage({ url: `${at.host}/site`, viewport: { width: 390, height: 800 } });
  await page.locator('.form-step').first().waitFor();
  await page.getByLabel('City').fill('Ghent');
  await page.getByRole('button', { name: 'Next' }).click();
  const all = page.locator('form[action*=all]');
  await all.evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
  });
  await all.getByRole('button', { name: 'Send' }).click();
  await page.locator('.form-summary').waitFor();
  await all.evaluate((form) => {
    form.insertAdjacentHTML('afterend', '<div class="form-confirmation"><p>Thank you.</p></div>');
  });
  return page;
}

async function turn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  await page.evaluate((theme) => {
    Object.assign(document.documentElement.dataset, { theme, bsTheme: theme });
  }, scheme);
}

/** Visible flaws of the page. */
const flawsIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(`.form-relay ${selector}`)];
    const check = (element: HTMLElement, what: string, isRight: boolean) => {
      if (!isRight)
        found.push(`${element.tagName} ${element.getAttribute('name') ?? element.className}: ${what}`);
    };
    const see = (
      selector: string,
      look: (element: HTMLElement, style: CSSStyleDeclaration, box: DOMRect) => void,
    ) => {
      const seen = all(selector).filter((element) => element.checkVisibility());
      if (seen.length === 0) found.push(`there is no ${selector}`);
      for (const element of seen) look(element, getComputedStyle(element), element.getBoundingClientRect());
    };
    const isSeen = (colour: string) => !/^(transparent|rgba\(.*, 0\))$/.test(colour);
    const hasBorder = (style: CSSStyleDeclaration) =>
      Number.parseFloat(style.borderTopWidth) >= 1 &&
      style.borderTopStyle === 'solid' &&
      isSeen(style.borderTopColor);

    see(
      'input:is([type=text],[type=email],[type=date],[type=number]),.form-relay select,.form-relay textarea',
      (control, style, box) => {
        check(control, 'no border', hasBorder(style));
        check(control, `${box.height} high`, box.height >= (control.tagName === 'TEXTAREA' ? 60 : 40));
        check(control, 'no room beside its words', Number.parseFloat(style.paddingLeft) >= 4);
      },
    );
    see('[type=file]', (control) => {
      const button = getComputedStyle(control, '::file-selector-button');
      check(control, 'no button', isSeen(button.backgroundColor));
    });
    see('button', (button, style, box) => {
      check(button, 'no ground and no border', isSeen(style.backgroundColor) || hasBorder(style));
      check(button, `${box.height} high`, box.height >= 32);
    });
    see('button[type=submit]', (button, style) => {
      check(button, 'no ground', isSeen(style.backgroundColor));
      check(button, 'no border', Number.parseFloat(style.borderTopWidth) >= 1);
    });
    see('.field-error', (error, style) => {
      const icon = getComputedStyle(error, '::before');
      const end = Number.parseFloat(icon.insetInlineStart) + Number.parseFloat(icon.inlineSize);
      check(
        error,
        'its icon covers its words',
        icon.position === 'absolute' && end <= Number.parseFloat(style.paddingLeft),
      );
    });
    see('.choice', (choice, style, around) => {
      const box = choice.querySelector('input')?.getBoundingClientRect();
      if (!box) throw new Error('a choice without a box');
      check(choice, 'too small', box.width >= 16 && box.height >= 16);
      check(choice, 'hangs over the edge', box.left >= around.left && box.bottom <= around.bottom);
      check(choice, 'covers its words', box.right + 4 <= around.left + Number.parseFloat(style.paddingLeft));
    });
    see('fieldset', (group) => {
      const tops = [...group.querySelectorAll('.choice')].map((choice) => choice.getBoundingClientRect().top);
      check(group, 'choices stand beside each other', new Set(tops).size === tops.length);
    });
    if (document.documentElement.scrollWidth > innerWidth) found.push('it is wider than the page');
    return found;
  });

describeInBrowser('the stylesheet of forms is whole', () => {
  test.each(sites)('with %s', async (name, sheets) => {
    const page = await everyControl(await sheets());
    for (const scheme of ['light', 'dark'] as const) {
      await turn(page, scheme);
      await screenshot(page, `beside ${name} ${scheme}`);
      expect(await flawsIn(page), scheme).toEqual([]);
      expect(await violationsIn(page), scheme).toEqual([]);
    }
  });
});
