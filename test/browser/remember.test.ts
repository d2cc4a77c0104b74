/** `remember: 7d`: the browser keeps what was typed, and offers it to a visitor who comes back. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { rememberCode } from '../../packages/element/built/remember.ts';
import {
  complaintsOf,
  describeInBrowser,
  documentWith,
  openPage,
  type Stage,
  stage,
  violationsIn,
} from './stage.ts';

const forms = `
  contact:
    title: Write to us
    remember: 7d
    spam: {honeypot: website}
    fields:
      - {name: email, type: email, required: true}
      - {name: kind, type: radios, options: [personal, business]}
      - {name: company, visible_when: {field: kind, is: business}}
      - {name: topics, type: checkboxes, options: [boots, hats]}
      - {name: phone, type: tel, country: DE}
      - {name: message, type: textarea}
      - {name: iban, remember: false}
      - {name: tax, autocomplete: off}
      - {name: code, autocomplete: one-time-code}
      - {name: source, type: hidden, value: ad}
      - {name: plan, type: file, accept: [text]}
    outputs: [{type: webhook, url: "$sink", mapping: "*", files: none}]
  other:
    fields: [{name: email, type: email}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

const ways = {
  'the relay’s own page': (at: Stage) => `${at.origin}/api/v1/form/contact`,
  'a page with the script': (at: Stage) => {
    at.serve(
      '/page',
      documentWith(
        `<relay-form src="${at.origin}/api/v1/form/contact"></relay-form>\n`,
        `<script src="${at.origin}/api/v1/form.js" defer></script>\n`,
      ),
    );
    return `${at.host}/page`;
  },
} as const;
type Way = (typeof ways)[keyof typeof ways];

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage }));
const offer = (page: Page) => page.getByText(/^You began this form on \d+ \w+ \d{4} at \d\d:\d\d\./);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function go(page: Page, address: string) {
  const part = page.waitForResponse('**/remember.js');
  await page.goto(address);
  await (await part).finished();
  // Importing the part ends after it arrived.
  await page.getByLabel('Email').waitFor();
  await page.waitForTimeout(50);
}

async function fill(page: Page) {
  await page.getByLabel('business', { exact: true }).check();
  await page.getByLabel('Company').fill('Engines');
  await page.getByLabel('hats').check();
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Country').selectOption('AT');
  await page.locator('input[name=phone]').fill('0316 123456');
  await page.getByLabel('Message').fill('By boat,\nplease.');
}

const filled = async (page: Page) => [
  await page.getByLabel('Email').inputValue(),
  await page.getByLabel('business', { exact: true }).isChecked(),
  await page.getByLabel('Company').inputValue(),
  await page.getByLabel('boots').isChecked(),
  await page.getByLabel('hats').isChecked(),
  await page.locator('select[name=phone]').inputValue(),
  await page.locator('input[name=phone]').inputValue(),
  await page.getByLabel('Message').inputValue(),
];
const all = ['ada@example.org', true, 'Engines', false, true, 'AT', '0316 123456', 'By boat,\nplease.'];

describeInBrowser('remember', () => {
  test('the script is small', () => {
    expect(gzipSync(rememberCode, { level: 9 }).length).toBeLessThan(1_800);
  });

  describe('what was typed', () => {
    const begin = async (way: Way = ways['a page with the script']) => {
      const at = await stage({ forms });
      const address = way(at);
      const page = await openPage();
      await go(page, address);
      return { at, address, page };
    };

    test.each(Object.entries(ways))(
      '%s: is offered, filled in when asked, and forgotten once it is sent',
      async (_, way) => {
        const { at, address, page } = await begin(way);
        expect(await offer(page).count()).toBe(0);
        await fill(page);
        await go(page, address);
        await offer(page).waitFor();
        expect(await page.getByLabel('Email').inputValue()).toBe('');
        expect(await violationsIn(page)).toEqual([]);
        await press(page, 'Continue');
        expect(await filled(page)).toEqual(all);
        expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
        expect(await offer(page).count()).toBe(0);
        await press(page, 'Send');
        await page.getByText('Thank you.').waitFor();
        expect(at.sink.requests).toHaveLength(1);
        expect(await kept(page)).toBe('{}');
        await go(page, address);
        expect(await offer(page).count()).toBe(0);
        expect(complaintsOf(page)).toEqual([]);
      },
    );

    test('a visitor who starts anew leaves nothing behind', async () => {
      const { address, page } = await begin();
      await fill(page);
      await go(page, address);
      await press(page, 'Start anew');
      expect(await kept(page)).toBe('{}');
      await go(page, address);
      expect(await offer(page).count()).toBe(0);
    });

    test('secrets, files, hidden values, the decoy and fields that opt out are never kept', async () => {
      const { page } = await begin();
      await page.getByLabel('Iban').fill('DE02120300000000202051');
      await page.getByLabel('Tax').fill('tax-number');
      await page.getByLabel('Code').fill('123456');
      await page.getByLabel('Plan').setInputFiles({
        name: 'plan.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('A plan'),
      });
      await page.locator('[name=website]').evaluate((input: HTMLInputElement) => {
        input.value = 'decoy';
        input.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await page.getByLabel('Message').fill('Hello.');
      const stored = await kept(page);
      expect(stored).toContain('Hello.');
      expect(stored).not.toMatch(/DE0212|tax-number|123456|plan|decoy|"ad"|source/);
    });

    test('once its time is over it is deleted, and what no longer fits is ignored', async () => {
      const { address, page } = await begin();
      await fill(page);
      const change = (changes: object) =>
        page.evaluate((changes) => {
          const [place = ''] = Object.keys(localStorage);
          localStorage[place] = JSON.stringify({ ...JSON.parse(localStorage[place]), ...changes });
        }, changes);
      const { until } = JSON.parse(Object.values(JSON.parse(await kept(page)))[0] as string);
      expect(Math.abs(until - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
      await page.goto(address.replace('contact', 'other'));
      await change({
        typed: [
          ['gone', ['x']],
          ['iban', ['DE02']],
          ['email', ['ada@example.org']],
          ['topics', ['caps']],
        ],
      });
      await go(page, address);
      await press(page, 'Continue');
      expect(await filled(page)).toEqual(['ada@example.org', false, '', false, false, 'DE', '', '']);
      expect(await page.getByLabel('Iban').inputValue()).toBe('');
      await page.goto('about:blank');
      await page.goto(address.replace('contact', 'other'));
      await change({ until: 1 });
      await go(page, address);
      expect(await offer(page).count()).toBe(0);
      expect(await kept(page)).toBe('{}');
    });

    test('no storage, a full one, and rubbish in it do no harm', async () => {
      const at = await stage({ forms });
      const address = ways['a page with the script'](at);
      const page = await openPage();
      await page.addInitScript(() => {
        if (location.hash === '#none')
          Object.defineProperty(window, 'localStorage', {
            get() {
              throw new DOMException('', 'SecurityError');
            },
          });
        else if (location.hash === '#full')
          Storage.prototype.setItem = () => {
            throw new DOMException('', 'QuotaExceededError');
          };
        else if (location.protocol === 'http:')
          localStorage.setItem(`form-relay begun ${location.origin}/api/v1/submit/contact`, '{"typed":3}');
      });
      for (const hash of ['#none', '#full', '#rubbish']) {
        await page.goto('about:blank');
        await go(page, address + hash);
        await fill(page);
        await press(page, 'Send');
        await page.getByText('Thank you.').waitFor();
      }
      expect(at.sink.requests).toHaveLength(3);
      expect(complaintsOf(page)).toEqual([]);
    });
  });

  test('a form without it loads nothing and is the same', async () => {
    const at = await stage({ forms });
    const page = await openPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${at.origin}/api/v1/form/other?as=page`);
    await page.getByLabel('Email').fill('ada@example.org');
    expect(asked).toEqual(['/api/v1/form/other']);
    expect(await kept(page)).toBe('{}');
  });
});
