/** The pane “What arrived”: the list of reports, and what it does on its own. */
import type { Stage } from '../../apps/studio/test/studio/stage.ts';
import { describeInBrowser, type Page, violationsIn } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const forms = `
forms:
  contact:
    fields: [{name: name, required: true}, {name: message, type: textarea}]
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "https://crm.acme.dev/leads", mapping: {LastName: name}}
      - {type: slack, url: "https://hooks.slack.com/services/T/B/x", mapping: {Who: name}, when: {field: name, is_not: Bob}}
`;

async function open() {
  const opened = await openStudio(forms);
  await opened.page.locator('#inbox-title').waitFor({ state: 'attached' });
  return opened;
}

const send = (at: Stage, values: Readonly<Record<string, string>>) =>
  at.post('/api/v1/submit/contact', values);
const report = (page: Page, number: number) => page.locator(`#s${number}`);
const openOnes = (page: Page) => page.locator('.report[open]').evaluateAll((all) => all.map(({ id }) => id));

describeInBrowser('what arrived', () => {
  test('shows what happened to a submission: the input, each check, and what each output received', async () => {
    const { at, page } = await open();
    await page.getByText('Send the form to see what happens to the submission.').waitFor();
    await send(at, { name: 'Ada', extra: '1' });
    const shown = report(page, 1);
    await shown.getByText('to 2 of 2 outputs').waitFor();
    expect(await page.locator('#said').textContent()).toBe('contact: Delivered, to 2 of 2 outputs');
    const text = (await shown.innerText()).replaceAll(/\s+/g, ' ');
    for (const words of [
      ...['Received 2 fields', 'Not in the config, so ignored: extra'],
      ...['Not in the config: spam.min_fill_seconds', 'Honeypot the decoy field "website" is empty'],
      ...['http_post delivered → https://crm.acme.dev/leads', 'What crm.acme.dev gets LastName Ada'],
      'slack delivered → https://hooks.slack.com/services/T/B/x Sent by slack Message Exact bytes Values',
      'Answered 200 with JSON',
    ])
      expect(text).toContain(words);
    await shown.getByText('Submitted values').click();
    await shown.getByText('The answer').click();
    await shown.getByRole('radio', { name: 'Request' }).focus();
    await page.keyboard.press('ArrowRight');
    await shown.getByText('POST /leads').waitFor();
    expect(await shown.locator('.copyable pre').first().innerText()).toContain('LastName=Ada');
    expect(await violationsIn(page, '#inbox')).toEqual([]);
  });

  test('the newest report opens automatically and closes the previous one, unless the owner has clicked that', async () => {
    const { at, page } = await open();
    await send(at, { name: 'Ada' });
    await expect.poll(() => openOnes(page)).toEqual(['s1']);
    await send(at, { name: 'Eve' });
    await expect.poll(() => openOnes(page)).toEqual(['s2']);
    await report(page, 2).getByText('Submitted values').click();
    await send(at, { name: 'Joe' });
    await expect.poll(() => openOnes(page)).toEqual(['s3', 's2']);
    await report(page, 2).locator('> summary').press('Enter');
    await expect.poll(() => openOnes(page)).toEqual(['s3']);
  });
});
