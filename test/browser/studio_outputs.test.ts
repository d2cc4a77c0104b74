/** Outputs and protection in the builder, in a real Chromium with a real studio. */
import type { Stage } from '../../apps/studio/test/studio/stage.ts';
import { describeInBrowser, type Page } from './stage.ts';
import { openStudio } from './visit_studio.ts';

/** Quotes, comments and spacing as people write them, which must not change. */
const contact = `# Ours since 2019.
forms:
    contact:
        title:   "Write to us"   # as on the flyer
        fields:
            - {name: name, required: true}
            - { name: email, type: email,   required: true }
            - name: topics
              type: checkboxes
              options: [sales, 'support']

            - {name: message, type: textarea}
        outputs:
            # The CRM.
            - type: http_post
              url: 'https://crm.acme.dev/leads'   # not theirs
              mapping: {full_name: name, mail: email}
            - {type: webhook, url: "https://hooks.acme.dev/", mapping: "*"} # second
`;

async function open(tab: 'outputs' | 'protection') {
  const opened = await openStudio(contact, '/?tab=build');
  await opened.page.locator(`#build-${tab}`).click();
  return opened;
}

/** The text as the relay has it. */
const textOf = async ({ request }: Stage): Promise<string> =>
  JSON.parse((await request('/studio/state')).text).file.text;

const card = (page: Page, index: number) => page.locator('.out-list > li').nth(index);
const control = (page: Page, path: string) => page.locator(`[data-path="${path}"]`);
const first = 'forms.contact.outputs[0]';

/** A diff of YAML lines: removed and added ones. */
function difference(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}

describeInBrowser('outputs by hand', () => {
  test('a recipe is added, mapped by choosing, and its result arrives', async () => {
    const { at, page } = await open('outputs');
    const events = await at.events();
    await page.getByRole('button', { name: 'Add an output' }).click();
    await page.getByLabel('Search outputs').fill('salesforce');
    await page.getByRole('button', { name: /^Salesforce \(REST\)/ }).click();
    const added = card(page, 2);
    await expect
      .poll(() => added.locator('.out-needed').textContent())
      .toContain('Set SF_CONSUMER_KEY in the environment.');
    expect(await added.locator('.out-open').evaluate((button) => button === document.activeElement)).toBe(
      true,
    );

    // Names without a matching field are offered, and no mapping is guessed.
    expect(await added.locator('.map-open .map-key').allTextContents()).toEqual([
      'FirstName',
      'LastName',
      'Company',
    ]);
    await added.getByLabel('Field for Company', { exact: true }).selectOption('name');
    await added.getByRole('button', { name: 'Send topics under its own name' }).click();
    await added.getByLabel("Receiver's name for topics").fill('Topics__c');
    await added.getByLabel("Receiver's name for topics").press('Enter');
    await expect.poll(() => textOf(at)).toContain('Topics__c: topics');
    const text = await textOf(at);
    expect(text.startsWith(contact.trimEnd())).toBe(true);
    expect(text).toContain('Company: name');

    await at.post('/api/v1/submit/contact', { name: 'Ada', email: 'ada@example.org', topics: 'sales' });
    const { data } = await events.next('report');
    const body = JSON.stringify(data);
    expect(body).toContain('Topics__c');
    expect(body).toContain('Company');
  });

  test('a setting changes one line when it is valid, and shows its problem in place', async () => {
    const { at, page } = await open('outputs');
    await card(page, 0).locator('.out-open').click();
    const url = control(page, `${first}.url`);
    await url.getByRole('textbox').fill('crm');
    await expect.poll(() => url.locator('.set-problems').textContent()).toMatch(/URL|https/);
    const input = url.getByRole('textbox');
    expect(await input.getAttribute('aria-invalid')).toBe('true');
    const described = (await input.getAttribute('aria-describedby')) ?? '';
    const texts = await Promise.all(
      described.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()),
    );
    expect(texts.join(' ')).toMatch(/Problem: /);
    expect(difference(contact, await textOf(at))).toEqual([]);
    await input.fill('https://crm.acme.dev/v2');
    await expect.poll(() => url.locator('.set-problems').count()).toBe(0);

    await control(page, `${first}.on_error`).getByRole('combobox').selectOption({ label: 'continue' });
    await expect.poll(() => textOf(at)).toContain('on_error: continue');
    await control(page, `${first}.when`).getByLabel('Only if: field').selectOption('topics');
    await expect.poll(() => textOf(at)).toMatch(/when:\s*(\{ ?)?field: topics,?\s+is: sales/);
    await control(page, `${first}.when`).getByLabel('support').check();
    await expect.poll(() => textOf(at)).toMatch(/is:\s*(\[ ?sales, support|- sales\s+- support)/);
    await control(page, `${first}.when`).getByLabel('Only if: field').selectOption('');
    await control(page, `${first}.on_error`).getByRole('combobox').selectOption('');
    await expect
      .poll(async () => difference(contact, await textOf(at)))
      .toEqual([
        "- url: 'https://crm.acme.dev/leads'   # not theirs",
        expect.stringMatching(/^\+ url: ['"]?https:\/\/crm.acme.dev\/v2['"]? {3}# not theirs$/),
      ]);
  });
});

describeInBrowser('protection by hand', () => {
  const toggle = (page: Page, title: string) => page.getByRole('switch', { name: title, exact: true });

  test.each([
    ['Honeypot', ['spam:', 'honeypot: website']],
    ['Minimum filling time', ['min_fill_seconds: 3', 'too_fast: doubt', 'doubt: tag']],
    ['Doubt', ['doubt: tag']],
    ['Rate limit', ['rate_limit: 5 per 10m']],
    ['Proof of work', ['proof_of_work: true']],
    ['Captcha', ['provider: turnstile', 'TURNSTILE_SECRET']],
    ['Mail to the visitor', ['confirmation_mail:', 'to: email']],
    ['Receipt', ['receipt: true']],
    ['Keep deliveries that fail', ['keep: failed', 'in: /var/lib/form-relay']],
  ])('%s is turned on, and every other line stays', async (title, expected) => {
    const { at, page } = await open('protection');
    await toggle(page, title).click();
    await expect.poll(() => textOf(at)).not.toBe(contact);
    const changed = difference(contact, await textOf(at));
    expect(changed.filter((line) => line.startsWith('-'))).toEqual([]);
    for (const part of expected) expect(changed.join('\n')).toContain(part);
    expect(await toggle(page, title).isChecked()).toBe(true);
    await page.keyboard.press('Space');
    await expect.poll(() => toggle(page, title).isChecked()).toBe(false);
    if (title !== 'Minimum filling time') await expect.poll(() => textOf(at)).toBe(contact);
  });
});
