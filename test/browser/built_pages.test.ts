/** Pages as build tools produce them: minified, sanitised, bundled. `npm run sites` has real builds of real generators. */
import type { Page } from 'playwright-core';
import {
  describeInBrowser,
  documentWith,
  openPage,
  printed,
  type Stage,
  send,
  stage,
  unchecked,
} from './stage.ts';

const forms = `
  contact:
    confirmation: Thank you, really.
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: email, type: email, required: true, help: We answer here.}
      - {name: message, type: textarea, min_length: 3, required: true}
    spam: {honeypot: website, min_fill_seconds: 1}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

const own = ({ origin }: Stage) => `
<!-- The owner's own. -->
<form action="${origin}/api/v1/submit/contact?as=page" method="post" data-form-relay="contact">
  <fieldset>
    <legend>Kind</legend>
    <label><input type="radio" name="kind" value="personal" required=""> personal</label>
    <label><input type="radio" name="kind" value="business" required=""> business</label>
  </fieldset>
  <p><label for="company">Company</label> <input type="text" id="company" name="company"></p>
  <p><label for="email">Email</label> <input type="email" id="email" name="email" required></p>
  <p><label for="message">Message</label> <textarea id="message" name="message" required></textarea></p>
  <button type="submit">Send</button>
</form>`;

const tag = ({ origin }: Stage) =>
  `<relay-form src="${origin}/api/v1/form/contact"><a href="${origin}/f/contact">Write to us</a></relay-form>`;

const ways: Readonly<Record<string, (at: Stage) => string | Promise<string>>> = {
  'the tag': tag,
  'a printed form': (at) => printed(at, forms, 'contact'),
  "the owner's markup": own,
};

/** Changes only the text inside tags. */
const inTags = (html: string, change: (tag: string) => string) =>
  html.replace(/<[a-z][^>]*>/g, (found) => change(found));

/** Everything that HTML minifiers do. */
const minified = (html: string) =>
  inTags(
    html
      .replace(/<!--.*?-->/gs, '')
      .replace(/(<[^>]*>)|\s+/g, (_, tag) => tag ?? ' ')
      .replace(/> </g, '><')
      .replace(/<\/?(?:html|head|body)>|<\/p>/g, ''),
    (found) =>
      found
        .replace(/\s+/g, ' ')
        .replace(/ type="?(?:text|submit)"?(?=[ >])/, '')
        .replace(/ (\w+)=""(?=[ >])/g, (_, name) => (name === 'value' ? ' value' : ` ${name}`))
        .replace(/="([^\s"'=<>`]+)"/g, '=$1'),
  ).replace('<!DOCTYPE html>', '<!doctype html>');

/** Renames ids as a build does, consistently. */
function renamed(html: string): string {
  const names = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
  const short = (id: string) => (names.includes(id) ? `_${names.indexOf(id).toString(36)}` : id);
  return inTags(html, (found) =>
    found.replace(
      / (id|for|aria-describedby|aria-labelledby)="([^"]*)"/g,
      (_, name, ids: string) => ` ${name}="${ids.split(' ').map(short).join(' ')}"`,
    ),
  );
}

const scriptOf = (origin: string, attribute: string) =>
  `<script src="${origin}/api/v1/form.js" ${attribute}></script>`;

async function open(at: Stage, html: string): Promise<Page> {
  at.serve('/page', html);
  return await openPage({ url: `${at.host}/page` });
}

/** Acts as a visitor: a choice, the field it reveals, a mistake that only the relay finds, a correction. */
async function completes(at: Stage, page: Page) {
  await page.getByLabel('business', { exact: true }).check();
  await page.getByLabel(/^Company/).fill('Engines');
  await page.getByLabel(/^Email/).fill('ada@example.org');
  await page.getByLabel(/^Message/).fill('ab');
  await unchecked(page);
  at.advance(1_000);
  await send(page);
  await page.locator('.field-error').getByText('Enter at least 3 characters.').waitFor();
  expect(at.delivered).toEqual([]);
  expect(await page.getByLabel(/^Company/).inputValue()).toBe('Engines');
  await page.getByLabel(/^Message/).fill('abc');
  await send(page);
  await page.getByText('Thank you, really.').waitFor();
  arrivedOnce(at);
}

const arrivedOnce = (at: Stage) =>
  expect(at.bodies).toEqual(['company=Engines&email=ada@example.org&kind=business&message=abc']);

describeInBrowser('a built page', () => {
  describe.each(Object.entries(ways))('with %s', (_, markup) => {
    test('minified, with renamed ids, and the script as a module', async () => {
      const at = await stage({ forms });
      const html = documentWith(renamed(await markup(at)), scriptOf(at.origin, 'type="module"'));
      const page = await open(at, minified(html));
      await completes(at, page);
    });
  });
});
