/** Forms that ask for their page, in each way to show a form. */
import type { Page } from 'playwright-core';
import {
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  openPage,
  type PageOptions,
  type Stage,
  scriptOf,
  send,
  stage,
  tagOf,
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

/** An error, its correction, and what was delivered: the page at the time of sending. */
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

describeInBrowser('the page of a form', () => {
  const own =
    '<form data-form-relay="contact"><label>First name <input name="first_name"></label><button>Send</button></form>';
  test.each([
    ['<relay-form>', tagOf],
    ['the page’s own HTML', () => own],
  ])('%s sends the page', async (_, markup) => {
    const at = await stage({ forms });
    await completes(at, await open(at, markup(at), scriptOf(at)));
  });

  test.each(['htmx4'] as const)('a form loaded by %s sends it', async (htmx) => {
    const at = await stage({ forms });
    const loader = `<div hx-get="${at.origin}/api/v1/form/contact" hx-trigger="load"></div>`;
    const page = await open(at, loader, `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`);
    await page.waitForFunction(() => !document.querySelector('.htmx-added, .htmx-settling, .htmx-swapping'));
    await completes(at, page);
  });

  test('without scripts, on the same origin, the browser’s referrer is used, and kept when the form is shown again', async () => {
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

  test('a form that does not ask sends none of it', async () => {
    const at = await stage({ forms: forms.replace('    page: true\n', '') });
    const page = await open(at, tagOf(at), scriptOf(at));
    const bodies: (string | null)[] = [];
    page.on('request', (request) => request.method() === 'POST' && bodies.push(request.postData()));
    await page.getByLabel('First name').fill('Ada');
    await send(page);
    await page.locator('.form-confirmation').waitFor();
    expect(bodies).toEqual(['first_name=Ada']);
    expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
  });
});
