import { httpSink } from '../support/index.ts';
import { describeInBrowser, openPage, stage } from './stage.ts';

const forms = `
  contact:
    title: Contact us
    redirect: $sink
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: email, type: email, required: true}
      - {name: reference, type: hidden, value: ad}
    spam: {honeypot: website, min_fill_seconds: 3, form_ttl: 1h}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

/** Opens the form's own page in a browser without JavaScript. */
async function open(options: Partial<Parameters<typeof stage>[0]> = {}) {
  const at = await stage({ forms, ...options });
  const page = await openPage({ url: `${at.origin}/api/v1/form/contact`, javaScriptEnabled: false });
  const sendAs = async (kind: 'personal' | 'business', waitMs = 3_000) => {
    await page.getByLabel(kind, { exact: true }).check();
    await page.getByLabel('Email').fill('ada@example.org');
    at.advance(waitMs);
    await page.getByRole(send.role, send).click();
  };
  return { at, page, sendAs };
}
const send = { role: 'button', name: 'Send' } as const;

describeInBrowser('plain browsers, without JavaScript', () => {
  test('a failed submission gets a complete page: values kept, focus on the error, immediate correction accepted', async () => {
    const { at, page, sendAs } = await open();
    await sendAs('business');
    await page.getByText('Enter a value.').waitFor();
    expect(await page.title()).toBe('Error: Contact us');
    expect(await page.getByLabel('business', { exact: true }).isChecked()).toBe(true);
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
    const company = page.getByLabel('Company');
    expect(await page.locator(':focus').getAttribute('name')).toBe('company');
    expect(await company.getAttribute('aria-describedby')).toBe('form-contact--company--error');
    await company.fill('Engines');
    await page.getByRole(send.role, send).click();
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['company', 'Engines']);
  });

  test('after a failed submission, Enter in the address bar leads to the form, with a sentence for visitors', async () => {
    const { at, page, sendAs } = await open();
    await sendAs('business');
    await page.getByText('Enter a value.').waitFor();
    const answer = await page.goto(page.url());
    expect(answer?.status()).toBe(405);
    expect(answer?.headers().allow).toBe('POST, OPTIONS');
    expect(await page.getByRole('alert').innerText()).toBe(
      'Nothing was sent. Please fill in the form and send it.',
    );
    await sendAs('personal');
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['email', 'ada@example.org']);
  });

  test('redirects may lead to any address', async () => {
    const thanks = await httpSink({ answer: () => ({ body: 'Thanks from afar' }) });
    const elsewhere = `http://localhost:${thanks.port}/`;
    const { page, sendAs } = await open({
      sink: {
        answer: ({ method }) =>
          method === 'GET' ? { status: 302, headers: { location: elsewhere } } : { status: 200 },
      },
    });
    await sendAs('personal');
    await page.getByText('Thanks from afar').waitFor();
  });

  test.each([
    ['an expired form', 'please send it once more', 3_600_001, false],
    ['a delivery that fails', 'please try again in a moment', 3_000, true],
  ])('after %s, typed text stays, and resending immediately works', async (_, message, waitMs, isDown) => {
    const down = { isDown };
    const { at, page, sendAs } = await open({
      sink: { answer: () => ({ status: down.isDown ? 500 : 200 }) },
    });
    await sendAs('personal', waitMs);
    await page.getByRole('alert').getByText(message).waitFor();
    expect(await page.locator(':focus').getAttribute('class')).toBe('form-status');
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
    down.isDown = false;
    const before = at.delivered.length;
    await page.getByRole(send.role, send).click();
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[before]).toContainEqual(['email', 'ada@example.org']);
  });

  test('the Back button leads to the form as it was filled in', async () => {
    const { at, page, sendAs } = await open();
    await sendAs('personal');
    await page.waitForURL(`${at.sink.origin}/`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Contact us' }).waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
    expect(await page.getByLabel('personal').isChecked()).toBe(true);
    await page.getByLabel('Email').fill('grace@example.org');
    at.advance(3_000);
    await page.getByRole(send.role, send).click();
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered.flat()).toContainEqual(['email', 'grace@example.org']);
  });

  test('the keyboard is sufficient, and never reaches the honeypot (WCAG 2.1.1, 2.1.2)', async () => {
    const { at, page } = await open();
    expect(await page.locator('input[type=text][name=website]').isVisible()).toBe(false);
    const reached: (string | null)[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('Tab');
      reached.push(await page.locator(':focus').getAttribute('name'));
      if (step === 0) await page.keyboard.press('Space');
      if (step === 2) await page.keyboard.type('ada@example.org');
    }
    expect(reached).toEqual(['kind', 'company', 'email', null]);
    at.advance(3_000);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${at.sink.origin}/`);
    expect(at.delivered[0]).toContainEqual(['kind', 'personal']);
  });

  test('the page has a policy without unsafe-inline, which its own style satisfies', async () => {
    const at = await stage({ forms });
    const page = await openPage();
    const answer = await page.goto(`${at.origin}/api/v1/form/contact`);
    expect(answer?.headers()['content-security-policy']).not.toMatch(/unsafe/);
    expect(await page.locator('button').evaluate((button) => getComputedStyle(button).cursor)).toBe(
      'pointer',
    );
  });
});
