import { sendByHand } from './by_hand.ts';
import { describeInBrowser, type FrameLocator, type Page } from './stage.ts';
import { openStudio, putOnSite } from './visit_studio.ts';

const guarded = `forms:
  contact:
    title: Write to us
    confirmation: Thank you, we answer soon.
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - name: topics
        type: checkboxes
        options: [sales, support, press]
      - {name: message, type: textarea, rows: 3}
    spam: {honeypot: website, min_fill_seconds: 3, too_fast: drop}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, mapping: "*", on_error: continue}
`;
const stepped = `languages: [en, de, ar, ja]
forms:
  apply:
    title: Apply
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: why, type: textarea, required: true}
      - {name: more, type: hidden}
    steps:
      - {title: About you, fields: [name, email]}
      - {title: Your reasons, fields: [why]}
    spam: {min_fill_seconds: 2, too_fast: drop}
    outputs:
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, mapping: "*"}
`;

async function open(config = guarded) {
  const { at, page } = await openStudio(config, '/?tab=try', { viewport: { width: 1280, height: 800 } });
  const form = page.frameLocator('#frame');
  await form.locator('form.form-relay').waitFor();
  return { at, page, form };
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config' });
/** The config line that the page showed last. */
const marked = (page: Page) => page.locator('.cm-activeLine').innerText();

async function isSeen(page: Page, form: FrameLocator): Promise<boolean> {
  const box = await form.locator('button[type=submit]').boundingBox();
  return box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0);
}

describeInBrowser('the panes of the studio', () => {
  test('"Send" of a common form is visible at 1280 by 800', async () => {
    const { page, form } = await open();
    expect(await isSeen(page, form)).toBe(true);
  });

  test.each([
    ['de', 'Deutsch', 'Weiter', 'ltr'],
    ['ar', 'العربية', 'التالي', 'rtl'],
    ['ja', '日本語', '次へ', 'ltr'],
  ])('the form is shown in %s when that language is chosen', async (_, language, next, direction) => {
    const { page, form } = await open(stepped);
    await page.getByLabel('Language').selectOption(language);
    await form.getByRole('button', { name: next }).waitFor();
    expect(await form.locator('form').evaluate((one) => getComputedStyle(one).direction)).toBe(direction);
  });

  test('the config: is used while it is typed, with problems at their lines, and saved with a button', async () => {
    const { at, page, form } = await open();
    await form.getByLabel('Name').fill('Ada');
    await yaml(page).fill(guarded.replace('Write to us', 'Say hello'));
    await form.getByRole('heading', { name: 'Say hello' }).waitFor();
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ada');
    await yaml(page).fill(guarded.replace('required', 'requierd'));
    await page.locator('#problems').getByText('did you mean required?').waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['requierd']);
    await page.getByRole('button', { name: 'Line 6' }).click();
    expect(await marked(page)).toBe('      - {name: name, requierd: true}');
    expect(at.file).toBe(guarded);
    const latest = guarded.replace('Write to us', 'Say hello');
    await yaml(page).fill(latest);
    await page.locator('#problems').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save to file' }).click();
    await page.getByRole('button', { name: 'Save to file' }).waitFor({ state: 'detached' });
    expect(at.file).toBe(latest);
  });

  test.each([
    ['forms.example.com', 'the whole address'],
    ['ftp://forms.example.com', 'the whole address'],
    ['https://', undefined],
    ['https://forms example.com', 'the whole address'],
    [
      'https://forms.example.com/relay?form=contact',
      'Enter only the relay’s address: https://forms.example.com/relay',
    ],
    ['https://forms.example.com/?form=contact', 'Enter only the relay’s address'],
    ['https://ada:secret@forms.example.com', 'the password'],
    ['http://forms.example.com', 'Use https'],
    ['http://8.8.8.8:8080', 'Use https'],
  ])('%s is not a relay’s address, and nothing can be copied: %s', async (address, words) => {
    const { page } = await open();
    await putOnSite(page);
    const field = page.getByLabel('Address of the relay');
    await field.fill(address);
    if (words) await page.locator('#relay-url-says').getByText(words).waitFor();
    expect(await page.locator('.site pre').count()).toBe(0);
    expect(await field.getAttribute('aria-invalid')).toBe(String(words !== undefined));
  });

  test('names and texts that contain markup stay text everywhere', async () => {
    const markup = (name: string) => `<img src=x onerror=alert(1)> <b class=injected>${name}</b>`;
    const { page, form } = await open(`# ${markup('comment')}
languages: [en, de]
forms:
  contact:
    title: "${markup('title')}"
    confirmation: "${markup('thanks')}"
    fields:
      - {name: "${markup('name')}", label: "${markup('label')}", help: "${markup('help')}"}
      - name: choice # ${markup('behind')}
        type: select
        options: [{value: "${markup('value')}", label: "${markup('option')}"}]
      - {name: note, visible_when: {field: choice, is: "${markup('value')}"}}
    steps:
      - {title: "${markup('step')}", fields: ["${markup('name')}", choice, note]}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/${encodeURIComponent(markup('url'))}", mapping: {"${markup('key')}": choice}}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, from: f@acme.dev, subject: "${markup('subject')}", mapping: "*"}
`);
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    /** In the page, its shadow roots, and its frames of the same origin. */
    const injected = () =>
      page.evaluate(() => {
        const within = (root: Document | ShadowRoot): readonly Element[] => [
          ...root.querySelectorAll('.injected, [onerror]'),
          ...[...root.querySelectorAll('*')].flatMap((one) => [
            ...(one.shadowRoot ? within(one.shadowRoot) : []),
            ...(one instanceof HTMLIFrameElement && one.contentDocument ? within(one.contentDocument) : []),
          ]),
        ];
        return within(document).map((one) => one.outerHTML);
      });
    const found: Record<string, readonly string[]> = {};
    await sendByHand(page);
    await form.locator('.form-confirmation').getByText('thanks').waitFor();
    for (const summary of await page.locator('.report details > summary').all()) await summary.click();
    found.story = await injected();
    await page.getByRole('radio', { name: 'Build', exact: true }).first().check({ force: true });
    for (const edit of await page.locator('.b-row .b-edit').all()) {
      await edit.click();
      await page.locator('.b-open').waitFor();
      found[`field ${Object.keys(found).length}`] = await injected();
    }
    for (const tab of ['outputs', 'protection']) {
      await page.locator(`#build-${tab}`).click();
      found[tab] = await injected();
    }
    await putOnSite(page);
    found.site = await injected();
    await page.keyboard.press('Escape');
    await yaml(page).fill(guarded.replace('required', `"${markup('key')}"`));
    await page.locator('#problems').waitFor();
    found.problems = await injected();
    expect(Object.values(found).flat()).toEqual([]);
    expect(Object.keys(found).length).toBeGreaterThan(7);
    expect(alerts).toEqual([]);
  });
});
