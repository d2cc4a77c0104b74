/** The output of `relay form html`, and the manual's samples, pasted into an empty page. */
import type { Page } from 'playwright-core';
import { readmeConfig, samples } from '../docs/samples.ts';
import { formHtml } from '../support/form_html.ts';
import {
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  isFocused,
  openPage,
  type PageOptions,
  runFormHtml,
  type Stage,
  send,
  stage,
} from './stage.ts';

const forms = `
  contact:
    fields: [{name: first_name, required: true}, {name: email}]
    spam: {honeypot: website}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const configOf = (forms: string, at: Stage) => `forms:${forms.replaceAll('$sink', `${at.sink.origin}/`)}`;

/** The pasted form, in a page on another origin than the relay's, ready to be filled in. */
async function paste(at: Stage, html: string, { head, ...options }: PageOptions & { head?: string } = {}) {
  at.serve('/page', documentWith(html, head));
  return await openPage({ url: `${at.host}/page`, ...options });
}

describeInBrowser('a pasted form', () => {
  test('keeps its honeypot out of sight, however the page’s stylesheet styles common elements', async () => {
    const at = await stage({ forms });
    const html = await formHtml(configOf(forms, at), 'contact');
    const style =
      '<style>form div, form p, form span, form label, form input, form fieldset {display: grid}</style>';
    const page = await paste(at, html, { head: style });
    expect(await page.getByLabel('First name').isVisible()).toBe(true);
    expect(await page.locator('input[name=website]').isVisible()).toBe(false);
  });
});

test('relay form html refuses an invalid address', async () => {
  const config = `forms:${forms.replaceAll('$sink', 'https://example.com')}`;
  const refused = runFormHtml(config, 'contact', '--base-url', 'forms.example.com');
  await expect(refused).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Expected an address such as https:/),
  });
});

const samplesIn = (wanted: string) => samples.flatMap(({ paper, text }) => (paper === wanted ? [text] : []));

describeInBrowser('docs/htmx-own-html.md', () => {
  const [withToken = ''] = samplesIn('docs/htmx-own-html.md');
  const ownForms = `
  contact:
    redirect: $sink
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: message, type: textarea}]
    spam: {honeypot: website, min_fill_seconds: 3}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
  const open = async (htmx: 'htmx2' | 'htmx4', javaScriptEnabled: boolean) => {
    const at = await stage({ forms: ownForms });
    // The page loads the htmx version installed here.
    const html = withToken.replaceAll(/^<(meta|script).*\n/gm, '');
    const head = `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`;
    const page = await paste(at, html.replaceAll('https://forms.example.com', at.origin), {
      head,
      javaScriptEnabled,
    });
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Message').fill('Hello');
    return { at, page };
  };

  test('works with min-fill as shown', async () => {
    const { at, page } = await open('htmx2', true);
    await page.locator('input[name=_ts][value]').waitFor({ state: 'attached' });
    at.advance(3_000);
    await send(page);
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['name', 'Ada']);
  });

  test('with min-fill, cannot be sent without JavaScript, and says where to go', async () => {
    const { at, page } = await open('htmx4', false);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    await send(page);
    await isFocused(page, 'select');
    await page.getByRole('link', { name: 'this form' }).click();
    await page.waitForURL(`${at.origin}/f/contact`);
    expect(requests).toEqual([`GET ${at.origin}/f/contact`]);
  });
});

/** test/browser/samples.test.ts submits them unchanged, with JavaScript. */
describeInBrowser('docs/element.md, docs/own-html.md and docs/htmx.md', () => {
  const { contact } = readmeConfig.forms;
  const to = { redirect: '$sink', outputs: [{ type: 'http_post', url: '$sink', mapping: '*' }] };
  const readmeForms = `\n  ${JSON.stringify({ contact: { ...contact, ...to } })}\n`;
  const relayAddress = 'https://forms.example.com';
  const [tag = ''] = samplesIn('docs/element.md');
  const [own = ''] = samplesIn('docs/own-html.md');
  const [withHtmx = ''] = samplesIn('docs/htmx.md');

  const open = (at: Stage, html: string) =>
    paste(at, html.replaceAll(relayAddress, at.origin), { javaScriptEnabled: false });

  async function arrives(at: Stage, page: Page) {
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Message').fill('Hello');
    await send(page);
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['name', 'Ada']);
  }

  test.each([
    ['one tag', tag],
    ['htmx', withHtmx],
  ])('without JavaScript, %s leads to a complete page', async (_, html) => {
    const at = await stage({ forms: readmeForms });
    const page = await open(at, html);
    await page.getByRole('link', { name: 'Write to us' }).click();
    await arrives(at, page);
  });

  test('without JavaScript, the browser submits HTML of your own', async () => {
    const at = await stage({ forms: readmeForms });
    await arrives(at, await open(at, own));
  });
});
