/** `offline` stores a finished form in the browser; `fallback` is the relay's second address. */
import { tempFolder } from '../support/temp_folder.ts';
import {
  describeInBrowser,
  documentWith,
  isSound,
  openPage,
  type Page,
  press,
  type Stage,
  stage,
} from './stage.ts';
import { unreliable } from './unreliable.ts';

const keys = `
    title: Site visit
    offline: true
    confirmation: Thank you for the report.
    fields:
      - {name: name, required: true}
      - {name: kind, type: radios, options: [roof, cellar], required: true}
      - {name: photos, type: file, accept: [text], multiple: true}
    outputs: [{type: webhook, url: "$sink", mapping: "*"}]`;

const guards = 'spam: {min_fill_seconds: 1, proof_of_work: true}';

const complains = /ERR_|Failed to fetch|NetworkError/;

async function open(attributes = '', more = '') {
  const at = await stage({ forms: `  visit:${keys}\n    ${more}\ncounted_in: ${tempFolder()}` });
  const first = await unreliable(at.origin);
  const second = await unreliable(at.origin);
  const tag = `<relay-form src="${first.origin}/api/v1/form/visit" ${attributes.replace('$second', second.origin)}></relay-form>`;
  at.serve('/page', documentWith(`${tag}<script src="${at.origin}/api/v1/form.js"></script>`));
  const page = await openPage({ isIsolated: true, complains });
  return { at, first, second, page };
}

async function visit(page: Page, at: Stage): Promise<void> {
  await page.goto(`${at.host}/page`);
  await page.getByLabel('Name').waitFor();
  await page.waitForLoadState('networkidle');
}

async function fill(page: Page, name = 'Ada'): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('radio', { name: 'roof' }).check();
  const files = [{ name: 'tiles.txt', mimeType: 'text/plain', buffer: Buffer.from('leaks') }];
  await page.getByLabel('Photos').setInputFiles(files);
  await press(page, 'Send');
}

const notSent = (page: Page) => page.getByText('Not sent yet: there is no connection.');
const wasSent = (page: Page) =>
  page.getByText('The form that was kept on this device has been sent. Thank you for the report.');

describeInBrowser('a form that is filled in without a network', () => {
  test('is stored with its files, says so without thanks, and is sent once from one of two tabs', async () => {
    const { at, page } = await open('', guards);
    await visit(page, at);
    const other = await page.context().newPage();
    await visit(other, at);
    await page.context().setOffline(true);
    await fill(page);
    await notSent(page).waitFor();
    expect(await page.locator('.form-offline').evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.locator('.form-relay').innerText()).not.toMatch(/thank|could not be sent/i);
    await isSound(page, 'offline_kept');
    await notSent(other).waitFor();
    // By then, the form's token and proof of work have expired.
    at.advance(86_400_000);
    await page.context().setOffline(false);
    await Promise.any([wasSent(page).waitFor(), wasSent(other).waitFor()]);
    await notSent(page).waitFor({ state: 'hidden' });
    await notSent(other).waitFor({ state: 'hidden' });
    await isSound(page, 'offline_sent');
    expect(at.bodies.map((body) => [body.match(/tiles\.txt/g)?.length, /Ada/.test(body)])).toEqual([
      [1, true],
    ]);
  });

  test('survives a reload, and can be reopened or deleted', async () => {
    const { at, first, page } = await open();
    await visit(page, at);
    first.mode = 'down';
    first.about = 'submit';
    await fill(page);
    await notSent(page).waitFor();
    await page.reload();
    await notSent(page).waitFor();
    await press(page, 'Open');
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await page.getByRole('radio', { name: 'roof' }).isChecked()).toBe(true);
    await page.getByText('tiles.txt').waitFor();
    await press(page, 'Send');
    await notSent(page).waitFor();
    // With the keyboard only.
    await page.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await notSent(page).waitFor({ state: 'hidden' });
    first.mode = 'fine';
    await page.reload();
    await page.getByLabel('Name').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await notSent(page).count()).toBe(0);
    expect(at.bodies).toEqual([]);
  });

  test('was delivered although its answer was lost: a retry does not deliver again', async () => {
    const { at, first, page } = await open();
    await visit(page, at);
    first.mode = 'lost';
    first.about = 'submit';
    await fill(page);
    await notSent(page).waitFor();
    expect(at.bodies).toHaveLength(1);
    first.mode = 'fine';
    await press(page, 'Try now');
    await wasSent(page).waitFor();
    expect(at.bodies).toHaveLength(1);
  });

  test('is shown again, filled in, if the relay refuses it later', async () => {
    const { at, first, page } = await open();
    await visit(page, at);
    first.mode = 'down';
    first.about = 'submit';
    await page.evaluate(() => {
      for (const form of document.forms) form.noValidate = true;
    });
    await page.getByRole('radio', { name: 'roof' }).check();
    await press(page, 'Send');
    await notSent(page).waitFor();
    first.mode = 'fine';
    await press(page, 'Try now');
    await page.getByText('has not been sent. Please check it, and send it again.').waitFor();
    expect(await page.getByRole('radio', { name: 'roof' }).isChecked()).toBe(true);
    await isSound(page, 'offline_refused');
    await page.getByLabel('Name').fill('Ada');
    await press(page, 'Send');
    await page.getByText('Thank you for the report.').waitFor();
    expect(at.bodies).toHaveLength(1);
  });

  test('is deleted after a week, and the visitor is told', async () => {
    const { at, first, page } = await open();
    await visit(page, at);
    first.mode = 'down';
    first.about = 'submit';
    await fill(page);
    await notSent(page).waitFor();
    await page.clock.install({ time: Date.now() + 8 * 86_400_000 });
    await page.reload();
    await page
      .getByText(/^A form that was kept on this device could not be sent by .*, and has been deleted\.$/)
      .waitFor();
    expect(at.bodies).toEqual([]);
  });
});

describeInBrowser('the second address of a relay', () => {
  const fallback = 'fallback="$second/api/v1/form/visit"';

  test('shows the form if the first address does not answer', async () => {
    const { at, first, page } = await open(fallback);
    first.mode = 'down';
    await visit(page, at);
    await fill(page);
    await page.getByText('Thank you for the report.').waitFor();
    expect(at.bodies).toHaveLength(1);
  });

  test('resends what the first may have accepted, and both deliver it once', async () => {
    const { at, first, second, page } = await open(fallback);
    await visit(page, at);
    first.mode = 'lost';
    first.about = 'submit';
    await fill(page);
    await page.getByText('Thank you for the report.').waitFor();
    expect(second.requests.filter((one) => one.startsWith('POST'))).toHaveLength(1);
    expect(at.bodies).toHaveLength(1);
  });

  test('sends forms stored in the browser', async () => {
    const { at, first, second, page } = await open(fallback);
    await visit(page, at);
    for (const one of [first, second]) Object.assign(one, { mode: 'down', about: '/api/' });
    await fill(page);
    await notSent(page).waitFor();
    second.mode = 'fine';
    await press(page, 'Try now');
    await wasSent(page).waitFor();
    expect(at.bodies).toHaveLength(1);
  });
});
