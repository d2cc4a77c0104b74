/** When the relay is down, a printed form keeps the typed text, and says what to do. */
import { describeInBrowser, documentWith, openPage, type Page, printed, stage } from './stage.ts';

const contact = `
  contact:
    title: Write to us
    failure_message: "Please call +43 1 234 567, or [write to us](https://www.example.com/contact)."
    fields: [{name: name, required: true}, {name: message, type: textarea}]
    SPAM
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const forms = {
  'with nothing more': contact.replace('SPAM', ''),
  'with a time stamp': contact.replace('SPAM', 'spam: {min_fill_seconds: 1}'),
  'with a proof of work': contact.replace('SPAM', 'spam: {min_fill_seconds: 1, proof_of_work: true}'),
  'in steps': contact.replace(
    'SPAM',
    'steps: [{title: You, fields: [name]}, {title: Your message, fields: [message]}]',
  ),
} as const;

async function fillAndSend(page: Page) {
  await page.getByLabel('Name').fill('Ada');
  const next = page.getByRole('button', { name: 'Next' });
  if ((await next.count()) > 0) {
    await next.click();
    return;
  }
  await page.getByLabel('Message').fill('By boat,\nplease.');
  await page.getByRole('button', { name: 'Send' }).click();
}

async function showsError(page: Page) {
  await page
    .getByRole('alert')
    .getByText('The form could not be sent. Please check your connection')
    .waitFor();
  const link = page.getByRole('alert').getByRole('link', { name: 'write to us' });
  expect(await link.getAttribute('href')).toBe('https://www.example.com/contact');
  expect(await page.getByRole('alert').innerText()).toContain('Please call +43 1 234 567, or');
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
}

describeInBrowser('a printed form whose relay is down', () => {
  test.each(Object.entries(forms))(
    '%s: the relay goes down before sending, and before a reload',
    async (_, yaml) => {
      const at = await stage({ forms: yaml });
      at.serve('/page', documentWith(await printed(at, yaml, 'contact', '--script')));
      const page = await openPage({ complains: /ERR_CONNECTION|ERR_EMPTY_RESPONSE|Failed to fetch/ });
      const script = page.waitForResponse('**/form.js');
      await page.goto(`${at.host}/page`);
      await (await script).finished();
      await page.waitForLoadState('networkidle');
      await at.close();
      await fillAndSend(page);
      await showsError(page);
      await page.reload();
      await fillAndSend(page);
      await showsError(page);
      expect(page.url()).toBe(`${at.host}/page`);
      expect(at.delivered).toEqual([]);
    },
  );
});
