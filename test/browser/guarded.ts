/** A form with a `spam` block, in each way to show it. */
import { readFileSync } from 'node:fs';
import { documentWith, openWithHtmx, type Page, printed, type Stage, scriptOf, tagOf } from './stage.ts';

export const contact = (spam: string) => `
  contact:
    title: Write to us
    confirmation: We have your message.
    fields:
      - {name: email, type: email, required: true}
      - {name: text, label: Message}
    spam: ${spam}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

export const isSent = (page: Page) => page.getByText('We have your message.').waitFor();
export async function fill(page: Page, text = 'Hello') {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Message').fill(text);
}
/** The script loads after the form; until then, the form is sent as without it. */
export const isGuarded = (page: Page) =>
  page.locator('form[data-guarded]').first().waitFor({ state: 'attached' });
export const message = (text = 'Hello') => Object.entries({ email: 'ada@example.org', text });

export const serve = async (at: Stage, page: Page, body: string, inHead: string, headers = {}) => {
  at.serve('/page', documentWith(body, inHead), headers);
  await page.goto(`${at.host}/page`);
};
export const openOwn = (at: Stage, page: Page) => page.goto(`${at.origin}/api/v1/form/contact?as=page`);

/** Ways to show the form. */
export const ways: readonly (readonly [
  string,
  (at: Stage, page: Page, forms: string) => Promise<unknown>,
])[] = [
  ['the relay’s own page', (at, page) => openOwn(at, page)],
  ['the tag', (at, page) => serve(at, page, tagOf(at), scriptOf(at))],
  [
    'a printed form with the script',
    async (at, page, forms) => serve(at, page, await printed(at, forms, 'contact', '--script'), scriptOf(at)),
  ],
  [
    'a form of the page’s own',
    (at, page) =>
      serve(
        at,
        page,
        `<form data-form-relay="contact"><label>Email <input name="email" type="email"></label>
<label>Message <input name="text"></label><button>Send</button></form>`,
        scriptOf(at),
      ),
  ],
  [
    'the element of the package',
    (at, page) => {
      for (const name of ['element', 'parts', 'sending', 'guard', 'solve']) {
        const code = readFileSync(new URL(`../../dist/${name}.mjs`, import.meta.url), 'utf8');
        at.serve(`/${name}.mjs`, code, { 'content-type': 'text/javascript' });
      }
      return serve(at, page, tagOf(at), '<script type="module" src="/element.mjs"></script>');
    },
  ],
  ['htmx 2', (at, page) => openWithHtmx(at, 'htmx2', 'cross', ['contact'], page)],
  ['htmx 4', (at, page) => openWithHtmx(at, 'htmx4', 'same', ['contact'], page)],
];
