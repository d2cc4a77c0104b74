import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { everyField } from '../../packages/core/test/html/every_field.ts';
import { elementCode } from '../../packages/element/built/element.ts';
import { formHtml } from '../support/form_html.ts';
import { gate } from '../support/gate.ts';
import { mistakesIn } from '../support/validate.ts';
import {
  describeInBrowser,
  documentWith,
  isFocused,
  isSound,
  openPage,
  type PageOptions,
  printed,
  type Stage,
  screenshot,
  scriptOf,
  send,
  stage,
  unchecked,
} from './stage.ts';
import { unreliable } from './unreliable.ts';

const outputs = 'outputs: [{type: http_post, url: "$sink", mapping: "*"}]';
const contact = `
  contact:
    title: Contact us
    confirmation: Thank you, really.
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: vat, visible_when: {field: company, filled: true}}
      - {name: email, type: email, required: true, help: We answer here.}
      - {name: topics, type: checkboxes, options: [sales, support], min_choices: 1, required: true}
    spam: {honeypot: website, min_fill_seconds: 3}
    ${outputs}
`;
const small = `
  small:
    fields: [{name: first_name, min_length: 3}, {name: note, type: textarea, min_length: 3}]
    ${outputs}
`;
const timed = small
  .replace('small', 'timed')
  .replace('outputs', 'spam: {min_fill_seconds: 2, form_ttl: 1h}\n    outputs');

const elementOf = (origin: string, form: string) =>
  `<relay-form src="${origin}/api/v1/form/${form}"><a href="${origin}/api/v1/form/${form}?as=page">Write to us</a></relay-form>\n`;

async function open(at: Stage, body: string, head = scriptOf(at), options: PageOptions = {}) {
  at.serve('/page', documentWith(body, head));
  return await openPage({ url: `${at.host}/page`, ...options });
}

/** Chromium reports each failed request. */
const offline = { complains: /ERR_/ };
const first = (page: Page) => page.getByLabel('First name');
const note = (page: Page) => page.getByLabel('Note');
const problem = 'The form could not be sent. Please check your connection and try again.';

test('the script is about 6 KB, and defines nothing but the element', () => {
  expect(gzipSync(elementCode, { level: 9 }).length).toBeLessThan(6_900);
  // Valid both as a script and as a module.
  expect(() => new Function(elementCode)).not.toThrow();
  expect(elementCode).toMatch(/^\(function\(\)\{.*\}\)\(\);$/s);
  // Except the code for forms with files, which is loaded from the relay.
  expect(elementCode).not.toMatch(/\beval\b|new Function|\bimport\b(?!\(new URL\(`..\/\$\{\w\}\.js`)/);
});

describeInBrowser('<relay-form>', () => {
  test('fields that appear and disappear, two errors, their correction, the confirmation', async () => {
    const at = await stage({ forms: contact });
    const page = await open(at, elementOf(at.origin, 'contact'));
    await page.getByLabel('business').check();
    expect(await page.getByText('only if').count()).toBe(0);
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('Vat').waitFor();
    await page.getByLabel('Email').fill('ada@localhost@');
    await unchecked(page);
    at.advance(3_000);
    await send(page);
    await isFocused(page, '.form-status');
    await isSound(page, 'element_errors');
    const email = page.getByLabel('Email');
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    const described = (await email.getAttribute('aria-describedby'))?.split(' ') ?? [];
    expect(await page.locator(`#${described[0]}`).innerText()).toBe('We answer here.');
    expect(await page.locator(`#${described[1]}`).innerText()).toBe(
      'Enter an e-mail address like name@example.com.',
    );
    expect(await page.locator('.form-status').innerText()).toMatch(/^There is a problem\s/);
    await page.getByRole('link', { name: 'Topics: Choose at least one option.' }).click();
    await isFocused(page, '[name=topics]');
    await page.getByLabel('support').check();
    expect(await page.locator('.field-error').allInnerTexts()).toEqual([
      'Enter an e-mail address like name@example.com.',
    ]);
    expect(await page.locator('.form-status li').count()).toBe(1);
    await email.fill('ada@example.org');
    expect(await page.locator('.field-error').count()).toBe(0);
    expect(await page.locator('.form-status').innerText()).toBe('');
    expect(await email.getAttribute('aria-describedby')).toBe(described[0]);
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    await send(page);
    await page.getByText('Thank you, really.').waitFor();
    await isFocused(page, '.form-confirmation');
    await isSound(page);
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(at.bodies).toEqual(['company=Engines&email=ada@example.org&kind=business&topics=support']);
  });

  test('a single error moves the focus to its field, and nothing is announced twice', async () => {
    const at = await stage({ forms: small });
    const page = await open(at, elementOf(at.origin, 'small'));
    await note(page).fill('Hello');
    await first(page).fill('Ad');
    await unchecked(page);
    await send(page);
    await isFocused(page, '[name=first_name]');
    expect(await page.locator('.form-status').innerText()).toBe('');
    expect(await note(page).inputValue()).toBe('Hello');
    await page.keyboard.type('a');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('says that it is sending after half a second; a double click sends once', async () => {
    const { open: release, opened: waiting } = gate();
    const at = await stage({ forms: small, sink: { answer: () => waiting.then(() => ({})) } });
    const page = await open(at, elementOf(at.origin, 'small'));
    await first(page).fill('Ada');
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('Sending…');
    expect(await page.locator('form').getAttribute('aria-busy')).toBe('true');
    await isSound(page, 'element_sending');
    await page.keyboard.press('Enter');
    release();
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test.each(['down', 'foreign'] as const)('a relay that is %s shows as a lost connection', async (mode) => {
    const at = await stage({ forms: small });
    const way = await unreliable(at.origin);
    const page = await open(at, elementOf(way.origin, 'small'), scriptOf(way), offline);
    await first(page).fill('Ada');
    way.mode = mode;
    await send(page);
    await page.getByRole('alert').getByText(problem).waitFor();
    expect(await first(page).inputValue()).toBe('Ada');
    expect(at.delivered).toEqual([]);
    way.mode = 'fine';
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('an expired form is resent automatically, without a message', async () => {
    const at = await stage({ forms: timed });
    const way = await unreliable(at.origin);
    const page = await open(at, elementOf(way.origin, 'timed'), scriptOf(way));
    await first(page).fill('Ada');
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const status = document.querySelector('.form-status') as Element;
      new MutationObserver(() => said.push(status.textContent ?? '')).observe(status, { childList: true });
    });
    at.advance(3_600_001);
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
    expect(way.requests.filter((request) => request.startsWith('POST'))).toHaveLength(2);
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
    expect(said.filter((text) => text !== '' && text !== 'Sending…')).toEqual([]);
  });

  test('a visitor who is too quick for the form itself is still dropped', async () => {
    const at = await stage({ forms: timed });
    const page = await open(at, elementOf(at.origin, 'timed'));
    await first(page).fill('Ada');
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toEqual([]);
  });

  test('too many requests: the form waits for the Retry-After, and resends once', async () => {
    const at = await stage({ forms: small, env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' } });
    const page = await open(at, elementOf(at.origin, 'small'));
    await first(page).fill('Ada');
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('follows the redirect, and Back leads to a form that works', async () => {
    const at = await stage({ forms: small.replace('fields', 'redirect: $sinkthanks\n    fields') });
    const page = await open(at, elementOf(at.origin, 'small'));
    await first(page).fill('Ada');
    await send(page);
    await page.waitForURL(`${at.sink.origin}/thanks`);
    await page.goBack();
    await first(page).fill('Grace');
    await send(page);
    await page.waitForURL(`${at.sink.origin}/thanks`);
    expect(at.sink.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  test('a page restored from the cache can be sent, with a new token', async () => {
    const at = await stage({ forms: timed.replace('fields', 'redirect: $sinkthanks\n    fields') });
    const way = await unreliable(at.origin);
    const page = await open(at, elementOf(way.origin, 'timed'), scriptOf(way));
    await first(page).fill('Ada');
    // After that answer, a browser stays on the page.
    await page.route(`${at.sink.origin}/thanks`, (route) => route.fulfill({ status: 204 }));
    at.advance(3_000);
    await send(page);
    await expect.poll(() => at.delivered.length).toBe(1);
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    expect(await page.locator('form').getAttribute('aria-busy')).toBe(null);
    expect(await first(page).inputValue()).toBe('Ada');
    await expect.poll(() => way.requests.at(-1)).toBe('GET /api/v1/token/timed');
  });

  test('a hidden field is neither required nor sent, and its text returns with the field', async () => {
    const at = await stage({ forms: contact });
    // The site's own rule must not show it.
    const style = '<style>.field { display: grid }</style>';
    const page = await open(at, elementOf(at.origin, 'contact'), scriptOf(at) + style);
    await page.getByLabel('business').check();
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('personal').check();
    expect(await page.getByLabel('Company').isVisible()).toBe(false);
    expect(await page.getByLabel('Vat').isVisible()).toBe(false);
    await page.getByLabel('business').check();
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    expect(await page.getByLabel('Company').evaluate((input: HTMLInputElement) => input.required)).toBe(true);
    expect(await page.getByText('Company *').count()).toBe(1);
    await page.getByLabel('personal').check();
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('sales').check();
    at.advance(3_000);
    await send(page);
    await page.getByText('Thank you, really.').waitFor();
    expect(at.delivered[0]?.map(([name]) => name)).toEqual(['email', 'kind', 'topics']);
  });

  test('keeps the link, and says so, while the form cannot be loaded; then the form appears automatically', async () => {
    const at = await stage({ forms: small });
    const way = await unreliable(at.origin);
    way.about = '/form/small';
    way.mode = 'down';
    const page = await open(at, elementOf(way.origin, 'small'), scriptOf(at), offline);
    await page.getByRole('alert').getByText('The form could not be loaded.').waitFor();
    expect(await page.getByRole('link', { name: 'Write to us' }).isVisible()).toBe(true);
    await isSound(page, 'element_not_loaded');
    way.mode = 'foreign';
    await expect.poll(() => way.requests.length).toBeGreaterThan(1);
    expect(await page.getByRole('link', { name: 'Write to us' }).isVisible()).toBe(true);
    way.mode = 'fine';
    await first(page).fill('Ada');
    expect(await page.getByRole('alert').innerText()).toBe('');
    expect(await page.getByRole('link').count()).toBe(0);
    await send(page);
    await page.getByText('Thank you.').waitFor();
  });

  test('without a link from the owner, it creates one', async () => {
    const at = await stage({ forms: small });
    const page = await open(at, `<relay-form src="${at.origin}/api/v1/form/nothing?lang=de"></relay-form>`);
    const link = page.getByRole('link', { name: 'Open the form' });
    expect(await link.getAttribute('href')).toBe(`${at.origin}/api/v1/form/nothing?lang=de&as=page`);
  });

  test('created by a script, moved, given another address, removed: no errors', async () => {
    const at = await stage({ forms: small + timed });
    const page = await open(at, '<div id="a"></div><div id="b"></div>', undefined, offline);
    await page.evaluate((origin) => {
      const element = document.createElement('relay-form');
      element.setAttribute('src', `${origin}/api/v1/form/small`);
      document.querySelector('#a')?.append(element);
      // Children may be added later.
      element.append('Loading …');
    }, at.origin);
    await first(page).fill('Ada');
    await page.evaluate(() =>
      document.querySelector('#b')?.append(document.querySelector('relay-form') as Element),
    );
    expect(await first(page).inputValue()).toBe('Ada');
    await page.evaluate(
      (origin) => document.querySelector('relay-form')?.setAttribute('src', `${origin}/api/v1/form/timed`),
      at.origin,
    );
    await page.locator('#form-timed').waitFor();
    expect(await page.locator('form').count()).toBe(1);
    await page.evaluate((origin) => {
      const element = document.querySelector('relay-form') as Element;
      element.setAttribute('src', `${origin}/api/v1/form/small`);
      element.remove();
      const outside = document.createElement('relay-form');
      outside.setAttribute('src', ':');
      document.body.append(outside, document.createElement('relay-form'));
    }, at.origin);
    await page.waitForTimeout(300);
  });

  test('works in a shadow tree, too', async () => {
    const at = await stage({ forms: small });
    const page = await open(at, '<div id="host"></div>');
    await page.evaluate(
      (html) => {
        const root = (document.querySelector('#host') as Element).attachShadow({ mode: 'open' });
        root.innerHTML = html;
      },
      elementOf(at.origin, 'small'),
    );
    await first(page).fill('Ada');
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('fields may have the same names as form properties', async () => {
    const names = ['style', 'after', 'matches', 'elements', 'name', 'action', 'method', 'title'];
    const fields = names.map(
      (name) => `{name: ${name}, label: Own ${name}, min_length: 3, visible_when: {field: kind, is: a}}`,
    );
    const at = await stage({
      forms: `
  named:
    fields: [{name: kind, type: radios, options: [a, b]}, ${fields.join(', ')}]
    ${outputs}`,
    });
    const page = await open(at, elementOf(at.origin, 'named'));
    const own = page.getByLabel(/^Own/);
    await page.getByLabel('b', { exact: true }).check();
    for (const field of await own.all()) await expect.poll(() => field.isVisible()).toBe(false);
    await page.getByLabel('a', { exact: true }).check();
    for (const field of await own.all()) {
      await field.fill('x');
      await field.evaluate((input: HTMLInputElement) => input.removeAttribute('minlength'));
    }
    await send(page);
    await expect.poll(() => page.locator('.field-error').count()).toBe(names.length);
    for (const field of await own.all()) await field.fill('long enough');
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(at.delivered[0]).toHaveLength(names.length + 1);
  });

  test('the page gets events, and may show the result itself', async () => {
    const at = await stage({ forms: small });
    const page = await open(at, elementOf(at.origin, 'small'));
    await page.evaluate(() => {
      const heard: object[] = [];
      Object.assign(window, { heard });
      for (const name of ['form-relay:sent', 'form-relay:failed']) {
        document.addEventListener(name, (event) => {
          heard.push([name, (event as CustomEvent).detail]);
          event.preventDefault();
        });
      }
    });
    await first(page).fill('Ad');
    await unchecked(page);
    await send(page);
    await page.getByText('Enter at least 3 characters.').waitFor();
    await first(page).fill('Ada');
    await send(page);
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { heard: object[] }).heard))
      .toMatchObject([
        [
          'form-relay:failed',
          { form: 'small', kind: 'invalid', errors: [{ field: 'first_name', code: 'too_short' }] },
        ],
        ['form-relay:sent', { form: 'small', kind: 'sent', confirmation: 'Thank you.' }],
      ]);
    expect(await page.getByText('Thank you.').count()).toBe(0);
    expect(await first(page).isVisible()).toBe(true);
    expect(await page.locator('form').getAttribute('aria-busy')).toBe(null);
  });
});

describeInBrowser('relay form html, pasted', () => {
  test('every field type: no script of its own, nothing that a template language would interpret, valid markup', async () => {
    const config = `forms:${everyField.replace('$sink', 'http://127.0.0.1:9/')}`;
    const html = await formHtml(config, 'every_field', '--base-url', 'https://forms.example.com');
    expect(html).not.toMatch(/<script|\son\w+=|\sstyle=|hx-|[{}]|\n\s*\n/);
    expect(await mistakesIn(html)).toEqual([]);
  });

  test('a missing answer is reported, and everything is kept', async () => {
    const at = await stage({ forms: timed });
    const way = await unreliable(at.origin);
    const html = await printed({ ...at, origin: way.origin }, timed, 'timed');
    way.about = '/token/';
    way.mode = 'foreign';
    const page = await open(at, html);
    await first(page).fill('Ada');
    await send(page);
    await page.getByText('Please check your connection and try again in a moment.').waitFor();
    await isFocused(page, '.form-status');
    expect(await first(page).inputValue()).toBe('Ada');
    expect(at.delivered).toEqual([]);
    way.mode = 'fine';
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('without JavaScript, the form can be sent, and nothing is lost', async () => {
    const at = await stage({ forms: timed });
    const page = await open(at, await printed(at, timed, 'timed', '--script'), '', {
      javaScriptEnabled: false,
    });
    await first(page).fill('Ada');
    await send(page);
    expect(await first(page).inputValue()).toBe('Ada');
    at.advance(3_000);
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('two forms, one of them twice: each shows its own errors, and labels focus their own fields', async () => {
    const at = await stage({ forms: small + timed });
    const one = await printed(at, small, 'small');
    const page = await open(
      at,
      one + (await printed(at, timed, 'timed')) + one + elementOf(at.origin, 'small'),
    );
    await expect.poll(() => page.locator('form').count()).toBe(4);
    await unchecked(page);
    for (const index of [0, 1, 2, 3])
      await first(page)
        .nth(index)
        .fill('A'.repeat(index + 1));
    for (const index of [0, 1, 2, 3]) {
      expect(await page.locator('form').nth(index).locator('[name=first_name]').inputValue()).toBe(
        'A'.repeat(index + 1),
      );
    }
    await page.getByRole('button').nth(2).click();
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
    await page.getByRole('button').nth(0).click();
    await page.getByText('Enter at least 3 characters.').waitFor();
    expect(await page.locator('form').nth(0).locator('.field-error').count()).toBe(1);
    await isSound(page);
  });

  test.each([
    ['async', (src: string) => `<script src="${src}" async></script>`],
    ['twice', (src: string) => `<script src="${src}"></script><script src="${src}?2" defer></script>`],
    [
      'late, by another script',
      (src: string) =>
        `<script>setTimeout(() => { const s = document.createElement('script'); s.src = '${src}'; document.head.append(s); }, 300)</script>`,
    ],
  ])('the script may be loaded %s', async (_, tag) => {
    const at = await stage({ forms: small });
    const html = await printed(at, small, 'small');
    const own =
      '<form data-form-relay="small"><label>First name <input name="first_name"></label><button>Send</button></form>';
    const page = await open(
      at,
      html + own + elementOf(at.origin, 'small'),
      tag(`${at.origin}/api/v1/form.js`),
    );
    await page.locator('relay-form form').waitFor();
    expect(await page.evaluate(() => Object.keys(window).filter((name) => /relay/i.test(name)))).toEqual([]);
    for (const index of [0, 1, 2]) {
      const form = page.locator('form').nth(index);
      await expect.poll(() => form.getAttribute('data-turbo')).toBe('false');
      await form.getByLabel('First name').fill('Ada');
      await form.getByRole('button').click();
      await expect.poll(() => page.locator('.form-confirmation').count()).toBe(index + 1);
    }
    expect(at.delivered).toHaveLength(3);
  });

  test('a policy that allows scripts of two origins, and nothing inline, breaks nothing', async () => {
    const at = await stage({ forms: contact });
    const policy = `default-src 'none'; script-src 'self' ${at.origin}; style-src 'self' ${at.origin}; connect-src ${at.origin}; form-action ${at.origin}`;
    const style = `<link rel="stylesheet" href="${at.origin}/api/v1/form.css">`;
    const html = documentWith(await printed(at, contact, 'contact'), scriptOf(at) + style);
    at.serve('/page', html + elementOf(at.origin, 'contact'), { 'content-security-policy': policy });
    const page = await openPage({ url: `${at.host}/page` });
    const form = page.locator('form').first();
    expect(await form.getByLabel('Company').isVisible()).toBe(false);
    await form.getByLabel('personal').check();
    await form.getByLabel('Email').fill('ada@example.org');
    at.advance(3_000);
    await page.waitForTimeout(3_100);
    await form.getByRole('button').click();
    await form.getByText('Choose at least one option.').waitFor();
    await form.getByLabel('sales').check();
    await form.getByRole('button').click();
    await page.getByText('Thank you, really.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('a form that was filled in before is not too quick: after Back, it waits, then is sent', async () => {
    const at = await stage({ forms: timed });
    const page = await open(at, await printed(at, timed, 'timed'));
    await first(page).fill('Ada');
    at.serve('/other', documentWith(''));
    await page.goto(`${at.host}/other`);
    await page.goBack();
    await expect.poll(() => first(page).inputValue()).toBe('Ada');
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
  });

  test('a page that accepts markup only from named policies (Trusted Types) can allow the script’s', async () => {
    const at = await stage({ forms: timed.replace('fields', 'confirmation: "[Done](/)."\n    fields') });
    const policy = "require-trusted-types-for 'script'; trusted-types form-relay";
    at.serve('/page', documentWith(`${elementOf(at.origin, 'timed')}`, scriptOf(at)), {
      'content-security-policy': policy,
    });
    const page = await openPage({ url: `${at.host}/page` });
    await first(page).fill('Ada');
    at.advance(3_000);
    await send(page);
    await page.getByRole('link', { name: 'Done' }).waitFor();
    expect(at.delivered).toHaveLength(1);
  });
});

describeInBrowser("a form of the page's own markup", () => {
  const own = (origin: string) => `
<form data-form-relay="contact" action="${origin}/api/v1/submit/contact?as=page" method="post">
  <div class="row"><fieldset><legend>Who are you?</legend>
    <label><input type="radio" name="kind" value="personal"> A person</label>
    <label><input type="radio" name="kind" value="business"> A business</label>
  </fieldset></div>
  <p id="firm"><label>Your firm: <input name="company"></label></p>
  <div class="mb-3"><label for="mail">Your address*</label><input id="mail" name="email" aria-describedby="hint"><small id="hint">Never shared</small></div>
  <label for="t1">Sales</label><input type="checkbox" id="t1" name="topics" value="sales">
  <p><button><b>Send</b></button></p>
</form>`;

  test('errors appear at its own fields, with its own labels, and are removed completely', async () => {
    const at = await stage({ forms: contact });
    const page = await open(at, own(at.origin));
    await expect.poll(() => page.locator('#firm').isVisible()).toBe(false);
    const traces = / required=""| style=""|<div class="form-status" role="alert" tabindex="-1"><\/div>/g;
    const markup = async () => (await page.locator('form').innerHTML()).replaceAll(traces, '');
    const before = await markup();
    await page.getByLabel('A business').check();
    await page.getByLabel('Your firm').waitFor();
    await page.waitForTimeout(3_100);
    at.advance(3_000);
    await unchecked(page);
    await send(page);
    await page.getByText('There is a problem').waitFor();
    await screenshot(page, 'element_own_markup');
    expect(await page.locator('.form-status li').allInnerTexts()).toEqual([
      'Your firm: Enter a value.',
      'Enter an e-mail address like name@example.com.',
      'Sales: Choose at least one option.',
    ]);
    await isSound(page);
    expect(await page.locator('.mb-3 > .field-error').count()).toBe(1);
    expect(await page.locator('p .field-error').count()).toBe(0);
    await page.getByLabel('Your firm').fill('Engines');
    await page.getByLabel('Your address').fill('ada@example.org');
    await page.getByLabel('Sales').check();
    expect(await page.locator('.field-error, [aria-invalid]').count()).toBe(0);
    expect(await page.locator('#mail').getAttribute('aria-describedby')).toBe('hint');
    await page.getByLabel('A person').check();
    await expect.poll(() => page.locator('#firm').isVisible()).toBe(false);
    expect(await markup()).toBe(before);
    await send(page);
    await page.getByText('Thank you, really.').waitFor();
    expect(at.bodies).toEqual(['email=ada@example.org&kind=personal&topics=sales']);
  });

  test('without an action, it is sent to the relay that served the script, below its path', async () => {
    const { open: release, opened: waiting } = gate();
    const at = await stage({ forms: small, sink: { answer: () => waiting.then(() => ({})) } });
    const markup =
      '<form data-form-relay="small"><label>First name <input name="first_name"></label><input type="submit" value="Send"></form>';
    const page = await open(at, markup, scriptOf({ origin: at.host }));
    await first(page).fill('Ada');
    expect(await page.locator('form').getAttribute('action')).toBe(`${at.host}/api/v1/submit/small?as=page`);
    await send(page);
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    release();
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('while a form is closed, a text replaces it; an owner’s form shows the text, and can be sent once it opens', async () => {
    const opens = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    const words = /^This form opens on .* UTC\.$/;
    const at = await stage({
      forms: timed.replace('outputs', `opens: ${opens}\n    title: Later\n    outputs`),
    });
    const shown = await open(at, elementOf(at.origin, 'timed'));
    await shown.getByText(words).waitFor();
    expect(await shown.locator('form, a, .form-status').count()).toBe(0);
    await isSound(shown);
    const own =
      '<form data-form-relay="timed"><label>First name <input name="first_name"></label><button>Send</button></form>';
    const page = await open(at, own);
    const status = page.locator('.form-status');
    await status.getByText('This form opens on').waitFor();
    await first(page).fill('Ada');
    await send(page);
    await status.locator('li').getByText('This form opens on').waitFor();
    expect(await first(page).inputValue()).toBe('Ada');
    at.advance(3_600_000);
    // Any sooner, the submission would count as a bot's.
    await page.waitForFunction(() => performance.now() > 2_000);
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
  });

  test('a form that a framework adds later is handled, and one with its own handler is not', async () => {
    const at = await stage({ forms: small });
    const page = await open(at, '<div id="app"></div>');
    await page.evaluate((action) => {
      const app = document.querySelector('#app') as Element;
      app.innerHTML = `<form class="form-relay" action="${action}" method="post"><label>First name <input name="first_name"></label><button>Send</button></form>`;
      app.addEventListener('submit', (event) => {
        if (!(window as { isDone?: boolean }).isDone) event.preventDefault();
      });
    }, `${at.origin}/api/v1/submit/small`);
    await first(page).fill('Ada');
    await expect.poll(() => page.locator('form').getAttribute('data-turbo')).toBe('false');
    await send(page);
    await page.waitForTimeout(300);
    expect(at.delivered).toEqual([]);
    await page.evaluate(() => Object.assign(window, { isDone: true }));
    await send(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });
});
