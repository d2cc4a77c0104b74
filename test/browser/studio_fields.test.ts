/** Forms built by hand in real Chromium: clicks, drags and keys, and the resulting config. */
import { load } from 'js-yaml';
import type { Stage } from '../../apps/studio/test/studio/stage.ts';
import { describeInBrowser, isSound, type Page, type PageOptions } from './stage.ts';
import { openStudio } from './visit_studio.ts';

interface Forms {
  readonly forms: {
    readonly contact: {
      readonly thanks?: unknown;
      readonly fields: readonly { readonly required_when?: unknown }[];
    };
  };
}

const config = `# The forms of our site.
forms:
  contact: # the only one
    title: Write to us

    fields:
      # Whom we answer.
      - {name: name, required: true} # one line
      - name: email
        type: email   # spaced on purpose
        required: true
      - name: kind
        type: radios
        options: [private, company]
      - {name: company, visible_when: {field: kind, is: company}}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"} # ours
`;

const mailed = `forms:
  news:
    fields:
      - {name: email, type: email}
      - {name: kind, type: radios, options: [a, b]}
      - {name: views, type: grid, options: [a, b], rows: [x, y]}
      - {name: note, type: textarea, max_length: 100}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/party", mapping: "*"}
      - {type: email, to: party@acme.dev, from: forms@acme.dev, subject: A guest, mapping: "*"}
`;

interface Opened {
  readonly at: Stage;
  readonly page: Page;
  /** The config's text in the page, once the server also has it. */
  readonly text: () => Promise<string>;
}

async function open(text = config, options: PageOptions = {}): Promise<Opened> {
  const { at, page } = await openStudio(text, '/?tab=build', options);
  await page.locator('.b-canvas').waitFor();
  const state = async () => JSON.parse((await at.request('/studio/state')).text).file.text as string;
  return { at, page, text: state };
}

const row = (page: Page, name: string) => page.locator(`.b-row[data-name="${name}"]`);
const names = (page: Page) =>
  page.locator('.b-row').evaluateAll((rows) => rows.map((one) => (one as HTMLElement).dataset.name));
const said = (page: Page) => page.getByRole('status').first();
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
/** The accessible name of the focused element. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    return (
      element?.getAttribute('aria-label') ??
      (element as HTMLInputElement | null)?.labels?.[0]?.innerText ??
      ''
    );
  });

/** All lines of a config except those that contain any of these words. */
const linesWithout = (text: string, ...words: readonly string[]) =>
  text.split('\n').filter((line) => !words.some((word) => line.includes(word)));

describeInBrowser('fields built by hand', () => {
  test('each field is shown as the relay renders it, and is not interactive', async () => {
    const { page } = await open();
    expect(await names(page)).toEqual(['name', 'email', 'kind', 'company']);
    const email = row(page, 'email');
    await expect.poll(() => email.locator('.b-picture input[type=email]').count()).toBe(1);
    expect(await email.locator('.b-picture').getAttribute('inert')).toBe('');
    // Styled by the form's own stylesheet.
    const border = () =>
      email.locator('.b-picture input').evaluate((one) => getComputedStyle(one).borderRadius);
    await expect.poll(async () => Number.parseFloat(await border())).toBeGreaterThan(0);
    expect(await row(page, 'company').locator('.b-when').innerText()).toBe('if Kind is company');
    await isSound(page);
  });

  test('a field is added with the keyboard only, and its name follows its label', async () => {
    const { page, text } = await open();
    await button(page, 'Add a field').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('phone');
    await expect.poll(() => page.locator('.b-part').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Label');
    await page.keyboard.type('Your mobile number');
    await page.keyboard.press('Tab');
    await expect.poll(text).toContain('name: your_mobile_number');
    expect(await focused(page)).toBe('Name');
    // From now on, the name is the owner's.
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('mobile');
    await page.keyboard.press('Enter');
    await expect.poll(text).toContain('name: mobile');
    await box(page, 'Label').fill('Telephone');
    await box(page, 'Label').press('Enter');
    await expect.poll(text).toContain('label: Telephone');
    expect(await text()).toContain('name: mobile');
    expect(linesWithout(await text(), 'mobile', 'Telephone', 'tel')).toEqual(config.split('\n'));
  });

  test('label, help, requirement and options are edited in place, and the rest of the file does not change', async () => {
    const { page, text } = await open();
    await row(page, 'kind').locator('.b-edit').click();
    const settings = row(page, 'kind').locator('.b-open');
    await settings.getByRole('textbox', { name: 'Label', exact: true }).fill('Who asks?');
    await settings.getByRole('textbox', { name: 'Help', exact: true }).fill('So that we know.');
    await settings.getByRole('checkbox', { name: /^Required/ }).check();
    await settings.getByRole('textbox', { name: 'Option 2', exact: true }).fill('a company');
    await settings.getByRole('textbox', { name: 'Option 2', exact: true }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Option 3');
    await page.keyboard.type('nobody');
    // Enter presses the button beside the option, and adds none.
    await settings.locator('.b-option').last().getByRole('button', { name: /up$/ }).press('Enter');
    await expect.poll(text).toContain('options: [private, nobody, a company]');
    const now = await text();
    // The condition of another field is updated, too.
    expect(now).toContain('visible_when: {field: kind, is: a company}');
    expect(now).toContain('label: Who asks?');
    expect(now).toContain('help: So that we know.');
    const touched = ['options:', 'visible_when', 'Who asks?', 'So that we know.'];
    const [before, after] = [config, now].map((one) => linesWithout(one, ...touched));
    expect(after).toEqual((before as string[]).toSpliced(13, 0, '        required: true'));
    // So is the picture.
    await expect
      .poll(() => row(page, 'kind').locator('.b-picture legend').innerText())
      .toContain('Who asks?');
  });

  test('renaming a field updates its references', async () => {
    const { page, text } = await open();
    await row(page, 'kind').locator('.b-edit').click();
    await box(page, 'Name').fill('who');
    await box(page, 'Name').press('Enter');
    await expect.poll(text).toContain('visible_when: {field: who, is: company}');
    expect(await text()).toContain('- name: who');
    expect(await focused(page)).toBe('Name');
  });

  test('conditions are combined by hand', async () => {
    const { page, text } = await open();
    await row(page, 'email').locator('.b-edit').click();
    const choose = (name: string, option: string) =>
      page.getByRole('combobox', { name, exact: true }).selectOption(option);
    await choose('Required only if: field', 'kind');
    await choose('Required only if: field', 'any');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await choose('Required only if 2: field', 'name');
    await choose('Required only if 2: test', 'contains');
    await page.getByRole('textbox', { name: 'Required only if 2: value' }).fill('Ltd, Inc');
    await page.keyboard.press('Tab');
    await choose('Required only if 1: field', 'not');
    const written = async () => (load(await text()) as Forms).forms.contact.fields[1]?.required_when;
    const contains = { field: 'name', contains: ['Ltd', 'Inc'] };
    await expect.poll(written).toEqual({ any: [{ not: { field: 'kind', is: 'private' } }, contains] });
    await choose('Required only if 1, not: field', '');
    await expect.poll(written).toEqual({ any: [contains] });
    await choose('Required only if: field', '');
    // The condition replaced `required`.
    await expect.poll(text).toBe(config.replace('        required: true\n', ''));
  });

  test('a combined condition starts with the nearest choice above its field', async () => {
    const later = '      - {name: size, type: radios, options: [small, big]}\n    outputs:';
    const { page, text } = await open(
      config.replace('    outputs:', later).replace(', visible_when: {field: kind, is: company}', ''),
    );
    await row(page, 'company').locator('.b-edit').click();
    await page.getByRole('combobox', { name: 'Shown only if: field', exact: true }).selectOption('all');
    await expect.poll(text).toContain('all: [{field: kind, is: private}]');
  });

  test('while the text is not YAML, the form is shown as it last was, read-only', async () => {
    const { page } = await open();
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.insertText('x: [\n');
    await page.getByRole('status').filter({ hasText: 'The text is not valid YAML yet' }).waitFor();
    expect(await names(page)).toEqual(['name', 'email', 'kind', 'company']);
    expect(await page.locator('.b-view').evaluate((one) => one.hasAttribute('inert'))).toBe(true);
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => page.locator('.b-view').evaluate((one) => one.hasAttribute('inert'))).toBe(false);
  });

  describe('the order', () => {
    test('changes with buttons and with Alt and arrows; focus stays, and the position is announced', async () => {
      const { page, text } = await open();
      await row(page, 'email').getByRole('button', { name: 'Move Email up', exact: true }).press('Enter');
      await expect.poll(() => names(page)).toEqual(['email', 'name', 'kind', 'company']);
      expect(await focused(page)).toBe('Move Email up');
      expect(await said(page).innerText()).toBe('Moved Email to 1 of 4');
      await row(page, 'email').locator('.b-edit').focus();
      await page.keyboard.press('Alt+ArrowDown');
      await page.keyboard.press('Alt+ArrowDown');
      await expect.poll(() => names(page)).toEqual(['name', 'kind', 'email', 'company']);
      expect(
        await row(page, 'email')
          .locator('.b-edit')
          .evaluate((one) => one === document.activeElement),
      ).toBe(true);
      await page.keyboard.press('Alt+ArrowUp');
      await expect.poll(text).toBe(config);
    });

    test('changes by dragging, and Escape cancels', async () => {
      const { page, text } = await open();
      const handle = row(page, 'name').locator('.b-handle');
      const center = async (of: typeof handle) => {
        const { x = 0, y = 0, width = 0, height = 0 } = (await of.boundingBox()) ?? {};
        return { x: x + width / 2, y: y + height / 2, bottom: y + height };
      };
      const from = await center(handle);
      const target = await center(row(page, 'email'));
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x, target.bottom - 4, { steps: 5 });
      await page.locator('.b-drop').waitFor();
      await page.keyboard.press('Escape');
      await page.mouse.up();
      expect(await names(page)).toEqual(['name', 'email', 'kind', 'company']);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x, target.bottom - 4, { steps: 5 });
      await page.locator('.b-drop').waitFor();
      await page.mouse.up();
      await expect.poll(() => names(page)).toEqual(['email', 'name', 'kind', 'company']);
      await expect.poll(text).toMatch(/name: email[\s\S]*\{name: name, required: true\} # one line/);
    });
  });

  test('a field is duplicated, and a deleted one is restored by Undo', async () => {
    const { page, text } = await open();
    await button(page, 'Duplicate Email').click();
    await expect.poll(() => names(page)).toEqual(['name', 'email', 'email_2', 'kind', 'company']);
    await button(page, 'Delete Kind').click();
    await expect.poll(() => names(page)).toEqual(['name', 'email', 'email_2', 'company']);
    await expect.poll(text).not.toContain('radios');
    await button(page, 'Undo').click();
    await expect.poll(() => names(page)).toEqual(['name', 'email', 'email_2', 'kind', 'company']);
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(text).toBe(config);
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await expect.poll(() => names(page)).toContain('email_2');
  });

  test('the name of a new field follows its label after a note is duplicated, and only in its own form', async () => {
    const other = `
  other:
    fields:
      - {name: text}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/other", mapping: "*"}
`;
    const { page, text } = await open(
      config.replace('    fields:', '    fields:\n      - note: Thanks!') + other,
    );
    await button(page, 'Add a field').click();
    await page.locator('.b-part').first().waitFor();
    await page.keyboard.type('short text');
    await expect.poll(() => page.locator('.b-part').count()).toBe(1);
    await page.keyboard.press('Enter');
    await row(page, 'text').waitFor();

    await page.getByRole('combobox', { name: 'Form', exact: true }).selectOption('other');
    await expect.poll(() => names(page)).toEqual(['text']);
    await row(page, 'text').locator('.b-edit').click();
    await box(page, 'Label').fill('Your town');
    await box(page, 'Label').press('Enter');
    await expect.poll(text).toContain('label: Your town');
    expect(await text()).toContain('{name: text, label: Your town}');

    await page.getByRole('combobox', { name: 'Form', exact: true }).selectOption('contact');
    await button(page, 'Duplicate note').click();
    await expect.poll(text).toMatch(/(- note: Thanks!\s+){2}/);
    await row(page, 'text').locator('.b-edit').click();
    await box(page, 'Label').fill('Your street');
    await box(page, 'Label').press('Enter');
    await expect.poll(text).toContain('name: your_street');
  });

  test('a mail to visitors gets its field, its server and its text with clicks', async () => {
    const { page, text } = await open(mailed);
    await row(page, 'note').locator('.b-edit').click();
    const deciders = page.getByRole('combobox', { name: 'Shown only if: field' }).locator('option');
    await expect
      .poll(() => deciders.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value)))
      .toEqual(['', 'email', 'kind', 'all', 'any', 'not']);
    await page.getByRole('tab', { name: 'Protection' }).click();
    await page.getByRole('switch', { name: 'Double opt-in' }).check();
    await expect.poll(text).toContain('{name: email, type: email, required: true}');
    const card = page.locator('[data-guard="double_opt_in"]');
    await card.getByText('bots could make the relay mail strangers').waitFor();
    await card.getByRole('button', { name: 'Set min_fill_seconds to 3' }).click();
    await expect.poll(text).toContain('doubt: tag');
    expect(await card.locator('.set-menu').last().locator('code').allTextContents()).toEqual([
      ...['{{ .fields.kind }}', '{{ .labels.kind }}'],
      ...['{{ .submitted_at }}', '{{ .form.id }}'],
    ]);
    await card.getByText('More settings').click();
    await card.getByRole('combobox', { name: /^Through/ }).selectOption('A mail server of its own');
    await card.getByRole('textbox', { name: /^Host/ }).fill('smtp.acme.example');
    await expect.poll(text).toContain('host: smtp.acme.example');
    expect(await card.getByRole('combobox', { name: /^To/ }).locator('option').allInnerTexts()).toEqual([
      'email',
    ]);
    await isSound(page);
  });

  test('texts are edited in the selected language', async () => {
    const { page, text } = await open(config.replace('    title:', '    languages: [en, de]\n    title:'));
    await page.getByLabel('Edit the texts in').selectOption('de');
    await button(page, /^Form settings, title/).click();
    const title = box(page, 'Title');
    await expect.poll(() => title.getAttribute('placeholder')).toBe('Write to us');
    await title.fill('Schreiben Sie uns');
    await title.press('Enter');
    await expect.poll(text).toMatch(/title:.*\{? ?\n? *en: Write to us/);
    expect(await text()).toContain('de: Schreiben Sie uns');
    await isSound(page);
  });

  test('a list of settings gets entries, which can be removed', async () => {
    const { page, text } = await open();
    await button(page, /^Form settings, title/).click();
    await button(page, 'Add to Thanks').click();
    // The card is open, and starts with a choice.
    await page.getByRole('textbox', { name: /^Text/ }).fill('We call you.');
    await page.keyboard.press('Tab');
    const thanks = async () => (load(await text()) as Forms).forms.contact.thanks;
    await expect.poll(thanks).toEqual([{ when: { field: 'kind', is: 'private' }, text: 'We call you.' }]);
    await isSound(page);
    await button(page, 'Remove Thanks 1').click();
    await expect.poll(text).toBe(config);
  });

  test('the formula of a total is a text, and unsupported fields are not offered', async () => {
    const total = '      - {name: total, type: computed, formula: "0"}\n    outputs:';
    const { page, text } = await open(config.replace('    outputs:', total));
    await row(page, 'total').locator('.b-edit').click();
    await page.getByRole('textbox', { name: /^Formula/ }).fill('round(3 / 2, 1)');
    await page.keyboard.press('Tab');
    await expect.poll(text).toContain('formula: "round(3 / 2, 1)"');
    expect(await box(page, 'Placeholder').count()).toBe(0);
  });

  test('the builder works on a phone, by touch', async () => {
    const { page } = await open(config, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBeLessThanOrEqual(390);
    await row(page, 'kind').locator('.b-face').tap();
    await row(page, 'kind').locator('.b-open').waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
    await button(page, 'Add a field').tap();
    await page.locator('#part-date').tap();
    await expect.poll(() => names(page)).toContain('date');
    await isSound(page, 'studio-fields-390');
    await page.evaluate(() => scrollTo(0, 0));
    await row(page, 'name').scrollIntoViewIfNeeded();
    const [from, to] = [
      await row(page, 'name').locator('.b-handle').boundingBox(),
      await row(page, 'email').boundingBox(),
    ];
    const finger = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 40, y }] });
    const start = (from?.y ?? 0) + 14;
    const end = (to?.y ?? 0) + (to?.height ?? 0) - 6;
    await touch('touchStart', start);
    for (const part of [0.25, 0.5, 0.75, 1]) await touch('touchMove', start + (end - start) * part);
    await page.locator('.b-drop').waitFor();
    await touch('touchEnd');
    await expect.poll(() => names(page)).toEqual(['email', 'name', 'kind', 'company', 'date']);
  });
});
