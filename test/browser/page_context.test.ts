/** Forms that ask for their page, in each of the ways in which a form gets into a page. */
import type { Page } from 'playwright-core';
import {
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  openPage,
  type PageOptions,
  type Stage,
  stage,
  unchecked,
} from './stage.ts';

const forms = `
  contact:
    page: true
    fields: [{name: first_name, min_length: 3}]
    outputs:
      - type: http_post
        url: "$sink"
        mapping: "*"
        static: {url: "{{ .page.url }}", title: "{{ .page.title }}", source: "{{ .page.query.utm_source }}"}
`;
const path = '/boots?utm_source=news';

async function open(at: Stage, body: string, head: string, options: PageOptions = {}) {
  at.serve(path, documentWith(body, head));
  return await openPage({ url: `${at.host}${path}#size`, ...options });
}

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

/** An error, its correction, and what was delivered: as it was when the form was sent. */
async function completes(at: Stage, page: Page, title = 'Red boots') {
  await page.evaluate((text) => {
    document.title = text;
  }, title);
  await page.getByLabel('First name').fill('Al');
  await unchecked(page);
  await send(page);
  await page.getByText('at least 3 characters').first().waitFor();
  await page.getByLabel('First name').fill('Ada');
  await send(page);
  await page.locator('.form-confirmation').waitFor();
  expect(at.delivered.map((pairs) => Object.fromEntries(pairs))).toEqual([
    { first_name: 'Ada', url: `${at.host}${path}`, title, source: 'news' },
  ]);
}

const scriptOf = (at: Stage) => `<script src="${at.origin}/api/v1/form.js" defer></script>\n`;

describeInBrowser('the page of a form', () => {
  test('<relay-form> sends the page', async () => {
    const at = await stage({ forms });
    const element = `<relay-form src="${at.origin}/api/v1/form/contact"></relay-form>`;
    await completes(at, await open(at, element, scriptOf(at)));
  });

  test('the page’s own HTML sends it', async () => {
    const at = await stage({ forms });
    const own =
      '<form data-form-relay="contact"><label>First name <input name="first_name"></label><button>Send</button></form>';
    await completes(at, await open(at, own, scriptOf(at)));
  });

  test.each(['htmx4'] as const)('a form that %s loads sends it', async (htmx) => {
    const at = await stage({ forms });
    const loader = `<div hx-get="${at.origin}/api/v1/form/contact" hx-trigger="load"></div>`;
    const page = await open(at, loader, `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`);
    await page.waitForFunction(() => !document.querySelector('.htmx-added, .htmx-settling, .htmx-swapping'));
    await completes(at, page);
  });

  test('without script, on the same origin, as the browser says it; kept where the form is shown again', async () => {
    const at = await stage({ forms });
    const own =
      '<form action="/api/v1/submit/contact?as=page" method="post"><label>First name <input name="first_name"></label><button>Send</button></form>';
    const page = await open(at, own, '', { javaScriptEnabled: false });
    await page.getByLabel('First name').fill('Al');
    await send(page);
    await page.getByText('at least 3 characters').first().waitFor();
    await page.getByLabel('First name').fill('Ada');
    await send(page);
    await page.locator('.form-confirmation').waitFor();
    expect(at.delivered.map((pairs) => Object.fromEntries(pairs))).toEqual([
      { first_name: 'Ada', url: `${at.host}${path}`, source: 'news' },
    ]);
  });

  test('nothing of it is sent by a form that does not ask', async () => {
    const at = await stage({ forms: forms.replace('    page: true\n', '') });
    const element = `<relay-form src="${at.origin}/api/v1/form/contact"></relay-form>`;
    const page = await open(at, element, scriptOf(at));
    const bodies: (string | null)[] = [];
    page.on('request', (request) => request.method() === 'POST' && bodies.push(request.postData()));
    await page.getByLabel('First name').fill('Ada');
    await send(page);
    await page.locator('.form-confirmation').waitFor();
    expect(bodies).toEqual(['first_name=Ada']);
    expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
  });
});
