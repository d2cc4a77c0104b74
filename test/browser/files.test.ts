import http from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { filesCode } from '../../packages/element/built/files.ts';
import {
  describeInBrowser,
  documentWith,
  isFocused,
  isSound,
  openPage,
  openWithHtmx,
  type PageOptions,
  printed,
  type Stage,
  screenshot,
  scriptOf,
  send,
  stage,
  tagOf,
  unchecked,
} from './stage.ts';

const outputs = 'outputs: [{type: http_post, url: "$sink", mapping: "*"}]';
const apply = `
  apply:
    title: Apply
    fields:
      - {name: email, type: email, required: true}
      - {name: cv, type: file, label: CV, required: true, max_size: 20KB, accept: [pdf, image], help: Two pages are enough.}
      - {name: photos, type: file, multiple: true, max_files: 2}
      - {name: source, visible_when: {field: photos, filled: true}}
    ${outputs}
`;

const file = (name: string, bytes: number | Buffer, mimeType = 'application/pdf') => ({
  name,
  mimeType,
  buffer: typeof bytes === 'number' ? Buffer.from('%PDF-1.4\n'.padEnd(bytes, 'x').slice(0, bytes)) : bytes,
});
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const png = (name: string) => file(name, pixel, 'image/png');
const pdf = (name: string) => file(name, 2_000);

const cv = (page: Page) => page.locator('input[name=cv]');
const photos = (page: Page) => page.locator('input[name=photos]');
const email = (page: Page) => page.getByLabel('Email');
const listed = (page: Page) =>
  page
    .locator('.file-list li')
    .evaluateAll((items) => items.map(({ textContent }) => textContent?.replace(' ×', '')));
const problemAt = (page: Page, name: string) =>
  page
    .locator('.field', { has: page.locator(`[name=${name}]`) })
    .locator('.field-error')
    .allInnerTexts();

const head = (at: Stage) => `${scriptOf(at)}<link rel="stylesheet" href="${at.origin}/api/v1/form.css">\n`;
const own = (
  origin: string,
) => `<form data-form-relay="apply" action="${origin}/api/v1/submit/apply?as=page" method="post" enctype="multipart/form-data">
<p><label>Email <input name="email" type="email" required></label></p>
<div class="field"><label>CV <input name="cv" type="file" required></label></div>
<div class="field"><label>Photos <input name="photos" type="file" multiple></label></div>
<p><label>Source <input name="source"></label></p>
<button>Send</button>
</form>
`;

/** Another visitor's files, which take most of the shared memory until this is called. */
async function occupy(at: Stage): Promise<() => void> {
  const request = http.request(`${at.origin}/api/v1/submit/apply`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 2_500_000 },
  });
  request.on('error', () => {});
  await new Promise((then) => request.write(Buffer.alloc(2_400_000), then));
  return () => request.destroy();
}

const serveAt = async (at: Stage, body: string, options: PageOptions | Page = {}, inHead = head(at)) => {
  at.serve('/page', documentWith(body, inHead));
  const page = 'goto' in options ? options : await openPage(options);
  await page.goto(`${at.host}/page`);
  return page;
};

/** Ways to show the form. */
const ways: readonly (readonly [
  way: string,
  open: (at: Stage, forms: string, page?: Page) => Promise<Page>,
])[] = [
  ['the tag', (at, _, page) => serveAt(at, tagOf(at, 'apply'), page)],
  [
    'a printed form',
    async (at, forms, page) => serveAt(at, await printed(at, forms, 'apply', '--script'), page),
  ],
  ['a form of the page’s own', (at, _, page) => serveAt(at, own(at.origin), page)],
  ['htmx 2', (at, _, page) => openWithHtmx(at, 'htmx2', 'cross', ['apply'], page)],
  ['htmx 4', (at, _, page) => openWithHtmx(at, 'htmx4', 'cross', ['apply'], page)],
];

/** A way in which the page's script sends the form, and one in which htmx does. */
const two = ways.filter(([way]) => way === 'the tag' || way === 'htmx 4');

describeInBrowser('files', () => {
  test.each(ways)(
    'by %s: after a correction, the chosen files are still there, and everything arrives',
    async (way, open) => {
      const at = await stage({ forms: apply });
      const page = await open(at, apply);
      await email(page).fill('ada@localhost@');
      await cv(page).setInputFiles(pdf('Lebenslauf "Ada" ü.pdf'));
      await photos(page).setInputFiles([png('one.png'), png('two.png')]);
      await page.getByLabel('Source').fill('a friend');
      await expect
        .poll(() => listed(page))
        .toEqual(['Lebenslauf "Ada" ü.pdf (2 KB)', 'one.png (70 bytes)', 'two.png (70 bytes)']);
      await unchecked(page);
      await send(page);
      await page.getByText('Enter an e-mail address like').waitFor();
      await isSound(page, `files_${way}`);
      await expect.poll(() => listed(page)).toHaveLength(3);
      expect(await page.getByText('choose the file again').count()).toBe(0);
      expect(await page.getByLabel('Source').inputValue()).toBe('a friend');
      await email(page).fill('ada@example.org');
      await page.getByRole('button', { name: 'Remove one.png' }).click();
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.bodies).toEqual([
        'cv=Lebenslauf Ada ü.pdf (2 KB)&email=ada@example.org&photos=two.png (70 bytes)&source=a friend',
      ]);
    },
  );

  test.each(two)(
    'by %s: a file that the relay would refuse is reported when chosen, and not sent',
    async (_, open) => {
      const at = await stage({ forms: apply });
      const page = await open(at, apply);
      await email(page).fill('ada@example.org');
      await cv(page).setInputFiles(file('large.pdf', 30_000));
      await expect
        .poll(() => problemAt(page, 'cv'))
        .toEqual(['The file large.pdf is too large. The limit is 20 KB.']);
      expect(await cv(page).getAttribute('aria-invalid')).toBe('true');
      await send(page);
      await isFocused(page, '[name=cv]');
      await cv(page).setInputFiles(file('empty.pdf', 0));
      await expect.poll(() => problemAt(page, 'cv')).toEqual(['The file empty.pdf is empty.']);
      await cv(page).setInputFiles(file('cv.txt', 10, 'text/plain'));
      await expect
        .poll(() => problemAt(page, 'cv'))
        .toEqual([
          'The file cv.txt is of a kind that is not accepted here. Choose one of these kinds: PDF or image.',
        ]);
      await isSound(page);
      await cv(page).setInputFiles(pdf('cv.pdf'));
      await expect.poll(() => problemAt(page, 'cv')).toEqual([]);
      expect(await cv(page).getAttribute('aria-invalid')).toBe(null);
      await photos(page).setInputFiles([png('1.png'), png('2.png'), png('3.png')]);
      await expect.poll(() => problemAt(page, 'photos')).toEqual(['Choose at most 2 files.']);
      await send(page);
      await isFocused(page, '[name=photos]');
      expect(at.delivered).toEqual([]);
      await page.getByRole('button', { name: 'Remove 2.png' }).click();
      await expect.poll(() => problemAt(page, 'photos')).toEqual([]);
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered[0]).toContainEqual(['photos', '3.png (70 bytes)']);
    },
  );

  test('without JavaScript, the relay’s page says that files must be chosen again, and everything can be sent', async () => {
    const at = await stage({ forms: apply });
    const page = await openPage({ url: `${at.origin}/api/v1/form/apply`, javaScriptEnabled: false });
    await email(page).fill('ada@localhost');
    await cv(page).setInputFiles(file('large.pdf', 30_000));
    await photos(page).setInputFiles(png('one.png'));
    await send(page);
    await page.waitForLoadState();
    await screenshot(page, 'files_plain_again');
    expect(await page.locator('.form-status li').allInnerTexts()).toEqual([
      'CV: The file large.pdf is too large. The limit is 20 KB.',
      'Photos: Please choose the file again: for your safety, browsers forget it.',
    ]);
    expect(await problemAt(page, 'photos')).toEqual([
      'Please choose the file again: for your safety, browsers forget it.',
    ]);
    expect(await email(page).inputValue()).toBe('ada@localhost');
    await cv(page).setInputFiles(pdf('cv.pdf'));
    await photos(page).setInputFiles(png('one.png'));
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered[0]).toContainEqual(['photos', 'one.png (70 bytes)']);
  });

  test('without its script for files, everything works as in plain HTML', async () => {
    const at = await stage({ forms: apply });
    const page = await openPage({ isIsolated: true, complains: /ERR_FAILED/ });
    await page.context().route('**/api/v1/files.js', (route) => route.abort());
    await serveAt(at, tagOf(at, 'apply'), page);
    await email(page).fill('ada@example.org');
    await cv(page).setInputFiles(pdf('cv.pdf'));
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered[0]).toContainEqual(['cv', 'cv.pdf (2 KB)']);
  });

  test('with the keyboard: after a file is removed, the focus moves to the next, or to the control after the last', async () => {
    const at = await stage({ forms: apply });
    const page = await serveAt(at, tagOf(at, 'apply'));
    await photos(page).setInputFiles([png('one.png'), png('two.png')]);
    await page.getByRole('button', { name: 'Remove one.png' }).press('Enter');
    await isFocused(page, '[aria-label="Remove two.png"]');
    await page.keyboard.press('Space');
    await isFocused(page, '[name=photos]');
    expect(await photos(page).evaluate((input: HTMLInputElement) => input.files?.length)).toBe(0);
  });

  test('files dropped on a field follow the same rules; dropped elsewhere, they do not replace the page', async () => {
    const at = await stage({ forms: apply });
    const page = await serveAt(at, tagOf(at, 'apply'));
    const drop = (name: string, files: readonly string[]) =>
      page.locator('.field', { has: page.locator(`[name=${name}]`) }).evaluate((field, names) => {
        const dataTransfer = new DataTransfer();
        for (const name of names)
          dataTransfer.items.add(new File(['%PDF-1.4'], name, { type: 'application/pdf' }));
        const dragged = { bubbles: true, cancelable: true, dataTransfer };
        field.dispatchEvent(new DragEvent('dragover', dragged));
        const isMarked = field.classList.contains('file-over');
        field.dispatchEvent(new DragEvent('drop', dragged));
        return [isMarked, field.classList.contains('file-over')];
      }, files);
    await page.getByText('Or drop files here.').first().waitFor();
    expect(await drop('cv', ['cv.txt', 'other.pdf'])).toEqual([true, false]);
    expect(await listed(page)).toEqual(['cv.txt (8 bytes)']);
    expect(await problemAt(page, 'cv')).toEqual([expect.stringContaining('cv.txt')]);
    await drop('cv', ['cv.pdf']);
    await drop('photos', ['one.pdf']);
    await drop('photos', ['two.pdf']);
    expect(await listed(page)).toEqual(['cv.pdf (8 bytes)', 'one.pdf (8 bytes)', 'two.pdf (8 bytes)']);
    expect(await problemAt(page, 'cv')).toEqual([]);
    await drop('photos', ['three.pdf']);
    expect(await problemAt(page, 'photos')).toHaveLength(1);
    await page.locator('.file-area').first().waitFor({ state: 'attached' });
    const isStopped = await page.locator('label[for=form-apply--email]').evaluate((element) => {
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      element.dispatchEvent(event);
      return event.defaultPrevented;
    });
    expect(isStopped).toBe(true);
  });

  const large = apply.replace('max_size: 20KB', 'max_size: 5MB');
  test.each(ways)('by %s: while a large file is sent, the page shows its progress', async (way, open) => {
    const at = await stage({ forms: large });
    const page = await open(at, large, await openPage({ isIsolated: true }));
    await email(page).fill('ada@example.org');
    await cv(page).setInputFiles(file('cv.pdf', 400_000));
    await expect.poll(() => listed(page)).toHaveLength(1);
    const network = await page.context().newCDPSession(page);
    const throttle = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await throttle(100_000);
    await send(page);
    await page.getByRole('progressbar', { name: /^Sending: [1-9]\d?%/ }).waitFor();
    expect(Number(await page.getByRole('progressbar').getAttribute('value'))).toBeGreaterThan(0);
    await isSound(page, `files_sending_${way}`);
    await throttle(-1);
    await page.getByText('Thank you.').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(at.delivered[0]).toContainEqual(['cv', 'cv.pdf (391 KB)']);
  });

  for (const [way, open] of two) {
    test(`by ${way}: if the relay has no room at the moment, the page says so, and everything is kept`, async () => {
      const at = await stage({ forms: large, env: { UPLOAD_BUDGET: '3000000' } });
      const page = await open(at, large, await openPage({ isIsolated: true }));
      const end = await occupy(at);
      await email(page).fill('ada@example.org');
      await cv(page).setInputFiles(file('cv.pdf', 1_000_000));
      await expect.poll(() => listed(page)).toHaveLength(1);
      await send(page);
      const isByForm = way === 'the tag';
      await page
        .getByText(isByForm ? 'Everything you typed is still here' : 'too many files are being sent just now')
        .waitFor();
      await screenshot(page, `files_busy_${way}`);
      expect(await listed(page)).toHaveLength(1);
      expect(await email(page).inputValue()).toBe('ada@example.org');
      end();
      await send(page);
      await page.getByText('Thank you.').waitFor();
    });
  }

  test('in steps: files are sent only with the last step', async () => {
    const at = await stage({
      forms: `
  apply:
    fields:
      - {name: email, type: email, required: true}
      - {name: cv, type: file, label: CV, required: true}
      - {name: source, min_length: 3}
      - {name: photos, type: file, multiple: true}
      - {name: note, type: textarea}
    steps:
      - {title: Papers, fields: [email, cv, source]}
      - {title: More, fields: [photos, note]}
    ${outputs}
`,
    });
    const page = await serveAt(at, tagOf(at, 'apply'));
    const bodies: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/check/')) bodies.push(request.postData());
    });
    await email(page).fill('ada@example.org');
    const next = page.getByRole('button', { name: 'Next' });
    await next.click();
    await isFocused(page, '[name=cv]');
    await cv(page).setInputFiles(pdf('cv.pdf'));
    await expect.poll(() => listed(page)).toHaveLength(1);
    await next.click();
    await photos(page).waitFor();
    expect(bodies.map((body) => [...new URLSearchParams(body ?? '')])).toEqual([
      Object.entries({ email: 'ada@example.org', cv: 'cv.pdf', source: '', photos: '', note: '' }),
    ]);
    await page.getByRole('button', { name: 'Back' }).click();
    expect(await listed(page)).toEqual(['cv.pdf (2 KB)']);
    await next.click();
    await photos(page).setInputFiles(png('one.png'));
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered[0]).toContainEqual(['cv', 'cv.pdf (2 KB)']);
    expect(at.delivered[0]).toContainEqual(['photos', 'one.png (70 bytes)']);
  });

  test('in dark mode, and on a phone', async () => {
    const at = await stage({ forms: apply });
    const page = await serveAt(
      at,
      tagOf(at, 'apply'),
      { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
      `${head(at)}<meta name="viewport" content="width=device-width">\n<style>:root { color-scheme: light dark; background: Canvas }</style>\n`,
    );
    await cv(page).setInputFiles(file(`${'a rather long name '.repeat(6)}.pdf`, 30_000));
    await expect.poll(() => problemAt(page, 'cv')).toHaveLength(1);
    await photos(page).setInputFiles([png('one.png'), png('two.png')]);
    await isSound(page, 'files_dark_phone');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });
});

test('the script for files is under 4.5 KB', async () =>
  expect(gzipSync(filesCode, { level: 9 }).length).toBeLessThan(4_608));
