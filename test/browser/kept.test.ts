/** The visitor's view of a queued submission, in every way to send a form. */
import { createMemoryStore } from '../support/memory_store.ts';
import { describeInBrowser, isSound, openBy, openPage, type Page, screenshot, stage } from './stage.ts';

const inTwo = `
    languages: [en, de]
    kept_message:
      en: We have it, and [answer soon](https://acme.example/).
      de: Wir haben es.`;

async function open(keys = '\n    kept_message: We have it, and [answer soon](https://acme.example/).') {
  return stage({
    forms: `
  contact:
    keep: failed${keys}
    confirmation: Thank you!
    redirect: https://acme.example/thanks
    fields: [{name: email, type: email, required: true}]
    outputs: [{type: http_post, url: "$sink", mapping: "*", retries: 0}]
keep: {in: /var/lib/form-relay}
`,
    sink: { answer: () => ({ status: 503 }) },
    effects: { openStore: async () => createMemoryStore(Date.now) },
  });
}

async function send(page: Page) {
  await page.getByLabel(/E-?mail/i).fill('ada@example.org');
  await page.getByRole('button').click();
}

describeInBrowser('a queued submission', () => {
  test('the script shows the owner’s text, and does not redirect', async () => {
    const at = await open();
    const page = await openBy('script', at, 'contact', await openPage({ locale: 'en' }));
    await send(page);
    const said = page.locator('.form-confirmation');
    await said.waitFor();
    expect(await said.innerText()).toBe('We have it, and answer soon.');
    expect(await said.getByRole('link', { name: 'answer soon' }).getAttribute('href')).toBe(
      'https://acme.example/',
    );
    expect(page.url()).toBe(`${at.host}/`);
    await isSound(page);
    await screenshot(page, 'kept_element');
  });

  test.each(['htmx2', 'htmx4'] as const)('%s shows it in place of the form', async (htmx) => {
    const at = await open();
    const page = await openBy(htmx, at, 'contact', await openPage({ locale: 'en' }));
    await send(page);
    await page.getByText('We have it, and answer soon.').waitFor();
    expect(page.url()).toBe(`${at.host}/page`);
  });

  test('the relay’s own page shows it in the visitor’s language, without JavaScript', async () => {
    const at = await open(inTwo);
    const page = await openPage({ locale: 'de', javaScriptEnabled: false });
    await page.goto(`${at.origin}/api/v1/form/contact`);
    await send(page);
    await page.getByText('Wir haben es.').waitFor();
    expect(new URL(page.url()).origin).toBe(at.origin);
  });
});
