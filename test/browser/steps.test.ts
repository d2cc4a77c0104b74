/** A form in steps: the browser's own Back and Forward move between the steps, and a reload loses nothing. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { stepsCode } from '../../packages/element/built/steps.ts';
import {
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  type Htmx,
  openPage,
  press,
  printed,
  type Stage,
  scriptOf,
  stage,
  tagOf,
} from './stage.ts';

const quote = `
  quote:
    title: A quote
    spam: {honeypot: website, min_fill_seconds: 1}
    bodies: [multipart]
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: topics, type: checkboxes, options: [boots, hats]}
      - {name: company, visible_when: {field: kind, is: business}}
      - {name: size, type: select, options: [small, large]}
      - {name: iban, autocomplete: off}
      - {name: income, type: radios, options: [low, high], autocomplete: off}
      - {name: source, type: hidden, value: ad}
      - {name: plan, type: file, accept: [text]}
      - {name: note, type: textarea}
    steps:
      - {title: You, fields: [kind, topics]}
      - {title: Your company, fields: [company, size, iban, income]}
      - {title: The rest, fields: [plan, note]}
    outputs: [{type: webhook, url: "$sink", mapping: "*", files: none}]
`;

const step = (page: Page, number: number) => page.getByText(`Step ${number} of 3`).waitFor();
const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
const loaded = (page: Page) => page.waitForResponse((answer) => answer.url().endsWith('/steps.js'));

/** Opens a page to which Back may lead, then one with the form. */
async function open(at: Stage, body: string, more = '') {
  at.serve('/before', documentWith('<p>Before</p>\n'));
  at.serve('/page', documentWith(body, scriptOf(at) + more));
  const page = await openPage({ url: `${at.host}/before` });
  const part = loaded(page);
  await page.goto(`${at.host}/page`);
  await part;
  return page;
}

async function toLastStep(page: Page) {
  await page.getByLabel('business').check();
  await page.getByLabel('hats').check();
  await press(page, 'Next');
  await step(page, 2);
  await page.getByLabel('Company').fill('Engines');
  await page.getByLabel('Size').selectOption('large');
  await press(page, 'Next');
  await step(page, 3);
  await page.getByLabel('Note').fill('By boat,\nplease.');
}

async function fillInWhatIsNotKept(page: Page) {
  await press(page, 'Back');
  await step(page, 2);
  await page.getByLabel('Iban').fill('DE02120300000000202051');
  await page.getByLabel('high').check();
  await press(page, 'Next');
  await step(page, 3);
}

async function addPlanAndDecoy(page: Page) {
  const buffer = Buffer.from('A plan');
  await page.getByLabel('Plan').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer });
  await page.locator('[name=website]').evaluate((input: HTMLInputElement) => {
    input.value = 'decoy';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** The form in an element, filled in up to its last step. */
async function atLastStep(forms = quote) {
  const at = await stage({ forms });
  const page = await open(at, tagOf(at, 'quote'));
  await toLastStep(page);
  return { at, page };
}

const ways = {
  'one tag': async (at: Stage) => tagOf(at, 'quote'),
  'a printed form': (at: Stage) => printed(at, quote, 'quote', '--script'),
} as const;

describeInBrowser('a form in steps', () => {
  test.each(Object.entries(ways))('Back and Forward move between steps: %s', async (_, html) => {
    const at = await stage({ forms: quote });
    const page = await open(at, await html(at));
    await toLastStep(page);
    await page.goBack();
    await step(page, 2);
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('form-step-title');
    await page.goBack();
    await step(page, 1);
    await page.goForward();
    await step(page, 2);
    await page.goForward();
    await step(page, 3);
    // The form's button uses the browser's history, so neither visits a step twice.
    await press(page, 'Back');
    await step(page, 2);
    await page.goBack();
    await step(page, 1);
    await page.goBack();
    await page.getByText('Before').waitFor();
    expect(at.delivered).toEqual([]);
  });

  test.each(Object.entries(ways))('a reload keeps the step and the typed text: %s', async (_, html) => {
    const at = await stage({ forms: quote });
    const page = await open(at, await html(at));
    await toLastStep(page);
    await addPlanAndDecoy(page);
    await page.reload();
    await step(page, 3);
    expect(await page.getByLabel('Note').inputValue()).toBe('By boat,\nplease.');
    await press(page, 'Back');
    await step(page, 2);
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    expect(await page.getByLabel('Size').inputValue()).toBe('large');
    await page.goBack();
    await step(page, 1);
    expect(await page.getByLabel('business').isChecked()).toBe(true);
    expect([await page.getByLabel('hats').isChecked(), await page.getByLabel('boots').isChecked()]).toEqual([
      true,
      false,
    ]);
  });

  test('files, fields that must not be stored, the token and the honeypot are never stored', async () => {
    const { page } = await atLastStep();
    await fillInWhatIsNotKept(page);
    await addPlanAndDecoy(page);
    const stored = await kept(page);
    expect(stored).toContain('Engines');
    expect(stored).not.toMatch(/DE0212|high|plan\.txt|A plan|decoy|_ts|source|ad"/);
  });

  test('a reload leads to the first step with a lost value', async () => {
    const { page } = await atLastStep();
    await fillInWhatIsNotKept(page);
    await page.reload();
    await step(page, 2);
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    expect(await page.getByLabel('Iban').inputValue()).toBe('');
    expect(await page.getByLabel('high').isChecked()).toBe(false);
    // The step is now known to be empty, and no reason to return.
    await press(page, 'Next');
    await step(page, 3);
    await page.reload();
    await step(page, 3);
    expect(await page.getByLabel('Note').inputValue()).toBe('By boat,\nplease.');
    // Back moved one step: no step is visited twice.
    await page.goBack();
    await step(page, 2);
    await page.goBack();
    await step(page, 1);
  });

  test('after sending, nothing is stored, and Back leaves the page', async () => {
    const { at, page } = await atLastStep();
    at.advance(2_000);
    await press(page, 'Send');
    await page.getByText('Thank you.').waitFor();
    expect(at.sink.requests).toHaveLength(1);
    expect(await kept(page)).toBe('{}');
    await expect.poll(() => page.evaluate(() => history.state?.formRelay)).toEqual([]);
    expect(await page.getByText('Thank you.').isVisible()).toBe(true);
    await page.goBack();
    await page.getByText('Before').waitFor();
    await page.goForward();
    await step(page, 1);
    expect(await page.getByLabel('business').isChecked()).toBe(false);
  });

  test('if nothing can be stored, Back works, and a reload starts over', async () => {
    const at = await stage({ forms: quote });
    at.serve('/page', documentWith(tagOf(at, 'quote'), scriptOf(at)));
    const page = await openPage();
    await page.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get: () => {
          throw new DOMException('not here', 'SecurityError');
        },
      });
    });
    const part = loaded(page);
    await page.goto(`${at.host}/page`);
    await part;
    await toLastStep(page);
    await page.goBack();
    await step(page, 2);
    await page.goForward();
    await page.reload();
    await step(page, 1);
    await toLastStep(page);
    at.advance(2_000);
    await press(page, 'Send');
    await page.getByText('Thank you.').waitFor();
  });

  test('a form without steps stores nothing, and does not load the script for steps', async () => {
    const at = await stage({ forms: quote.replace(/ {4}steps:.*(?= {4}outputs)/s, '') });
    at.serve('/page', documentWith(tagOf(at, 'quote'), scriptOf(at)));
    const page = await openPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${at.host}/page`);
    const files = page.waitForResponse('**/files.js');
    await page.getByLabel('Note').fill('By boat');
    await files;
    expect(await kept(page)).toBe('{}');
    expect(requests).not.toContain('/api/v1/steps.js');
  });

  test('an error in an earlier step leads there, and going back follows the same path', async () => {
    const { at, page } = await atLastStep(
      quote.replace('{name: company,', '{name: company, required: true,'),
    );
    await page.locator('[name=company]').evaluate((input: HTMLInputElement) => {
      input.value = '';
    });
    at.advance(2_000);
    await press(page, 'Send');
    await step(page, 2);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('company');
    await page.goBack();
    await step(page, 1);
  });

  test.each([
    ['htmx2', 'one tag'],
    ['htmx4', 'a printed form'],
  ] as const)('in a page that %s loaded, Back stays in the page: %s', async (htmx: Htmx, way) => {
    const at = await stage({ forms: quote });
    const script = `<script src="/${htmx}.js"></script>\n${crossOriginConfig[htmx]}\n${scriptOf(at)}`;
    at.serve('/start', documentWith('<div hx-boost="true"><a href="/page">On</a></div>\n', script));
    at.serve('/page', documentWith(await ways[way](at), script));
    const page = await openPage({ url: `${at.host}/start` });
    await page.getByText('On').click();
    await step(page, 1);
    await page.waitForURL(`${at.host}/page`);
    await toLastStep(page);
    await page.goBack();
    await step(page, 2);
    await page.goBack();
    // htmx owns this history entry. htmx 2 restores its copy of the page: the form's state without typed text.
    await expect.poll(() => page.getByLabel('business').isChecked()).toBe(true);
    await step(page, 1);
    await page.goForward();
    await step(page, 2);
    await expect.poll(() => page.getByLabel('Company').inputValue()).toBe('Engines');
    expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(1);
    await press(page, 'Next');
    await step(page, 3);
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  });
});

test('the script for steps is under 1.7 KB', () =>
  expect(gzipSync(stepsCode, { level: 9 }).length).toBeLessThan(1_700));
