/** Forms that the studio serves to pages of others say what becomes of a submission. */
import { describe, expect, test } from 'vitest';
import { contact, send, stage } from './stage.ts';

const origin = 'http://localhost:3000';
const asHtmx = { 'hx-request': 'true' };
const asScript = { accept: 'application/problem+json' };
const linked = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const ownPage = { ...linked, 'sec-fetch-site': 'same-origin' };
const redirecting = contact.replace('title:', 'redirect: https://www.example.com/thanks\n    title:');
const closed = contact.replace('title:', 'closes: "2020-12-24T18:00Z"\n    title:');
const linking = contact.replace('title:', 'confirmation: "[Thanks](https://www.example.com/)"\n    title:');
const form = '/api/v1/form/contact';

interface Case {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly config?: string;
}

const gets: readonly Case[] = [
  { what: 'a fragment', headers: { origin } },
  { what: 'a fragment of a form that has closed', headers: { origin }, config: closed },
  { what: 'a fragment for form.js', headers: { origin, accept: 'text/html;profile=form-relay' } },
  { what: 'a page that a link opens', headers: linked },
  { what: 'a page in a frame', headers: { ...linked, 'sec-fetch-dest': 'iframe' } },
  { what: 'the page for a redirect', headers: linked, path: '/studio/elsewhere?to=https%3A%2F%2Fa.example' },
];
const posts: readonly Case[] = [
  { what: 'for htmx', headers: { origin, ...asHtmx } },
  { what: 'for form.js', headers: { origin, ...asScript } },
  { what: 'for form.js, with a link in it', headers: { origin, ...asScript }, config: linking },
  { what: 'on a page', headers: { origin, ...linked }, path: 'contact?as=page' },
  { what: 'in place of a redirect', headers: { origin, accept: 'text/html' }, config: redirecting },
];

describe.each([
  { isDelivering: false, words: 'which delivers nothing' },
  { isDelivering: true, words: 'which really delivers' },
])('on a page of another origin, delivering: $isDelivering', ({ isDelivering, words }) => {
  test.each(gets)('$what says so', async ({ headers, path = form, config = contact }) => {
    const at = await stage({ config, isDelivering });
    const { status, text } = await at.request(path, { headers });
    expect([status, text.split(words).length]).toEqual([200, 2]);
  });
});

test.each(posts)('a success $what says so', async ({ headers, path = 'contact', config = contact }) => {
  const at = await stage({ config });
  let answer = await send(at, 'name=Ada&email=ada@example.org', headers, path);
  if (answer.status === 303) {
    const { pathname, search } = new URL(answer.headers.location ?? '', `${at.origin}/api/v1/submit/contact`);
    answer = await at.request(pathname + search, { headers: ownPage });
  }
  const said = headers.accept === asScript.accept ? JSON.parse(answer.text) : {};
  const shown = said.confirmation_html ?? said.confirmation ?? answer.text;
  expect([answer.status, shown.split('which delivers nothing').length]).toEqual([200, 2]);
});

test.each<Case>([
  { what: 'a program', headers: {} },
  { what: 'a page of the studio', headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' } },
  { what: 'a frame of the studio', headers: { ...ownPage, 'sec-fetch-dest': 'iframe' } },
])('$what gets the form as it is', async ({ headers }) => {
  const at = await stage({ config: contact });
  expect((await at.request(form, { headers })).text).not.toContain('which delivers nothing');
  const answer = await send(at, 'name=Ada', { ...headers, origin: at.origin, ...asHtmx });
  expect(answer.text).toBe('<div class="form-confirmation">Thank you.</div>\n');
});
