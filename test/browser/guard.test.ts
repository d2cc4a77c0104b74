/** The browser solves what a form asks it to while its visitor types, and nobody else notices. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { guardCode } from '../../src/views/guard_code.ts';
import { formHtml } from '../support/form_html.ts';
import {
  complaintsOf,
  describeInBrowser,
  documentWith,
  openPage,
  openWithHtmx,
  type Stage,
  stage,
  violationsIn,
} from './stage.ts';

const contact = (spam: string, id = 'contact') => `
  ${id}:
    title: Write to us
    confirmation: We have your message.
    fields:
      - {name: email, type: email, required: true}
      - {name: text, label: Message}
    spam: ${spam}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const always = contact('{proof_of_work: true}');
/** Whatever is written with ten links in it is doubted. */
const doubting = contact('{doubt: {challenge: 1}, signals: {links: 10}}');
const links = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
const isSent = (page: Page) => page.getByText('We have your message.').waitFor();
async function fill(page: Page, text = 'Hello') {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Message').fill(text);
}
const message = (text = 'Hello') => [
  ['email', 'ada@example.org'],
  ['text', text],
];

const script = (at: Stage) => `<script src="${at.origin}/api/v1/form.js" defer></script>\n`;
const serve = async (at: Stage, page: Page, body: string, inHead: string, headers = {}) => {
  at.serve('/page', documentWith(body, inHead), headers);
  await page.goto(`${at.host}/page`);
};
const tag = (at: Stage, id = 'contact') => `<relay-form src="${at.origin}/api/v1/form/${id}"></relay-form>\n`;
const printed = (at: Stage, forms: string, ...args: readonly string[]) =>
  formHtml(
    `forms:${forms.replaceAll('$sink', `${at.sink.origin}/`)}`,
    'contact',
    '--base-url',
    at.origin,
    ...args,
  );
const openOwn = (at: Stage, page: Page, id = 'contact') =>
  page.goto(`${at.origin}/api/v1/form/${id}?as=page`);

/** Each way in which a page can have the form. */
const ways: readonly (readonly [string, (at: Stage, page: Page, forms: string) => Promise<unknown>])[] = [
  ['the relay’s own page', (at, page) => openOwn(at, page)],
  ['the tag', (at, page) => serve(at, page, tag(at), script(at))],
  [
    'a printed form with the script',
    async (at, page, forms) => serve(at, page, await printed(at, forms, '--script'), script(at)),
  ],
  [
    'a form of the page’s own',
    (at, page) =>
      serve(
        at,
        page,
        `<form data-form-relay="contact"><label>Email <input name="email" type="email"></label>
<label>Message <input name="text"></label><button>Send</button></form>`,
        script(at),
      ),
  ],
  [
    'the element of the package',
    (at, page) => {
      for (const name of ['element', 'client', 'parts', 'guard']) {
        const code = readFileSync(new URL(`../../dist/${name}.mjs`, import.meta.url), 'utf8');
        at.serve(`/${name}.mjs`, code, { 'content-type': 'text/javascript' });
      }
      return serve(at, page, tag(at), '<script type="module" src="/element.mjs"></script>');
    },
  ],
  ['htmx 2', (at, page) => openWithHtmx(at, 'htmx2', 'cross', ['contact'], page)],
  ['htmx 4', (at, page) => openWithHtmx(at, 'htmx4', 'same', ['contact'], page)],
  [
    'a printed form without htmx',
    async (at, page, forms) => serve(at, page, await printed(at, forms, '--htmx', '--script'), ''),
  ],
];

test('the script is small, and runs nothing that pages may forbid', () => {
  expect(gzipSync(guardCode, { level: 9 }).length).toBeLessThan(4_096);
  expect(guardCode).not.toMatch(/\beval\b|new Function/);
});

describeInBrowser('proof of work', () => {
  test.each(ways)('%s: everybody solves a puzzle and reads nothing of it', async (_, open) => {
    const at = await stage({ forms: always });
    const page = await openPage();
    await open(at, page, always);
    await fill(page);
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message()]);
    expect(complaintsOf(page)).toEqual([]);
  });

  test.each(ways)('%s: who is doubted solves a harder one', async (way, open) => {
    const at = await stage({ forms: doubting });
    const page = await openPage();
    await open(at, page, doubting);
    await fill(page, links);
    await send(page);
    // Where a script sends it, it does so again by itself.
    if (!/tag|script|own$|package/.test(way)) {
      await page.getByText('Nothing was sent yet').waitFor();
      await page.locator('.form-challenge').waitFor({ state: 'detached' });
      expect(await page.getByLabel('Message').inputValue()).toBe(links);
      expect(await violationsIn(page)).toEqual([]);
      await send(page);
    }
    await isSent(page);
    expect(at.delivered).toEqual([message(links)]);
    // Chromium says so of every answer of 4xx.
    expect(complaintsOf(page).filter((one) => !one.startsWith('Autofocus'))).toEqual([]);
  });
});
