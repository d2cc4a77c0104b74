/** `remember` and `resume`: typed text is restored in this browser, or on another device. */
import type { Page } from 'playwright-core';
import {
  describeInBrowser,
  documentWith,
  openPage,
  press,
  type Stage,
  scriptOf,
  stage,
  tagOf,
  violationsIn,
} from './stage.ts';

const fields = `
      - {name: email, type: email, required: true}
      - {name: kind, type: radios, options: [personal, business]}
      - {name: company, visible_when: {field: kind, is: business}}
      - {name: topics, type: checkboxes, options: [boots, hats]}
      - {name: phone, type: tel, country: AT}
      - {name: message, type: textarea}
      - {name: drinks, type: ranking, options: [tea, coffee, water]}
      - {name: iban, remember: false}
      - {name: code, autocomplete: one-time-code}
      - {name: plan, type: file, accept: [text]}
    outputs: [{type: webhook, url: "$sink", mapping: "*", files: none}]`;

const forms = `
  contact:
    title: Write to us
    remember: 7d
    resume: {page: "$page"}
    spam: {honeypot: website}
    fields:${fields}
  steps:
    resume: true
    fields: [{name: email, type: email, required: true}, {name: town, required: true}, {name: letter, required: true}]
    steps: [{title: You, fields: [email]}, {title: Place, fields: [town]}, {title: More, fields: [letter]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

const pages = {
  'the relay’s own page': (at: Stage) => `${at.origin}/f/contact`,
  'a page with the element': (at: Stage) => `${at.host}/page`,
  'a page without the script': (at: Stage) => `${at.origin}/api/v1/form/contact?as=page`,
} as const;

async function begin(way: keyof typeof pages) {
  const at = await stage({
    forms: forms.replace('$page', 'http://127.0.0.1:9/page'),
    env: { FORM_TOKEN_SECRET: 'not so secret', PUBLIC_URL: 'https://forms.acme.example' },
  });
  at.serve('/page', documentWith(tagOf(at), scriptOf(at)));
  return { at, address: pages[way](at) };
}

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage }));

async function go(page: Page, address: string) {
  const script = page.waitForResponse('**/remember.js');
  await page.goto(address);
  await (await script).finished();
  await page.getByLabel('Email').waitFor();
}

async function fill(page: Page) {
  await page.getByLabel('business', { exact: true }).check();
  await page.getByLabel('Company').fill('Engines');
  await page.getByLabel('hats').check();
  await page.getByLabel('Email').fill('ada@example.org');
  await page.locator('input[name=phone]').fill('0316 123456');
  await page.getByLabel('Message').fill('By boat,\nplease.');
  await page.getByRole('button', { name: 'Move up: water' }).click();
  await page.getByLabel('Iban').fill('DE02120300000000202051');
  await page.getByLabel('Code').fill('123456');
}

const filled = async (page: Page) => [
  await page.getByLabel('Email').inputValue(),
  await page.getByLabel('Company').inputValue(),
  await page.getByLabel('hats').isChecked(),
  await page.locator('input[name=phone]').inputValue(),
  await page.getByLabel('Message').inputValue(),
  await page.getByLabel('Iban').inputValue(),
  await page
    .locator('[name=drinks]')
    .evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value).join()),
];
const all = ['ada@example.org', 'Engines', true, '0316 123456', 'By boat,\nplease.', '', 'tea,water,coffee'];

describeInBrowser('saving for later', () => {
  test.each(['the relay’s own page', 'a page with the element'] as const)('remember on %s', async (way) => {
    const { at, address } = await begin(way);
    const page = await openPage({ locale: 'en' });
    await go(page, address);
    await fill(page);
    await page.getByText(/^This browser keeps what you type until \d+ \w+ \d{4}/).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    expect(await kept(page)).toContain('Engines');
    expect(await kept(page)).not.toMatch(/DE0212|123456"\]\],.*code|"code"|website/);
    await go(page, address);
    await page.getByText(/^You began this form on \d+ \w+ \d{4} at \d\d:\d\d\./).waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('');
    expect(await violationsIn(page)).toEqual([]);
    // Typing while the offer is shown does not overwrite the stored draft.
    await page.getByLabel('Email').fill('x');
    await page.getByRole('button', { name: 'Continue' }).focus();
    await page.keyboard.press('Enter');
    expect(await filled(page)).toEqual(all);
    await press(page, 'Delete it');
    expect(await kept(page)).toBe('{}');
    await page.getByLabel('Message').fill('Again.');
    expect(await kept(page)).toContain('Again.');
    await press(page, 'Send');
    await page.getByText('Thank you.').waitFor();
    expect(at.sink.requests).toHaveLength(1);
    expect(await kept(page)).toBe('{}');
  });

  test.each(Object.keys(pages) as (keyof typeof pages)[])('resume on %s', async (way) => {
    const { at, address } = await begin(way);
    const isPlain = way === 'a page without the script';
    const page = await openPage({ locale: 'en', javaScriptEnabled: !isPlain });
    await page.goto(address);
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('hats').check();
    await page
      .getByLabel('Plan')
      .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A plan') });
    await press(page, 'Save for later');
    await page.getByText(/Keep this link to continue/).waitFor();
    const link = (await page.locator('a[href*="_resume="]').getAttribute('href')) ?? '';
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:9\/page\?_resume=/);
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
    if (!isPlain) expect(await violationsIn(page)).toEqual([]);
    expect(at.sink.requests).toHaveLength(0);
    const other = await openPage({ locale: 'en', javaScriptEnabled: !isPlain });
    const query = new URL(link).search;
    at.serve(`/page${query}`, documentWith(tagOf(at), scriptOf(at)));
    await other.goto(isPlain ? `${address}&${query.slice(1)}` : `${at.host}/page${query}`);
    await other.getByText('choose them again: plan.txt').waitFor();
    expect(await other.getByLabel('Email').inputValue()).toBe('ada@example.org');
    expect(await other.getByLabel('hats').isChecked()).toBe(true);
    if (!isPlain) await expect.poll(() => other.url()).not.toContain('_resume');
    await press(other, 'Send');
    await other.getByText('Thank you.').waitFor();
    expect(at.sink.requests).toHaveLength(1);
  });

  test('resume saves at any step, and returns to it', async () => {
    const { at } = await begin('the relay’s own page');
    const page = await openPage({ locale: 'en' });
    await page.goto(`${at.origin}/api/v1/form/steps?as=page`);
    await page.getByLabel('Email').fill('ada@example.org');
    await press(page, 'Next');
    await page.getByLabel('Town').waitFor();
    await press(page, 'Save for later');
    const link = await page.locator('a[href*="_resume="]').getAttribute('href');
    await page.goto(`${at.origin}${(link ?? '').replace('https://forms.acme.example', '')}`);
    await page.getByText('Step 2 of 3').waitFor();
    await press(page, 'Back');
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
  });
});
