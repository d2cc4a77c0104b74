/** What `relay form html` prints, and what the README shows, pasted into an empty page. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { script } from '../../src/html/script.ts';
import {
  complaintsOf,
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  formHtml,
  openPage,
  type Stage,
  stage,
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
async function paste(at: Stage, html: string, options: { head?: string; javaScriptEnabled?: boolean } = {}) {
  at.serve('/page', documentWith(html, options.head));
  const page = await openPage({ javaScriptEnabled: options.javaScriptEnabled ?? true });
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
      const html = await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin);
      const page = await paste(at, html, {
        head: `${crossOriginConfig[htmx]}<script src="/${htmx}.js"></script>`,
      });
      await completes(at, page);
      expect(complaintsOf(page)).toEqual([]);
    },
  );

  describe('--script', () => {
    const open = async (at: Stage) =>
      paste(at, await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin, '--script'));

    test('works without htmx, min-fill included', async () => {
      const at = await stage({ forms });
      const page = await open(at);
      await completes(at, page);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a failed delivery and a lost connection say so; what was typed stays; double clicks count once', async () => {
      let isDown = true;
      const at = await stage({
        forms: withoutMinFill,
        sink: { answer: () => ({ status: isDown ? 503 : 200 }) },
      });
      const page = await paste(
        at,
        await formHtml(configOf(withoutMinFill, at), 'contact', '--base-url', at.origin, '--script'),
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

    test('works for several forms of a page', async () => {
      const both = forms + forms.replace('contact:', 'support:');
      const at = await stage({ forms: both });
      const printed = (name: string) =>
        formHtml(configOf(both, at), name, '--base-url', at.origin, '--script');
      const page = await paste(at, (await Promise.all(['contact', 'support'].map(printed))).join('\n'));
      await expect.poll(() => page.locator('input[name=_ts][value]').count()).toBe(2);
      const support = page.locator('#form-support');
      await support.getByLabel('personal').check();
      await support.getByLabel('Email').fill('ada@example.org');
      await support.getByLabel('sales').check();
      at.advance(3_000);
      await support.getByRole('button').click();
      await page.getByText('Thank you, really.').waitFor();
      expect(at.delivered).toHaveLength(1);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('leaves everything to htmx when the page loads it, even later', async () => {
      const at = await stage({ forms: withoutMinFill });
      const html = await formHtml(
        configOf(withoutMinFill, at),
        'contact',
        '--base-url',
        at.origin,
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

    test('is under 2 KB', () => {
      expect(Buffer.byteLength(script.toString())).toBeLessThan(2_048);
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
    expect(page.url()).toBe(`${at.origin}/api/v1/submit/contact`);
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

  test('without JavaScript the one for htmx shows every field, and where to go for min-fill', async () => {
    const at = await stage({ forms });
    const html = await formHtml(configOf(forms, at), 'contact', '--base-url', at.origin);
    const page = await paste(at, html, { javaScriptEnabled: false });
    expect(await page.getByRole('textbox', { name: /^Company/ }).isVisible()).toBe(true);
    await page.getByRole('link', { name: 'this form' }).click();
    expect(page.url()).toBe(`${at.origin}/api/v1/form/contact`);
  });
});

test.each([
  ['an address that is none', ['--base-url', 'forms.example.com'], /expected an address such as https:/],
  ['a fresh token without any script', ['--plain'], /cannot hold a fresh token/],
])('relay form html refuses %s', async (_, options, message) => {
  const config = `forms:${forms.replaceAll('$sink', 'https://example.com')}`;
  await expect(formHtml(config, 'contact', ...options)).rejects.toThrow(message);
});

describeInBrowser('the README: Put a form on your page', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('Put a form on your page')) ?? '';
  const [withHtmx = '', command = '', plain = ''] = [
    ...section.matchAll(/^```(?:html|sh)\n(.*?)^```$/gms),
  ].map(([, text]) => text);
  /** The README's first config, delivered to the sink alone. */
  const config = /^```yaml\nforms:(.*?)^ {4}outputs:/ms.exec(readme)?.[1] ?? '';
  const readmeForms = `${config}    redirect: $sink\n    outputs: [{type: http_post, url: "$sink", mapping: "*"}]\n`;
  const relayAddress = 'https://forms.example.com';

  async function fillInAndSend(page: Page) {
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.org');
    await send(page);
  }

  test('the way with htmx works as shown', async () => {
    const at = await stage({ forms: readmeForms });
    expect(withHtmx).toContain(relayAddress);
    at.serve('/page', documentWith(withHtmx.replaceAll(relayAddress, at.origin)));
    const page = await openPage();
    await page.route('https://cdn.jsdelivr.net/npm/htmx.org@4.0.1/dist/htmx.min.js', (route) =>
      route.fulfill({ path: 'node_modules/htmx4/dist/htmx.min.js' }),
    );
    await page.goto(`${at.host}/page`);
    await fillInAndSend(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toEqual([
      [
        ['email', 'ada@example.org'],
        ['name', 'Ada'],
      ],
    ]);
  });

  test('the way with a script works as shown', async () => {
    const at = await stage({ forms: readmeForms });
    const [relay, form, html, ...rest] = command.trim().replace(relayAddress, at.origin).split(' ');
    expect([relay, form, html]).toEqual(['relay', 'form', 'html']);
    const page = await paste(at, await formHtml(configOf(readmeForms, at), ...rest));
    await fillInAndSend(page);
    await page.getByText('Thank you.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('the way with plain HTML works as shown', async () => {
    const at = await stage({ forms: readmeForms });
    expect(plain).toContain(relayAddress);
    const page = await paste(at, plain.replace(relayAddress, at.origin), { javaScriptEnabled: false });
    await fillInAndSend(page);
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['name', 'Ada']);
  });
});
