/** The output of `relay form html`, and the samples of the manual, pasted into an empty page. */
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readmeConfig, samples } from '../docs/samples.ts';
import { formHtml } from '../support/form_html.ts';
import { mistakesIn } from '../views/validate.ts';
import {
  complaintsOf,
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  isNotAboutFocus,
  openPage,
  type PageOptions,
  runFormHtml,
  type Stage,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

const forms = `
  contact:
    redirect: $sink
    confirmation: Thank you, really.
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: vat, visible_when: {field: company, filled: true}}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support], min_choices: 1, required: true}
    spam: {honeypot: website, min_fill_seconds: 3}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const withoutMinFill = forms.replace(', min_fill_seconds: 3', '');
const configOf = (forms: string, at: Stage) => `forms:${forms.replaceAll('$sink', `${at.sink.origin}/`)}`;

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
const isFocused = (page: Page, selector: string) =>
  expect.poll(() => page.evaluate((s) => document.activeElement?.matches(s), selector)).toBe(true);

/** The pasted form, in a page of another origin than the relay's, ready to be filled in. */
async function paste(at: Stage, html: string, { head, ...options }: PageOptions & { head?: string } = {}) {
  at.serve('/page', documentWith(html, head));
  const page = await openPage(options);
  await page.goto(`${at.host}/page`);
  return page;
}

/** Conditional fields, a failed validation, its correction, the confirmation. */
async function completes(at: Stage, page: Page) {
  await page.locator('input[name=_ts][value]').waitFor({ state: 'attached' });
  await page.getByLabel('business').check();
  await page.getByLabel('Company').waitFor();
  await page.getByLabel('Company').fill('Engines');
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Vat').waitFor();
  expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
  at.advance(3_000);
  await send(page);
  await page.getByText('Choose at least one option.').waitFor();
  await isFocused(page, '[name=topics]');
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
  await page.getByLabel('support').check();
  await send(page);
  await page.getByText('Thank you, really.').waitFor();
  await isFocused(page, '.form-confirmation');
  expect(at.delivered).toEqual([
    [
      ['company', 'Engines'],
      ['email', 'ada@example.org'],
      ['kind', 'business'],
      ['topics', 'support'],
    ],
  ]);
}

describeInBrowser('relay form html, pasted into an empty page', () => {
  test.each(['htmx2', 'htmx4'] as const)(
    'works with %s from another origin, min-fill included',
    async (htmx) => {
      const at = await stage({ forms });
      const html = await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin, '--htmx');
      const page = await paste(at, html, {
        head: `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`,
      });
      await completes(at, page);
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    },
  );

  describe('--script', () => {
    const open = async (at: Stage) =>
      paste(
        at,
        await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin, '--htmx', '--script'),
      );

    test('works without htmx, min-fill included', async () => {
      const at = await stage({ forms });
      const page = await open(at);
      await completes(at, page);
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    });

    test('a failed delivery and a lost connection say so; what was typed stays; double clicks count once', async () => {
      let isDown = true;
      const at = await stage({
        forms: withoutMinFill,
        sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
      });
      const page = await paste(
        at,
        await formHtml(
          configOf(withoutMinFill, at),
          'contact',
          '--base-url',
          at.origin,
          '--htmx',
          '--script',
        ),
        { isAlone: true },
      );
      await page.getByLabel('personal').check();
      await page.getByLabel('Email').fill('ada@example.org');
      await page.getByLabel('sales').check();
      await send(page);
      await page.getByRole('alert').getByText('please try again later').waitFor();
      await page.context().setOffline(true);
      await send(page);
      await page.getByRole('alert').getByText('check your connection').waitFor();
      await page.context().setOffline(false);
      isDown = false;
      const before = at.delivered.length;
      await page.getByRole('button').dblclick();
      await page.getByText('Thank you, really.').waitFor();
      expect(at.delivered).toHaveLength(before + 1);
    });

    test('leaves everything to htmx when the page loads it, even later', async () => {
      const at = await stage({ forms: withoutMinFill });
      const html = await formHtml(
        configOf(withoutMinFill, at),
        'contact',
        '--base-url',
        at.origin,
        '--htmx',
        '--script',
      );
      const page = await paste(at, `${html}${crossOriginConfig.htmx4}<script src="/htmx4.js"></script>`);
      await page.getByLabel('personal').check();
      await page.getByLabel('Email').fill('ada@example.org');
      await page.getByLabel('sales').check();
      await send(page);
      await page.getByText('Thank you, really.').waitFor();
      expect(at.delivered).toHaveLength(1);
    });

    test('is under 2 KB as printed', async () => {
      const config = `forms:${forms.replaceAll('$sink', 'https://example.com')}`;
      const without = await formHtml(config, 'contact', '--htmx');
      const printed = await formHtml(config, 'contact', '--htmx', '--script', '--no-style');
      expect(printed.startsWith(without)).toBe(true);
      expect(Buffer.byteLength(printed.slice(without.length))).toBeLessThan(2_048);
    });
  });

  test('--plain works without any script: redirect, and a page with what to correct', async () => {
    const at = await stage({ forms: withoutMinFill });
    const html = await formHtml(configOf(withoutMinFill, at), 'contact', '--base-url', at.origin, '--plain');
    expect(html).not.toMatch(/<script|hx-/);
    const page = await paste(at, html, { javaScriptEnabled: false });
    await page.getByLabel('personal').check();
    await page.getByLabel('Email').fill('ada@example.org');
    await send(page);
    await page.getByText('Choose at least one option.').waitFor();
    expect(page.url()).toBe(`${at.origin}/api/v1/submit/contact?as=page`);
    await page.getByLabel('support').check();
    await send(page);
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered).toContainEqual([
      ['email', 'ada@example.org'],
      ['kind', 'personal'],
      ['topics', 'support'],
    ]);
    expect(complaintsOf(page)).toEqual([]);
  });

  describe('without JavaScript', () => {
    const options = ['--htmx', '--script'];
    const open = async (forms: string) => {
      const at = await stage({ forms });
      const html = await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin, ...options);
      expect(await mistakesIn(html)).toEqual([]);
      // axe-core itself needs JavaScript.
      const shown = html.replaceAll(/<script>.*?<\/script>|<\/?noscript>/gs, '');
      expect(await violationsIn(await paste(at, shown))).toEqual([]);
      return { at, page: await paste(at, html, { javaScriptEnabled: false }) };
    };
    const fillIn = async (page: Page) => {
      await page.getByLabel('personal').check();
      await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
      await page.getByLabel('support').check();
    };

    test('one with min-fill says first where to go, and cannot be sent', async () => {
      const { at, page } = await open(forms);
      await screenshot(page, 'without_javascript');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
      expect(await page.locator('form').innerText()).toMatch(/^Without JavaScript, please use this form\./);
      expect(await page.getByRole('textbox', { name: /^Company/ }).isVisible()).toBe(true);
      await fillIn(page);
      await send(page);
      await isFocused(page, 'select');
      const select = page.getByLabel('Sending');
      expect(await select.locator('option').allTextContents()).toEqual(['This form needs JavaScript here']);
      await select.selectOption('');
      await page.getByRole('textbox', { name: 'Email' }).press('Enter');
      await isFocused(page, 'select');
      await page.getByRole('link', { name: 'this form' }).click();
      await page.waitForURL(`${at.origin}/api/v1/form/contact?as=page`);
      expect(asked).toEqual([`GET ${at.origin}/api/v1/form/contact?as=page`]);
      await fillIn(page);
      at.advance(3_000);
      await send(page);
      await page.waitForURL(`${at.sink.origin}/`);
      expect(at.delivered).toContainEqual([
        ['email', 'ada@example.org'],
        ['kind', 'personal'],
        ['topics', 'support'],
      ]);
    });

    test('one without min-fill is sent', async () => {
      const { at, page } = await open(withoutMinFill);
      await fillIn(page);
      await send(page);
      await page.waitForURL(`${at.sink.origin}/`);
      expect(at.delivered[0]).toContainEqual(['email', 'ada@example.org']);
    });

    test('one with min-fill and a captcha leads nowhere, since the relay’s page has the captcha, too', async () => {
      const { page } = await open(
        forms.replace('redirect:', 'captcha: {provider: turnstile, secret: s, site_key: k}\n    redirect:'),
      );
      expect(await page.locator('form').innerText()).toContain('This form needs JavaScript for its captcha.');
      expect(await page.getByRole('link').count()).toBe(0);
      await fillIn(page);
      await send(page);
      await isFocused(page, 'select');
    });
  });

  test.each(['htmx4'] as const)('is no less than that where %s itself brings the page', async (htmx) => {
    const at = await stage({ forms });
    const html = await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin, '--htmx');
    at.serve('/contact', documentWith(html));
    const head = `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`;
    const page = await paste(at, '<a href="/contact" hx-boost="true">Contact</a>', { head });
    await page.getByRole('link').click();
    await completes(at, page);
  });
});

type Medium = 'htmx4' | 'script';
const media: readonly Medium[] = ['htmx4', 'script'];

/** What stands between page and relay when things go wrong, and is not the relay. */
type Fault = (route: Route) => Promise<void>;
const faults: Readonly<Record<string, Fault>> = {
  'a lost connection': (route) => route.abort(),
  'a gateway’s 429': (route) =>
    route.fulfill({ ...foreign('application/json'), status: 429, body: '{"message":"Too Many Requests"}' }),
  'a proxy’s 502': (route) =>
    route.fulfill({ ...foreign('text/html'), status: 502, body: '<h1>502 Bad Gateway</h1>' }),
  'a captive portal': (route) =>
    route.fulfill({
      ...foreign('text/html'),
      status: 200,
      body: '<form id="login"><input name="room"></form>',
    }),
};
/** A token is asked for again while an answer is awaited; a submission is not. */
const tokenFaults: typeof faults = { ...faults, 'a request that hangs': () => Promise.resolve() };
const foreign = (contentType: string) => ({ contentType, headers: { 'access-control-allow-origin': '*' } });

const small = `
  contact:
    fields: [{name: first_name, required: true}, {name: email}]
    spam: {min_fill_seconds: 3, form_ttl: 1h}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const smallWithoutMinFill = small.replace('min_fill_seconds: 3, form_ttl: 1h', 'honeypot: website');

/** Pastes a form, for this medium. `prepare` comes before anything is loaded. */
async function open(at: Stage, forms: string, medium: Medium, prepare?: (page: Page) => Promise<void>) {
  const options = ['--base-url', at.origin, '--htmx', ...(medium === 'script' ? ['--script'] : [])];
  const html = await formHtml(configOf(forms, at), 'contact', ...options);
  const head = medium === 'script' ? '' : `${crossOriginConfig[medium]}<script src="/${medium}.js"></script>`;
  at.serve('/page', documentWith(html, head));
  const page = await openPage({ isAlone: prepare !== undefined });
  const thrown: string[] = [];
  page.on('pageerror', ({ message }) => thrown.push(message));
  await prepare?.(page);
  await page.goto(`${at.host}/page`);
  return { page, thrown };
}

describeInBrowser('a pasted form', () => {
  const token = '**/api/v1/token/**';
  const hasToken = (page: Page) => page.locator('input[name=_ts][value]').waitFor({ state: 'attached' });
  const says = (page: Page, text: string) => page.getByRole('alert').getByText(text).waitFor();

  /** Waits as long as a form has to be filled in, in the page and in the relay. */
  async function waitMinFill(at: Stage, page: Page) {
    at.advance(3_000);
    await page.clock.fastForward(3_000);
  }

  describe.each(media)('with %s', (medium) => {
    test('whose token is kept back never says thank you for nothing', async () => {
      const at = await stage({ forms: small });
      let fault: Fault = (route) => route.abort();
      const { page, thrown } = await open(at, small, medium, async (page) => {
        await page.clock.install();
        await page.route(token, (route) => fault(route));
      });
      await page.getByLabel('First name').fill('Ada');
      await page.clock.fastForward(5_000);
      expect(await page.locator('input[name=_ts]').count()).toBe(1);
      for (fault of Object.values(tokenFaults)) {
        await send(page);
        await says(page, 'the form is still loading');
        await page.clock.fastForward(8_000);
        await says(page, 'check your connection');
        expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
      }
      await page.unroute(token);
      await send(page);
      await hasToken(page);
      await says(page, 'the form is still loading');
      await waitMinFill(at, page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
      expect(thrown).toEqual([]);
    });

    test('whose token comes late is sent when it may be, once', async () => {
      const at = await stage({ forms: small });
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { page } = await open(at, small, medium, async (page) => {
        await page.clock.install();
        await page.route(token, async (route) => {
          await released;
          await route.continue();
        });
      });
      await page.getByLabel('First name').fill('Ada');
      await page.clock.fastForward(4_000);
      await send(page);
      await says(page, 'the form is still loading');
      await send(page);
      release();
      await hasToken(page);
      await waitMinFill(at, page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toHaveLength(1);
    });

    test('that was filled in before, as after back, is not too quick: it waits, and is sent', async () => {
      const at = await stage({ forms: small });
      const { page } = await open(at, small, medium);
      await page.getByLabel('First name').fill('Ada');
      at.serve('/other', documentWith(''));
      await page.goto(`${at.host}/other`);
      await page.goBack();
      await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Ada');
      await hasToken(page);
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
    });

    test('keeps what was typed when something else answers than the relay', async () => {
      const at = await stage({ forms: smallWithoutMinFill });
      const { page, thrown } = await open(at, smallWithoutMinFill, medium);
      await page.getByLabel('First name').fill('Ada');
      for (const fault of Object.values(faults)) {
        await page.route('**/api/v1/submit/**', fault);
        await send(page);
        await says(page, 'check your connection');
        expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
        await page.unroute('**/api/v1/submit/**');
      }
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toHaveLength(1);
      expect(thrown).toEqual([]);
    });

    test('that expired can be sent again at once', async () => {
      const at = await stage({ forms: small });
      const { page } = await open(at, small, medium);
      await hasToken(page);
      await page.getByLabel('First name').fill('Ada');
      at.advance(3_600_001);
      await send(page);
      await says(page, 'form expired, please reload');
      await send(page);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toEqual([[['first_name', 'Ada']]]);
    });

    test('shows that it is being sent, and the button keeps the focus', async () => {
      let isDown = true;
      let answer = () => {};
      const asked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const at = await stage({
        forms: smallWithoutMinFill,
        sink: { answer: () => ({ status: isDown ? 500 : 200 }) },
      });
      const { page } = await open(at, smallWithoutMinFill, medium);
      await page.getByLabel('First name').fill('Ada');
      await page.route('**/api/v1/submit/**', async (route) => {
        await asked;
        await route.continue();
      });
      await page.getByRole('button').press('Enter');
      await page.locator('form[aria-busy=true]').waitFor();
      await page.getByRole('button').press('Enter');
      await isFocused(page, 'button');
      answer();
      await says(page, 'please try again later');
      await page.locator('form:not([aria-busy])').waitFor();
      await isFocused(page, 'button');
      isDown = false;
      await page.keyboard.press('Enter');
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toHaveLength(2);
    });

    test('asks only about fields that decide, while someone types, and takes a box back that was ticked at first', async () => {
      const chain = `
  contact:
    fields:
      - {name: kind}
      - {name: opt, type: checkbox, label: Opt, value: "on", visible_when: {field: kind, filled: true}}
      - {name: detail, visible_when: {field: opt, filled: true}}
      - {name: story, type: textarea, visible_when: {field: kind, filled: true}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
      const at = await stage({ forms: chain });
      const { page } = await open(at, chain, medium);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.getByLabel('Kind').pressSequentially('a');
      await page.getByLabel('Detail').waitFor();
      await page.getByLabel('Kind').press('Tab');
      await isFocused(page, '[name=opt]');
      await page.getByLabel('Story').fill('long and private');
      await page.getByLabel('Opt').uncheck();
      await page.getByLabel('Detail').waitFor({ state: 'detached' });
      const answered = page.waitForResponse('**/api/v1/form/**');
      await page.getByLabel('Kind').fill('ab');
      await answered;
      await page.getByLabel('Kind').press('Tab');
      await page.getByLabel('Opt').check();
      await page.getByLabel('Detail').waitFor();
      expect(await page.getByLabel('Story').inputValue()).toBe('long and private');
      const queries = asked.filter((url) => url.includes('/form/')).map((url) => new URL(url).search);
      expect(queries).toContain('?kind=ab&opt=');
      expect(queries.join()).not.toMatch(/story|private/);
    });
  });

  test('keeps its decoy out of sight, whatever the page’s stylesheet does with common elements', async () => {
    const at = await stage({ forms: smallWithoutMinFill });
    const html = await formHtml(configOf(smallWithoutMinFill, at), 'contact', '--htmx', '--script');
    const style =
      '<style>form div, form p, form span, form label, form input, form fieldset {display: grid}</style>';
    const page = await paste(at, html, { head: style });
    expect(await page.getByLabel('First name').isVisible()).toBe(true);
    expect(await page.locator('input[name=website]').isVisible()).toBe(false);
  });
});

test.each([
  ['an address that is none', ['--base-url', 'forms.example.com'], 2, /Expected an address such as https:/],
  ['a fresh token without any script', ['--plain'], 1, /cannot hold a fresh token/],
  ['a script in a page without any', ['--plain', '--script'], 2, /cannot be used with option '--script'/],
])('relay form html refuses %s', async (_, options, code, message) => {
  const config = `forms:${forms.replaceAll('$sink', 'https://example.com')}`;
  await expect(runFormHtml(config, 'contact', ...options)).rejects.toMatchObject({
    code,
    stderr: expect.stringMatching(message),
  });
});

test.each([
  [
    'with a captcha, that it needs JavaScript',
    'redirect: https://example.com, captcha: {provider: turnstile, secret: s, site_key: k},',
    'needs JavaScript',
  ],
  ['of nothing where all is well', '', ''],
])('relay form html --plain warns %s', async (_, keys, warning) => {
  const config = `forms: {contact: {${keys} fields: [], outputs: [{type: http_post, url: "https://example.com"}]}}`;
  const { stdout, stderr } = await runFormHtml(config, 'contact', '--plain');
  expect(stdout).toContain('<form ');
  expect(warning === '' ? stderr : stderr.includes(warning)).toBe(warning === '' ? '' : true);
});

describeInBrowser('docs/htmx.md: A form of your own', () => {
  const docs = readFileSync(new URL('../../docs/htmx.md', import.meta.url), 'utf8');
  const section = docs.split(/^## /m).find((part) => part.startsWith('A form of your own')) ?? '';
  const [, withToken = ''] = [...section.matchAll(/^```html\n(.*?)^```$/gms)].map(([, text]) => text);
  const ownForms = `
  contact:
    redirect: $sink
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: message, type: textarea}]
    spam: {honeypot: website, min_fill_seconds: 3}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
  const open = async (htmx: 'htmx2' | 'htmx4', javaScriptEnabled: boolean) => {
    const at = await stage({ forms: ownForms });
    // The page has the htmx that is installed here.
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

  test('with min-fill, is not sent without JavaScript, and says where to go', async () => {
    const { at, page } = await open('htmx4', false);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await send(page);
    await isFocused(page, 'select');
    await page.getByRole('link', { name: 'this form' }).click();
    await page.waitForURL(`${at.origin}/api/v1/form/contact?as=page`);
    expect(asked).toEqual([`GET ${at.origin}/api/v1/form/contact?as=page`]);
  });
});

/** test/browser/samples.test.ts sends what they show, as it stands and with JavaScript. */
describeInBrowser('docs/element.md and docs/htmx.md', () => {
  const { contact } = readmeConfig.forms;
  const to = { redirect: '$sink', outputs: [{ type: 'http_post', url: '$sink', mapping: '*' }] };
  const readmeForms = `\n  ${JSON.stringify({ contact: { ...contact, ...to } })}\n`;
  const relayAddress = 'https://forms.example.com';
  const samplesIn = (wanted: string) =>
    samples.flatMap(({ paper, text }) => (paper === wanted ? [text] : []));
  const [tag = '', own = ''] = samplesIn('docs/element.md');
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

  test('without JavaScript, the browser sends HTML of your own', async () => {
    const at = await stage({ forms: readmeForms });
    await arrives(at, await open(at, own));
  });
});
