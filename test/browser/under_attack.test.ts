/** With `proof_of_work: auto` a visitor reads nothing of an attack, also one that begins while they type. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isGuarded } from './guarded.ts';
import { complaintsOf, describeInBrowser, documentWith, openPage, type Stage, stage } from './stage.ts';

const forms = `
  contact:
    confirmation: We have your message.
    fields: [{name: text, label: Message, required: true}]
    spam: {proof_of_work: auto}
    outputs: [{type: http_post, url: $sink, mapping: "*"}]
`;

async function openInPage(at: Stage, page: Page) {
  at.serve(
    '/page',
    documentWith(
      `<relay-form src="${at.origin}/api/v1/form/contact"></relay-form>\n`,
      `<script src="${at.origin}/api/v1/form.js" defer></script>\n`,
    ),
  );
  await page.goto(`${at.host}/page`);
  await page.getByLabel('Message').waitFor();
}

const openOwn = (at: Stage, page: Page) => page.goto(`${at.origin}/api/v1/form/contact?as=page`);

/** Nothing of it gets through but the first few, and it goes on. */
async function attack(at: Stage): Promise<void> {
  for (let count = 0; count < 40; count += 1) await at.submit('contact', [['text', 'Buy!']]);
}

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
const isSent = (page: Page) => page.getByText('We have your message.').waitFor();
const fromVisitor = (at: Stage) => at.delivered.filter(([field]) => field?.[1] === 'Hello').length;

describeInBrowser('an attack', () => {
  test('in calm times, nobody’s browser solves anything', async () => {
    const at = await stage({ forms });
    const page = await openPage();
    await openInPage(at, page);
    expect(await page.locator('[data-challenge]').count()).toBe(0);
    await page.getByLabel('Message').fill('Hello');
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([[['text', 'Hello']]]);
  });

  test.each([
    ['the relay’s script', openInPage],
    ['a page of the relay’s own', openOwn],
  ] as const)('%s: a form that is opened meanwhile solves a puzzle first', async (_, open) => {
    const at = await stage({ forms });
    await attack(at);
    const page = await openPage();
    await open(at, page);
    await isGuarded(page);
    await page.getByLabel('Message').fill('Hello');
    await send(page);
    await isSent(page);
    expect(fromVisitor(at)).toBe(1);
    expect(complaintsOf(page)).toEqual([]);
  });

  test('the relay’s script: one that was opened before solves it, and is sent again by itself', async () => {
    const at = await stage({ forms });
    const page = await openPage();
    await openInPage(at, page);
    await page.getByLabel('Message').fill('Hello');
    await attack(at);
    await send(page);
    await isSent(page);
    expect(fromVisitor(at)).toBe(1);
  });

  test('a page of the relay’s own: one that was opened before comes back once, with all that was typed', async () => {
    const at = await stage({ forms });
    const page = await openPage();
    await openOwn(at, page);
    await page.getByLabel('Message').fill('Hello');
    await attack(at);
    await send(page);
    await page.getByText('Nothing was sent yet').waitFor();
    await isGuarded(page);
    await send(page);
    await isSent(page);
    expect(fromVisitor(at)).toBe(1);
  });
});
