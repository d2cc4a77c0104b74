import { gate } from '../support/gate.ts';
import { describeInBrowser, documentWith, openPage, openWithHtmx, type Page, send, stage } from './stage.ts';

const contact = `
  contact:
    confirmation: We will <b>be in touch</b>.
    fields:
      - {name: first_name, required: true}
      - {name: email, type: email, required: true, help: Only to answer you.}
      - {name: topics, type: checkboxes, options: [sales, support, press], min_choices: 2}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const minFill = contact.replace('fields:', 'spam: {min_fill_seconds: 3, form_ttl: 1h}\n    fields:');
const conditional = `
  order:
    fields:
      - {name: kind, type: radios, options: [personal, business], value: personal}
      - {name: company, visible_when: {field: kind, is: business}}
      - {name: vat, visible_when: {field: company, filled: true}}
      - {name: nick, visible_when: {field: kind, is: personal}}
      - {name: notes, type: textarea}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

const form = (page: Page, id = 'contact') => page.locator(`form[action$="/${id}"]`);
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.className);

/** Waits until htmx has processed the inserted markup. */
const settled = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('.htmx-added, .htmx-settling, .htmx-swapping'));

async function fillIn(page: Page) {
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.org');
}

/** Holds the relay's next answer to these requests until the returned function is called. */
async function hold(page: Page, url: string): Promise<{ arrived: Promise<void>; release: () => void }> {
  const { open: release, opened: released } = gate();
  const { open: arrive, opened: arrived } = gate();
  await page.route(url, async (route) => {
    arrive();
    await released;
    await route.continue();
  });
  return { arrived, release };
}

const variants = [
  { htmx: 'htmx2', origin: 'cross' },
  { htmx: 'htmx4', origin: 'same' },
] as const;

describeInBrowser('htmx', () => {
  describe.each(variants)('$htmx with default settings, $origin origin', ({ htmx, origin }) => {
    const opened = async (options: Parameters<typeof stage>[0], form = 'contact', complains?: RegExp) => {
      const at = await stage(options);
      const page = await openPage(complains && { complains });
      return { at, page: await openWithHtmx(at, htmx, origin, [form], page) };
    };

    test('the confirmation replaces the form, and gets the focus', async () => {
      const { at, page } = await opened({ forms: contact });
      await fillIn(page);
      await send(page);
      await page.getByText('We will <b>be in touch</b>.').waitFor();
      await expect.poll(() => focused(page)).toMatch(/^form-confirmation\b/);
      expect(await form(page).count()).toBe(0);
      expect(at.bodies).toEqual(['email=ada@example.org&first_name=Ada']);
    });

    test('a failed validation is shown in place: values kept, error linked, and focused (WCAG 3.3.1)', async () => {
      const { at, page } = await opened({ forms: contact });
      await fillIn(page);
      await page.getByLabel('sales').check();
      await send(page);
      await page.locator('.field-error').getByText('You chose 1. Choose at least 2.').waitFor();
      expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
      const box = page.getByLabel('sales');
      expect(await box.isChecked()).toBe(true);
      await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await box.getAttribute('aria-invalid')).toBe('true');
      const described = await box.evaluate((element) =>
        (element.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent),
      );
      expect(described).toEqual(['Choose at least 2.', 'You chose 1. Choose at least 2.']);
      await page.getByLabel('press').check();
      await send(page);
      await page.locator('.form-confirmation').waitFor();
      expect(at.delivered).toHaveLength(1);
    });

    test('an expired form says so, and the typed text stays', async () => {
      const { at, page } = await opened({ forms: minFill });
      await fillIn(page);
      at.advance(3_600_001);
      await send(page);
      await page.getByRole('alert').getByText('form expired, please reload').waitFor();
      expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
      expect(await page.locator('.form-status > ul.form-errors > li').count()).toBe(1);
      await page.getByLabel('First name').fill('Ada L.');
      await send(page);
      await page.locator('.form-confirmation').waitFor();
      expect(at.delivered[0]).toContainEqual(['first_name', 'Ada L.']);
    });

    test('fields appear and disappear, in chains; the focus and the typed text stay', async () => {
      const { at, page } = await opened({ forms: conditional }, 'order');
      await page.getByLabel('Notes').fill('typed before');
      await page.getByLabel('business').check();
      await page.getByLabel('Company').waitFor();
      expect(await page.getByLabel('Nick').count()).toBe(0);
      expect(await page.getByLabel('Vat').count()).toBe(0);
      expect(
        await page.getByLabel('business').evaluate((element) => element === document.activeElement),
      ).toBe(true);
      await settled(page);
      await page.getByLabel('Company').fill('Engines');
      await page.getByLabel('Company').press('Tab');
      await page.getByLabel('Vat').fill('GB 1');
      await page.getByLabel('personal').check();
      await page.getByLabel('Nick').waitFor();
      expect((await page.getByLabel('Company').count()) + (await page.getByLabel('Vat').count())).toBe(0);
      expect(await page.getByLabel('Notes').inputValue()).toBe('typed before');
      await page.getByLabel('Nick').fill('Countess');
      await send(page);
      await page.locator('.form-confirmation').waitFor();
      expect(at.bodies).toEqual(['kind=personal&nick=Countess&notes=typed before']);
    });

    test('a lost connection is reported, the typed text stays, and a second attempt can succeed', async () => {
      const { at, page } = await opened({ forms: contact }, 'contact', /ERR_INTERNET|Failed to fetch|htmx:/);
      await fillIn(page);
      await page.context().setOffline(true);
      await send(page);
      await page.getByRole('alert').getByText('check your connection').waitFor();
      await page.context().setOffline(false);
      await send(page);
      await page.locator('.form-confirmation').waitFor();
      expect(at.delivered).toHaveLength(1);
    });

    test('a second click sends nothing', async () => {
      const { at, page } = await opened({ forms: contact });
      await fillIn(page);
      const { arrived, release } = await hold(page, '**/api/v1/submit/**');
      const button = page.getByRole('button', { name: 'Send' });
      await button.dblclick();
      await arrived;
      await button.click({ force: true });
      await page.getByLabel('First name').press('Enter');
      release();
      await page.locator('.form-confirmation').waitFor();
      expect(at.delivered).toHaveLength(1);
    });

    test('text typed while fields are being fetched is not lost', async () => {
      const { page } = await opened({ forms: conditional }, 'order');
      await page.getByLabel('business').check();
      await settled(page);
      await page.getByLabel('Company').fill('Eng');
      const { arrived, release } = await hold(page, '**/api/v1/form/**');
      await page.getByLabel('Company').press('Tab');
      await arrived;
      await page.getByLabel('Company').fill('Engines');
      release();
      await page.getByLabel('Vat').waitFor();
      expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    });

    test('a policy without inline scripts and eval reduces comfort, but loses no submissions', async () => {
      const at = await stage({ forms: contact });
      const swapErrors =
        '{"includeIndicatorStyles": false, "responseHandling": [{"code": "204", "swap": false}, {"code": "...", "swap": true}]}';
      const config = htmx === 'htmx2' ? `<meta name="htmx-config" content='${swapErrors}'>` : '';
      const head = `${config}<script src="/${htmx}.js"></script>`;
      const loader = '<div hx-get="/api/v1/form/contact" hx-trigger="load"></div>';
      at.serve('/page', documentWith(loader, head), { 'content-security-policy': "default-src 'self'" });
      const page = await openPage({ url: `${at.host}/page`, complains: /Content Security Policy/ });
      await fillIn(page);
      await page.getByLabel('sales').check();
      await send(page);
      await page.locator('.field-error').waitFor();
      await page.getByLabel('press').check();
      await send(page);
      await page.locator('.form-confirmation').waitFor();
      expect(at.delivered).toHaveLength(1);
    });
  });
});
