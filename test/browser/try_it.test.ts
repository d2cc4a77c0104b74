/** "Try it": the relay in a page. What it shows is compared with the relay in Node in try_it_same.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { complaintsOf, describeInBrowser, isNotAboutFocus, openPage, violationsIn } from './stage.ts';
import { editor, folder, fragmentOf, mount, openTryIt, showTab, typed } from './try_it_stage.ts';

const contact = `
forms:
  contact:
    confirmation: Thank you!
    fields: [{name: name, required: true}, {name: email, type: email, required: true}]
    outputs:
      - {type: http_post, url: "https://hooks.example.com/contact", mapping: {full_name: name}}
      - {type: smtp, host: smtp.example.com, from: a@example.com, to: office@example.com, subject: Hello, mapping: "*"}
`;

describeInBrowser('Try it', () => {
  test('a form that came with the link is filled in, sent, and shown with all that would be delivered', async () => {
    const { page, form, requests, address } = await openTryIt(fragmentOf(contact));
    await form.getByLabel('Name').fill('Ada');
    await form.getByLabel('Email').fill('ada@example.org');
    await form.getByRole('button').click();
    await form.getByText('Thank you!').waitFor();
    const story = page.locator('.story').first();
    expect(await story.innerText()).toContain('to 2 of 2 outputs');
    await story.getByText('Exact bytes').first().click();
    expect(await story.innerText()).toContain('full_name=Ada');
    // The whole visit: another form from a template, a link, a submission.
    await page.getByRole('button', { name: 'New form' }).click();
    await page.locator('dialog[open] [data-template=callback] > button').click();
    await showTab(page, 'Try');
    await form.locator('form[action*="/callback"]').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => page.url()).toMatch(/#1\.[\w-]+$/);
    await page.getByRole('button', { name: 'Fill in' }).click();
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    await form.locator('button[type=submit]').click();
    await expect.poll(() => page.locator('.story').count()).toBe(2);
    expect(requests.filter((url) => !url.startsWith(address))).toEqual([]);
    // Browsers keep what stands after `#` to themselves, and nothing else says it.
    expect(requests.join(' ')).not.toMatch(/ada|1\.[\w-]{30}/i);
    expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
  });

  test('the application is under 258 KB, as servers compress it, and the relay of a first visit under 266', async () => {
    const path = await folder();
    const { page, form, asked } = await openTryIt(fragmentOf(contact));
    await form.getByLabel('Name').fill('Ada');
    await form.getByLabel('Email').fill('ada@example.org');
    await form.getByRole('button').click();
    await page.locator('.story').waitFor();
    await editor(page).fill(contact.replace('type: email', 'type: emial'));
    await page.locator('#problems').getByText('did you mean email?').waitFor();
    const names = asked.map((url) => url.split('?', 1)[0]?.slice(mount.length) || 'index.html');
    const sizeOf = (wanted: (name: string) => boolean) =>
      [...new Set(names)]
        .filter(wanted)
        .reduce((sum, name) => sum + gzipSync(readFileSync(join(path, name))).length, 0);
    const isApplication = (name: string) => /^try_it\.(?:js|css)$/.test(name);
    expect(names.filter(isApplication)).toHaveLength(2);
    expect(sizeOf(isApplication)).toBeLessThan(258_000);
    expect(sizeOf((name) => /^parts\/|\.html$/.test(name))).toBeLessThan(266_000);
  });

  test('says that it is loading, what it lacks, and why it does not run', async () => {
    const page = await openPage({ isAlone: true, javaScriptEnabled: false });
    await page.goto(`file://${await folder()}/index.html`);
    expect(await page.locator('#studio').innerText()).toMatch(/The relay is loading.*needs JavaScript/s);
    const other = await openPage({ isAlone: true });
    await other.route('**/boot.js', (route) => route.abort());
    await other.goto(`file://${await folder()}/index.html`);
    await other.getByText('It does not run here: parts/boot.js could not be loaded').waitFor();
  });

  test('a page without scripts, a file, a captcha and a mail as people see it work as with a server', async () => {
    const { page, form } = await openTryIt(
      fragmentOf(`
forms:
  apply:
    fields: [{name: name}, {name: cv, type: file, accept: [pdf], max_size: 1 MB}]
    captcha: {provider: turnstile, site_key: k, secret: '{{ env "TURNSTILE_SECRET" }}'}
    outputs:
      - {type: smtp, host: smtp.example.com, from: a@example.com, to: b@example.com, subject: Hi, mapping: "*", html: true}
`),
    );
    for (const mode of ['Element', 'No script']) {
      await page.locator('#look-mode').selectOption({ label: mode });
      await form.getByText('A bot').waitFor();
      await page.getByRole('button', { name: 'Fill in' }).click();
      await expect
        .poll(() =>
          form.locator('input[type=file]').evaluate((one) => (one as HTMLInputElement).files?.length),
        )
        .toBe(1);
      await form.getByText('A human').click();
      const before = await page.locator('.story').count();
      await form.locator('button[type=submit]').click();
      await expect.poll(() => page.locator('.story').count()).toBe(before + 1);
      const story = page.locator('.story').first();
      expect(await story.innerText()).toContain('Delivered');
      const letter = story.frameLocator('iframe.light');
      await letter.getByText('sample.pdf').first().waitFor();
    }
  });

  test('a link is made, read again, and refused where it is broken; the page says so and runs nothing', async () => {
    const { page, form, address } = await openTryIt();
    await editor(page).fill(contact.replace('Thank you!', 'Danke! \u{1F600}'));
    await page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => page.url()).toContain('#1.');
    const shared = page.url();
    await page.goto('about:blank');
    await page.goto(shared);
    await page.getByText('This config came with the link').waitFor();
    expect(await typed(page)).toContain('Danke! \u{1F600}');
    await showTab(page, 'Try');
    await form.getByLabel('Name').waitFor();
    for (const [fragment, says] of [
      ['#1.!', 'damaged'],
      ['#1.AAAA', 'damaged'],
      [shared.slice(shared.indexOf('#'), -9), 'damaged'],
      ['#2.AAAA', 'another version'],
      [fragmentOf('a'.repeat(70_000)), 'over 64 KB'],
      [`#1.${'A'.repeat(100_000)}`, 'over 64 KB'],
      [`#1.${'<img src=x onerror=alert(1)>'}`, 'damaged'],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(address + fragment);
      await page.locator('body[data-ready]').waitFor();
      expect(await page.locator('.linked').innerText(), fragment.slice(0, 20)).toContain(says);
      expect(await typed(page)).toContain('Change anything');
    }
  });

  test('a worker that hangs is ended; the text stays, and is read again when it is changed', async () => {
    const { page, form } = await openTryIt(fragmentOf(contact));
    void page
      .workers()[0]
      ?.evaluate(() => {
        for (;;);
      })
      .catch(() => undefined);
    await editor(page).fill(contact.replace('Thank you!', 'Thanks!'));
    await page.locator('#problems').getByText('it took too long, so it was stopped').waitFor();
    expect(await typed(page)).toContain('Thanks!');
    await editor(page).fill(contact.replace('Thank you!', 'Thanks again!'));
    await form.getByLabel('Name').fill('Ada');
    await form.getByLabel('Email').fill('ada@example.org');
    await form.getByRole('button').click();
    await form.getByText('Thanks again!').waitFor();
  });

  test('a pattern that would take for ever ends in a worker of its own, and the page goes on', async () => {
    const { page, form } = await openTryIt(
      fragmentOf(`
forms:
  slow:
    fields: [{name: code, pattern: "(a|a)*b|(a+)+c"}]
    outputs: [{type: http_post, url: "https://hooks.example.com/"}]
`),
    );
    await form.getByLabel('Code').fill('a'.repeat(60));
    await form.locator('form').evaluate((one) => {
      (one as HTMLFormElement).noValidate = true;
    });
    await form.getByRole('button').click();
    await page.locator('.story').waitFor();
    expect(await page.locator('.story').innerText()).toContain('Not valid');
    expect(await page.locator('#problems').innerText()).not.toContain('stopped');
  });

  test.each([
    ['at a desk', { viewport: { width: 1440, height: 900 } }],
    [
      'on a small phone in the dark',
      { viewport: { width: 320, height: 640 }, hasTouch: true, colorScheme: 'dark' },
    ],
  ] as const)('axe-core finds nothing %s, and nothing is wider than the page', async (_, options) => {
    const { page, form } = await openTryIt(fragmentOf(contact), options);
    const check = async () => {
      expect(await violationsIn(page)).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    };
    await check();
    await form.getByLabel('Name').fill('Ada');
    await form.getByLabel('Email').fill('ada@example.org');
    await form.getByRole('button').click();
    await page.locator('.story').waitFor({ state: 'attached' });
    if (options.viewport.width < 700) await showTab(page, 'Arrived 1');
    await page.locator('.story').waitFor();
    await page.getByText('What else is different here').click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('the link holds').first().waitFor();
    await check();
  });
});
