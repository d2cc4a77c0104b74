import { describeInBrowser, type Frame, type Page, screenshot, violationsIn } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const forms = `
forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true, autocomplete: name}
      - {name: message, type: textarea}
    outputs:
      - type: smtp
        host: smtp.example.com
        from: Acme website <forms@acme.example>
        to: Office <office@acme.example>
        bcc: archive@acme.example
        reply_to: desk@acme.example
        subject: Message from {{ .fields.name }}
        html: true
        footer: "https://www.acme.example/imprint"
`;

const message = Array.from({ length: 60 }, (_, index) => `line ${index} <img src=https://evil.example/x>`);

const newsletter = `
forms:
  contact:
    fields:
      - {name: email, type: email, required: true, autocomplete: email}
    confirmation: Welcome!
    outputs:
      - {type: http_post, url: "https://list.example.com/", mapping: "*"}
    double_opt_in:
      {to: email, subject: Confirm, text: Was it you?, html: true, through: {type: smtp, host: smtp.example.com}}
`;

/** A studio that has just received a submission. */
async function open(config: string, values: Readonly<Record<string, string>>, options = {}) {
  const { at, page } = await openStudio(config, '/', { reducedMotion: null, ...options });
  await page.getByText('Send the form to see what happens to the submission.').waitFor();
  await at.post('/api/v1/submit/contact', values);
  await page.locator('.report[open]').waitFor();
  return page;
}

const openMail = (options = {}) => open(forms, { name: 'Ada', message: message.join('\n') }, options);

/** Waits for the frame with the mail. */
async function shownFrame(page: Page): Promise<Frame> {
  const shown = page.locator('.letter iframe');
  await shown.scrollIntoViewIfNeeded();
  const frame = await (await shown.elementHandle())?.contentFrame();
  await frame?.locator('body').waitFor();
  if (!frame) throw new Error('no mail is shown');
  return frame;
}

describeInBrowser('a mail in the studio', () => {
  test.each(['light', 'dark'] as const)(
    'is shown in the colour scheme of a %s browser',
    async (colorScheme) => {
      const page = await openMail({ colorScheme });
      await screenshot(page, `mail-${colorScheme}`);
      const frame = await shownFrame(page);
      const back = await frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
      expect(/rgb\([0-4]\d,/.test(back)).toBe(colorScheme === 'dark');
      expect(await violationsIn(page, '#inbox')).toEqual([]);

      await page.getByText('Exact bytes', { exact: true }).last().click();
      await page.getByText('Content-Transfer-Encoding').first().waitFor();
      await page.getByText('Text', { exact: true }).click();
      expect(await page.locator('.mail pre').innerText()).toContain('line 59 <img src=');
      expect(await page.locator('.mail').innerText()).toMatch(/Reply-To\s+desk@acme\.example/);
      expect(await page.locator('.letter').count()).toBe(0);
    },
  );

  test('runs and loads nothing, and only its links lead out', async () => {
    const requests: string[] = [];
    const page = await openMail();
    await page.context().route(/acme\.example|evil\.example/, (route) => {
      requests.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<title>Imprint</title>' });
    });
    const frame = await shownFrame(page);
    expect(await frame.locator('script, img, link, iframe').count()).toBe(0);
    const link = frame.getByRole('link', { name: 'https://www.acme.example/imprint' });
    // A busy Chromium may lose a click into a frame that it has just painted.
    const follow = async () => {
      const opened = page.waitForEvent('popup', { timeout: 10_000 });
      await link.click();
      return opened;
    };
    const popup = await follow().catch(follow);
    await expect.poll(() => popup.title()).toBe('Imprint');
    expect(popup.url()).toBe('https://www.acme.example/imprint');
    expect(await popup.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
    expect(new Set(requests)).toEqual(new Set(['https://www.acme.example/imprint']));
    expect(await frame.locator('body').isVisible()).toBe(true);
  });

  test('that waits for confirmation is clicked in the mail itself, or next to it', async () => {
    const page = await open(newsletter, { email: 'ada@example.org' });
    await page.getByText('receive the submission when the link is clicked').waitFor();
    const link = page.getByRole('link', { name: 'Click the link, as the visitor does' });
    expect(await link.getAttribute('href')).toMatch(/^\/api\/v1\/confirm\/contact\?t=/);
    const opened = page.waitForEvent('popup');
    await (await shownFrame(page)).getByRole('link', { name: 'Confirm', exact: true }).click();
    await (await opened).getByText('Welcome!').waitFor();
    const confirmed = page.locator('.report').first();
    await confirmed.getByText('Delivered', { exact: true }).waitFor();
    expect(await confirmed.innerText()).toContain('Confirmed 1 field, held in the link that was clicked');
  });
});
