/** The relay's own pages, in a browser without the form's script. */
import {
  describeInBrowser,
  isSound,
  openPage,
  type PageOptions,
  screenshot,
  stage,
  unchecked,
} from './stage.ts';

const forms = `
  contact:
    title: Write to us
    confirmation: We have your message, and answer within two days.
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: email, type: email, required: true, autocomplete: email}
      - {name: message, type: textarea, required: true}
    spam: {honeypot: website, min_fill_seconds: 3, form_ttl: 1h}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

/** The script skips a page that defines this element. A route would disable the back-forward cache. */
async function openWithoutScript(look: PageOptions) {
  const page = await openPage(look);
  await page.addInitScript(() => customElements.define('relay-form', class extends HTMLElement {}));
  return page;
}

async function open(options: Partial<Parameters<typeof stage>[0]> = {}, look = {}) {
  const at = await stage({ forms, ...options });
  const page = await openWithoutScript(look);
  await page.goto(`${at.origin}/api/v1/form/contact`);
  const fill = async () => {
    await page.getByLabel('business', { exact: true }).check();
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Message').fill('By boat.\nAnd soon.');
  };
  const filled = async () => ({
    kind: await page.getByLabel('business', { exact: true }).isChecked(),
    company: await page.getByLabel('Company').inputValue(),
    email: await page.getByLabel('Email').inputValue(),
    message: await page.getByLabel('Message').inputValue(),
  });
  const send = () => page.getByRole('button', { name: 'Send' }).click();
  return { at, page, fill, filled, send };
}

const all = { kind: true, company: 'Engines', email: 'ada@example.org', message: 'By boat.\nAnd soon.' };
const delivered = [
  ['company', 'Engines'],
  ['email', 'ada@example.org'],
  ['kind', 'business'],
  ['message', 'By boat.\r\nAnd soon.'],
];

const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const;

describeInBrowser('pages of the relay', () => {
  describe.each(looks)('$colorScheme, $viewport.width wide', (look) => {
    const shoot = (page: Parameters<typeof screenshot>[0], name: string) =>
      screenshot(page, `page-${name}-${look.colorScheme}-${look.viewport.width}`);

    test('the confirmation: its title says so, and the heading has the focus', async () => {
      const { at, page, fill, send } = await open({}, look);
      await fill();
      at.advance(3_000);
      await send();
      await page.getByText('answer within two days').waitFor();
      expect(await page.title()).toBe('Sent: Write to us');
      expect(await page.locator(':focus').innerText()).toBe('Write to us');
      expect(at.delivered).toEqual([delivered]);
      await shoot(page, 'sent');
      await isSound(page);
    });
  });

  test.each(looks)('steps, groups, notes, links, and a summary of mistakes: $colorScheme', async (look) => {
    const at = await stage({
      forms: `
  offer:
    title: Ask for an offer
    failure_message: Or write to [office@example.com](mailto:office@example.com).
    fields:
      - note: See [how we work](https://www.example.com/work).
      - {name: name, required: true}
      - {name: email, type: email, required: true, help: "Only to answer; see [privacy](/privacy)."}
      - {name: topics, type: checkboxes, options: [a, b], required: true}
      - note: Where shall we send it?
      - {name: street}
      - {name: city, required: true}
      - {name: terms, type: checkbox, required: true, label: "I accept the [terms](https://www.example.com/terms)."}
      - note: Thank you.
    groups: [{legend: Your address, fields: [street, city]}]
    steps: [{title: You, fields: [name, email, topics]}, {title: Where, fields: [street, city, terms]}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]`,
    });
    const page = await openWithoutScript(look);
    await page.goto(`${at.origin}/api/v1/form/offer?name=Ada&email=a@b.example`);
    await isSound(page, `page-steps-${look.colorScheme}`);
    await unchecked(page);
    await page.getByRole('button', { name: 'Send' }).click();
    const summary = page.getByRole('alert');
    await summary.getByRole('heading', { name: 'There is a problem' }).waitFor();
    expect(await page.locator(':focus').getAttribute('class')).toBe('form-status');
    expect(await summary.getByRole('link').allInnerTexts()).toEqual([
      'Topics: Choose at least one option.',
      'City: Enter a value.',
      'I accept the terms: Tick this box.',
    ]);
    await isSound(page);
    for (const [link, name] of [
      ['Topics', 'topics'],
      ['City', 'city'],
      ['I accept', 'terms'],
    ] as const) {
      await summary.getByRole('link', { name: link }).press('Enter');
      expect(await page.locator(':focus').getAttribute('name')).toBe(name);
    }
    await page.getByLabel('a', { exact: true }).check();
    await page.getByLabel('City').fill('Graz');
    await page.getByLabel('I accept the').check();
    await page.getByRole('button', { name: 'Send' }).click();
    await summary.getByRole('link', { name: 'office@example.com' }).waitFor();
    await isSound(page);
  });

  const throttled = async () => {
    const env = { THROTTLE_RATE_LIMIT: '0.01', THROTTLE_BURST_LIMIT: '4' };
    const opened = await open({ env });
    const { at, page, fill, send } = opened;
    await fill();
    at.advance(3_000);
    while ((await at.get('/api/v1/form/contact')).status === 200);
    await send();
    await page.getByText('please go back').waitFor();
    return opened;
  };

  test('throttled: as the page says, going back restores the typed text, which can be resent immediately', async () => {
    const { at, page, filled, send } = await throttled();
    await isSound(page, 'page-throttled');
    await page.goBack();
    await page.getByLabel('Message').waitFor();
    expect(await filled()).toEqual(all);
    at.advance(400_000);
    await send();
    await page.getByText('answer within two days').waitFor();
    expect(at.delivered).toEqual([delivered]);
  });

  test('more than 64 KB: as the page says, going back restores the typed text, which can be shortened', async () => {
    const { at, page, fill, filled, send } = await open();
    await fill();
    const long = 'x'.repeat(70_000);
    await page.getByLabel('Message').fill(long);
    at.advance(3_000);
    await send();
    await page.getByText('please go back').waitFor();
    await page.goBack();
    await page.getByLabel('Message').waitFor();
    expect(await filled()).toEqual({ ...all, message: long });
    await page.getByLabel('Message').fill(all.message);
    // The token is as old as the typed values, so going back is never too quick.
    await send();
    await page.getByText('answer within two days').waitFor();
    expect(at.delivered).toEqual([delivered]);
  });
});
