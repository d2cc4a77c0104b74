/**
 * The recipes of docs/styling/, each pasted as an owner of such a site would. Tailwind requires a build, and
 * is not tested here.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { recipe } from '../support/recipe.ts';
import { describeInBrowser, isSound, openPage, type Page, stage, unchecked } from './stage.ts';

const require = createRequire(import.meta.url);

const sites = [
  {
    ...recipe('bootstrap'),
    sheets: ['bootstrap/dist/css/bootstrap.min.css'],
    scheme: 'data-bs-theme',
    within: 'container py-4',
  },
  {
    ...recipe('pico'),
    sheets: ['@picocss/pico/css/pico.min.css', 'form.css'],
    scheme: 'data-theme',
    within: 'container',
  },
] as const;

/** A site without styles for forms. */
const plain = { name: 'plain', classes: '', sheets: [], css: '', scheme: 'data-theme', within: '' } as const;

const forms = `
  contact:
    title: Write to us
    confirmation: "Thank you. [Read on](https://example.com/)."
    fields:
      - note: |
          ## Before you write
          Prefer the phone? [Call us](https://example.com/) on **weekdays**, and have ready:
          - your name
          - the *number* of seats
      - {name: name, required: true, placeholder: Ada}
      - {name: topic, type: select, required: true, options: [sales, support]}
      - {name: seats, type: number}
      - {name: price, type: number, required: true, prefix: €, suffix: per seat, help: Without tax.}
      - {name: reach, type: radios, required: true, options: [mail, phone]}
      - {name: topics, type: checkboxes, required: true, options: [first, second], help: As you like.}
      - {name: consent, type: checkbox, required: true, label: "I read the [notice](https://example.com/)."}
    groups: [{legend: How many, fields: [seats, price]}]
    markdown_notes: true
    outputs: [{type: http_post, url: "$sink"}]
  stepped:
    fields: [{name: name, required: true}, {name: seats, type: number}]
    steps: [{title: You, fields: [name]}, {title: The table, fields: [seats]}]
    outputs: [{type: http_post, url: "$sink"}]
  made_of_parts:
    fields:
      - {name: guests, type: repeat, least: 1, fields: [{name: name}, {name: age, type: number}]}
      - {name: meals, type: grid, rows: [Lunch, Dinner], options: [meat, fish]}
    outputs: [{type: http_post, url: "$sink"}]
`;

const open = async (site: (typeof sites)[number] | typeof plain, form: string, look: Look) => {
  let isDown = true;
  const at = await stage({
    forms: `${forms.trimEnd()}\n${site.classes}`,
    sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
  });
  const styles = site.sheets.map((sheet) =>
    sheet === 'form.css'
      ? `<link rel="stylesheet" href="${at.origin}/api/v1/form.css">`
      : `<style>${readFileSync(require.resolve(sheet), 'utf8')}</style>`,
  );
  const address = `${at.origin}/api/v1/form/${form}`;
  at.serve(
    '/site',
    `<!DOCTYPE html><html lang="en" ${site.scheme}="${look.colorScheme}"><head><title>Site</title>
<meta name="viewport" content="width=device-width">${styles.join('')}<style>${site.css}</style>
<script src="${at.origin}/api/v1/form.js" defer></script></head>
<body><main class="${site.within}"><h1>Site</h1>
<relay-form src="${address}"><a href="${address}">Write to us</a></relay-form></main></body></html>`,
  );
  const { width, colorScheme } = look;
  const page = await openPage({ url: `${at.host}/site`, colorScheme, viewport: { width, height: 800 } });
  await unchecked(page);
  return {
    page,
    repair: () => {
      isDown = false;
    },
  };
};

interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

const looks: readonly Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
];

/** There are no accessibility errors, and nothing overflows. */
async function expectFinished(page: Page, name: string) {
  // Off the button, because the framework changes its colours on hover.
  await page.mouse.move(0, 0);
  await isSound(page, name);
}

describeInBrowser('the recipes', () => {
  describe.each(sites)('$name', (site) => {
    test.each(looks)('every state, $colorScheme, $width wide', async (look) => {
      const { page, repair } = await open(site, 'contact', look);
      const shot = (state: string) => `${site.name}-${state}-${look.colorScheme}-${look.width}`;
      await expectFinished(page, shot('first'));
      await page.getByRole('button').click();
      await page.locator('.form-summary').waitFor();
      await expectFinished(page, shot('errors'));
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('Price').fill('20');
      await page.getByLabel('Topic *').selectOption('sales');
      for (const label of ['mail', 'first', 'I read']) await page.getByLabel(label).check();
      await page.getByRole('button').click();
      await page.getByText('could not be delivered').waitFor();
      await expectFinished(page, shot('failed'));
      repair();
      await page.getByRole('button').click();
      await page.locator('.form-confirmation').waitFor();
      await expectFinished(page, shot('sent'));
    });

    test.each(looks)('steps, $colorScheme, $width wide', async (look) => {
      const { page } = await open(site, 'stepped', look);
      await page.getByLabel('Name').fill('Ada');
      await page.getByRole('button').click();
      const back = page.getByRole('button', { name: 'Back' });
      const send = page.getByRole('button', { name: 'Send' });
      await back.waitFor();
      await expectFinished(page, `${site.name}-steps-${look.colorScheme}-${look.width}`);
      // The buttons are side by side, apart, and distinguished by more than their text.
      const [one, other] = [await back.boundingBox(), await send.boundingBox()];
      expect((one?.x ?? 0) + (one?.width ?? 0) + 4).toBeLessThan(other?.x ?? 0);
      const ground = (element: Element) => getComputedStyle(element).backgroundColor;
      expect(await back.evaluate(ground)).not.toBe(await send.evaluate(ground));
    });
  });
});
