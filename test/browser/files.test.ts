import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  complaintsOf,
  describeInBrowser,
  documentWith,
  type Htmx,
  openPage,
  openWithHtmx,
  type Stage,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

const outputs = 'outputs: [{type: http_post, url: "$sink", mapping: "*"}]';
const apply = `
  apply:
    title: Apply
    fields:
      - {name: email, type: email, required: true}
      - {name: cv, type: file, label: CV, required: true, max_size: 20KB}
      - {name: photos, type: file, multiple: true, max_files: 2}
    ${outputs}
`;

const pdf = (name: string, bytes = 2_000) => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n'.padEnd(bytes, 'x')),
});
const png = (name: string) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
});

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
const cv = (page: Page) => page.getByLabel('CV');
const photos = (page: Page) => page.getByLabel('Photos');
const email = (page: Page) => page.getByLabel('Email');
const listed = (page: Page) => page.locator('.file-list li').allInnerTexts();
const unchecked = (page: Page) =>
  page.locator('form').evaluateAll((forms) => {
    for (const form of forms as HTMLFormElement[]) form.noValidate = true;
  });

const scriptOf = (origin: string) =>
  `<script src="${origin}/api/v1/form.js" defer></script>\n<link rel="stylesheet" href="${origin}/api/v1/form.css">`;
/** Each way in which a page can have the form. */
const ways: Readonly<Record<string, (at: Stage, forms: string, form: string) => Promise<Page>>> = {
  'the tag': async (at, _, form) => {
    at.serve(
      '/page',
      documentWith(
        `<relay-form src="${at.origin}/api/v1/form/${form}"><a href="${at.origin}">Write</a></relay-form>`,
        scriptOf(at.origin),
      ),
    );
    const page = await openPage();
    await page.goto(`${at.host}/page`);
    return page;
  },
  'htmx 2': async (at, _, form) => openWithHtmx(at, 'htmx2' satisfies Htmx, 'cross', [form]),
  'htmx 4': async (at, _, form) => openWithHtmx(at, 'htmx4' satisfies Htmx, 'cross', [form]),
};

for (const [way, open] of Object.entries(ways)) {
  describeInBrowser(`files by ${way}`, () => {
    test('a correction keeps what was chosen, and all of it arrives', async () => {
      const at = await stage({ forms: apply });
      const page = await open(at, apply, 'apply');
      await email(page).fill('ada@localhost@');
      await cv(page).setInputFiles(pdf('cv.pdf'));
      await photos(page).setInputFiles([png('one.png'), png('two.png')]);
      await expect
        .poll(() => listed(page))
        .toEqual(['cv.pdf (2 KB) ×', 'one.png (33 bytes) ×', 'two.png (33 bytes) ×']);
      await unchecked(page);
      await send(page);
      await page.getByText('Enter an e-mail address like').waitFor();
      await screenshot(page, `files_${way}`);
      expect(await violationsIn(page)).toEqual([]);
      await expect.poll(() => listed(page)).toHaveLength(3);
      expect(await page.getByText('choose the file again').count()).toBe(0);
      await email(page).fill('ada@example.org');
      await page.getByRole('button', { name: 'Remove one.png' }).click();
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toEqual([
        [
          ['cv', 'cv.pdf (2 KB)'],
          ['email', 'ada@example.org'],
          ['photos', 'two.png (33 bytes)'],
        ],
      ]);
      expect(complaintsOf(page)).toEqual([]);
    });
  });
}
