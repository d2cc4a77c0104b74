import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { StageOptions } from '../../apps/studio/test/studio/stage.ts';
import { listen } from '../support/listen.ts';
import { describeInBrowser, type FrameLocator, type Page, type PageOptions } from './stage.ts';
import { openStudio, putOnSite, signIn } from './visit_studio.ts';

const forms = `
forms:
  contact:
    title: Write to us
    confirmation: Thank you!
    redirect: https://www.example.com/thanks
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: message, type: textarea}
    outputs:
      - type: http_post
        url: https://hooks.acme.dev/contact
        headers: {Authorization: Bearer swordfish}
        mapping: {full_name: name, mail: email, interest: topics}
      - type: smtp
        host: smtp.acme.dev
        to: office@acme.dev
        reply_to: "{{ .fields.email }}"
        subject: Message from {{ .fields.name }}
        mapping: "*"
        on_error: continue
  guarded:
    fields:
      - {name: email, type: email, required: true}
    spam: {honeypot: website, min_fill_seconds: 3, too_fast: drop}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/guarded", mapping: "*"}
`;

async function open(
  config: string | StageOptions = forms,
  query = '?form=contact&tab=try',
  options: PageOptions = {},
) {
  const { at, page } = await openStudio(config, `/${query}`, { reducedMotion: null, ...options });
  const form = page.frameLocator('#frame');
  await form.locator('form').waitFor();
  return { at, page, form };
}

/** Waits for the newest submission in the inbox. */
const report = (page: Page) => page.locator('.report').first();

/** Submits the form regardless of the browser's validation, and waits for the inbox. */
async function send(page: Page, form: FrameLocator) {
  const before = await page.locator('.report').count();
  await form.locator('form').evaluate((element: HTMLFormElement) => {
    element.noValidate = true;
  });
  await form.locator('button[type=submit]').click();
  await page.locator('.report').nth(before).waitFor({ state: 'attached' });
}

async function fillIn(form: FrameLocator) {
  await form.getByLabel('Name').fill('Ada');
  await form.getByLabel('Email').fill('ada@example.org');
  for (const topic of ['sales', 'press']) await form.getByLabel(topic).check();
}

describeInBrowser('the studio', () => {
  test('an invalid value is reported at its field', async () => {
    const { page, form } = await open();
    await form.getByLabel('Email').fill('nobody');
    await send(page, form);
    const shown = report(page);
    expect(await shown.locator('.badge').innerText()).toBe('Not valid');
    expect(await shown.innerText()).toMatch(/name: Enter .*\. email: Enter /);
    expect(await shown.innerText()).toContain('Not reached: outputs');
    expect(await shown.innerText()).toContain('Answered 422 with JSON');
    expect(await shown.getByRole('row', { name: 'email nobody' }).isVisible()).toBe(true);
    await form.locator('.field-error').first().waitFor();
  });

  test('a filled honeypot, a form sent too fast, and one sent too late', async () => {
    const { at, page, form } = await open(forms, '?form=guarded&tab=try');
    await form.getByLabel('Email').fill('ada@example.org');
    await form.locator('[name=website]').evaluate((decoy: HTMLInputElement) => {
      decoy.value = 'https://spam.example/';
    });
    await send(page, form);
    expect(await report(page).locator('.badge').innerText()).toBe('Dropped');
    expect(await report(page).innerText()).toContain('by honeypot');
    expect(await report(page).innerText()).toContain('Not reached: min-fill, validation, outputs');

    const again = async () => {
      await page.getByRole('button', { name: 'Start over' }).click();
      await form.getByLabel('Email').fill('ada@example.org');
    };
    await again();
    await send(page, form);
    expect(await report(page).innerText()).toContain('by min_fill');

    await again();
    at.advance(3_000);
    await send(page, form);
    expect(await report(page).locator('.badge').innerText()).toBe('Delivered');
    expect(await report(page).innerText()).toMatch(/Min-fill sent \d\S* s after the form was shown/);

    await again();
    at.advance(7_200_001);
    await send(page, form);
    await page.locator('.report').nth(4).waitFor();
    const words = await page.locator('.report .badge').allInnerTexts();
    // The element resends the form automatically, with the new token.
    expect(words.slice(0, 2)).toEqual(['Delivered', 'Expired']);
  });

  test.each(['recaptcha_v2', 'recaptcha_v3', 'hcaptcha', 'turnstile'])(
    'a stub for %s lets the form be sent',
    async (provider) => {
      const config = `
forms:
  contact:
    fields: [{name: name, required: true}]
    captcha: {provider: ${provider}, secret: x, site_key: y}
    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`;
      const { page, form } = await open(config, '?tab=try');
      await form.getByLabel('Name').fill('Ada');
      await send(page, form);
      expect(await report(page).locator('.badge').innerText()).toBe('Delivered');
      expect(await report(page).innerText()).toContain(`Captcha ${provider} accepts the token`);
    },
  );

  test('typed and chosen values stay when the config is saved, even when fields are added', async () => {
    const rich = (more = '') => `
forms:
  order:
    fields:
      - {name: name}
      - {name: note, type: textarea}
      - {name: kind, type: radios, options: [me, company], value: me}
      - {name: company, visible_when: {field: kind, is: company}}
      - {name: size, type: select, options: [small, large]}
      - {name: extras, type: checkboxes, options: [lid, bag]}
      - {name: news, type: checkbox, value: "on"}
${more}    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`;

    const { at, form } = await open(rich(), '?tab=try');
    await form.getByLabel('Name').fill('Ada');
    await form.getByLabel('Note').fill('two\nlines');
    await form.getByLabel('company', { exact: true }).check();
    await form.getByRole('textbox', { name: 'Company' }).fill('Engines');
    await form.getByLabel('Size').selectOption('large');
    await form.getByLabel('bag').check();
    await form.getByLabel('News').uncheck();
    await at.edit(rich('      - {name: vat, label: VAT number}\n'));
    await form.getByLabel('VAT number').waitFor();
    await form.getByRole('textbox', { name: 'Company' }).waitFor();
    await expect.poll(() => form.getByRole('textbox', { name: 'Company' }).inputValue()).toBe('Engines');
    expect(await form.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await form.getByLabel('Note').inputValue()).toBe('two\nlines');
    expect(await form.getByLabel('company', { exact: true }).isChecked()).toBe(true);
    expect(await form.getByLabel('Size').inputValue()).toBe('large');
    expect([await form.getByLabel('lid').isChecked(), await form.getByLabel('bag').isChecked()]).toEqual([
      false,
      true,
    ]);
    expect(await form.getByLabel('News').isChecked()).toBe(false);
  });

  test('a studio that stops says so; after a restart, it shows its own inbox, and the typed text', async () => {
    const { at, page, form } = await open(forms, undefined, { complains: /ERR_/ });
    await fillIn(form);
    await send(page, form);
    await page.getByRole('button', { name: 'Start over' }).click();
    await form.getByLabel('Name').fill('Grace');
    at.stop();
    await page.getByRole('status').getByText('The studio has stopped').waitFor();
    await page.locator('#lost').waitFor();
    await at.restart();
    await signIn(page, at);
    await page.getByText('Send the form to see what happens').waitFor();
    expect(await page.locator('.report').count()).toBe(0);
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Grace');
    await page.locator('#lost').waitFor({ state: 'detached' });
  });

  test.each(['HTML', 'htmx 2', 'htmx 4'] as const)(
    'the code for %s shows the form on another server’s page',
    async (name) => {
      const { at, page } = await open(forms.replace('    redirect: https://www.example.com/thanks\n', ''));
      await putOnSite(page, at.origin);
      await page.locator('.site').getByText(name, { exact: true }).click();
      const snippet = await page.locator('.site pre').first().textContent();
      const mode = name === 'htmx 2' ? 'htmx2' : 'htmx4';
      const htmx = readFileSync(createRequire(import.meta.url).resolve(`${mode}/dist/htmx.min.js`), 'utf8');
      const site = http.createServer((_, answer) =>
        answer.setHeader('content-type', 'text/html').end(snippet),
      );
      const port = await listen(site);
      onTestFinished(() => void site.close());
      const own = await page.context().newPage();
      await own.route('https://cdn.jsdelivr.net/npm/htmx.org@*/dist/htmx.min.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: htmx }),
      );
      await own.goto(`http://127.0.0.1:${port}/`);
      const notice = own.getByText('Served by the Form Relay studio, which delivers nothing.');
      await notice.waitFor();
      await own.getByLabel('Name').fill('Ada');
      await own.getByLabel('Email').fill('ada@example.org');
      await own.getByRole('button', { name: 'Send' }).click();
      await own.getByText('Thank you!').waitFor();
      expect(await notice.filter({ visible: true }).count()).toBe(1);
      await report(page).waitFor();
      expect(await report(page).locator('.badge').innerText()).toBe('Delivered');
    },
  );

  test('the keyboard is sufficient', async () => {
    const { page, form } = await open();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the form');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('form');
    await page.keyboard.press('ArrowDown');
    await form.getByLabel('Name').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp');
    await form.getByLabel('Name').waitFor();
    const tab = page.getByRole('radio', { name: 'Try', exact: true }).first();
    await tab.press('ArrowLeft');
    await page.locator('.build').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.build').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Fill in' }).press('Enter');
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    await form.getByLabel('Message').press('Tab');
    await page.keyboard.press('Enter');
    await report(page).waitFor();
    await form.getByText('The visitor would now be here').waitFor();
    const summary = report(page).locator('summary').first();
    await summary.press('Enter');
    expect(await report(page).getAttribute('open')).toBeNull();
    await summary.press('Enter');
    const request = report(page).getByRole('radio', { name: 'Request' });
    await request.press('ArrowRight');
    expect(await report(page).getByText('POST /contact').isVisible()).toBe(true);
  });
});
