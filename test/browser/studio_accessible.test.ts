/** Accessibility of the whole studio: each pane, tab and dialog, in each width and colour scheme. */
import { describeInBrowser, type Page, violationsIn } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const config = `languages: [en, de]
forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, help: "As on your letters."}
      - {name: email, type: email, required: true}
      - name: topic
        type: select
        options: [{value: sales, label: Sales}, press]
      - {name: note, type: textarea, visible_when: {field: topic, is: press}}
      - {name: cv, type: file, accept: [pdf]}
    steps:
      - {title: You, fields: [name, email]}
      - {title: Us, fields: [topic, note, cv]}
    spam: {honeypot: website, min_fill_seconds: 3}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/contact", mapping: {who: name}}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, from: f@acme.dev, subject: Mail, mapping: "*"}
`;
const widths = [1440, 768, 390] as const;

async function open(colorScheme: 'light' | 'dark') {
  const complains = /ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_REFUSED/;
  const { at, page } = await openStudio(config, '/', { colorScheme, complains });
  await page.getByRole('textbox', { name: 'Config', exact: true }).waitFor({ state: 'attached' });
  const found: string[] = [];
  /** Checks the current page in these widths. */
  const look = async (shown: string, where: readonly number[] = widths) => {
    for (const width of where) {
      await page.setViewportSize({ width, height: 900 });
      for (const one of await violationsIn(page)) found.push(`${shown}, ${width}: ${one}`);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (sideways > 0) found.push(`${shown}, ${width}: scrolls sideways by ${sideways}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  return { at, page, found, look };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const dialog = (page: Page) => page.locator('dialog[open]');

/** Opens a dialog with a button, and closes it with Escape. */
async function inDialog(page: Page, name: string | RegExp, look: () => Promise<void>): Promise<void> {
  await button(page, name).click();
  await dialog(page).waitFor();
  await look();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
}

/** Brings a pane to the front in a narrow window; in wide windows, all are visible. */
async function bring(page: Page, pane: 'build' | 'try' | 'config' | 'arrived'): Promise<void> {
  await page.setViewportSize({ width: 390, height: 900 });
  await page.locator(`[name=pane][value=${pane}]`).check({ force: true });
}

describeInBrowser('the studio has no accessibility problems', () => {
  test.each(['light', 'dark'] as const)('in its panes: %s', async (scheme) => {
    const { at, page, found, look } = await open(scheme);
    for (const pane of ['build', 'config', 'arrived'] as const) {
      await bring(page, pane);
      await look(pane);
    }
    await bring(page, 'build');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.b-row[data-name=topic] .b-edit').click();
    await page.locator('.b-open').waitFor();
    await look('a field');
    for (const tab of ['outputs', 'protection']) {
      await page.locator(`#build-${tab}`).click();
      if (tab === 'outputs') await page.locator('.out-open').first().click();
      else
        for (const title of ['Captcha', 'Doubt'])
          await page.getByRole('switch', { name: title, exact: true }).click();
      await look(tab);
    }
    await bring(page, 'try');
    await look('try');
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, 'Fill in').click();
    const form = page.frameLocator('#frame').locator('form');
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    at.advance(10_000);
    for (const step of await form.locator('[data-step]').all()) {
      await step.waitFor();
      await form.locator('button[type=submit]').click();
    }
    await page.locator('.report').first().waitFor();
    for (const summary of await page.locator('.report details > summary').all()) await summary.click();
    await look('a story');
    await bring(page, 'arrived');
    await look('a story in front', [390]);
    expect(found).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('in its dialogs: %s', async (scheme) => {
    const { page, found, look } = await open(scheme);
    await inDialog(page, /Add a field/, () => look('palette'));
    await inDialog(page, 'New form', () => look('new form'));
    await inDialog(page, 'Put it on my site', async () => {
      await look('site without an address');
      const address = page.getByLabel('Address of the relay');
      await address.fill('http://relay.example.org');
      await look('site with a bad address');
      await address.fill('https://relay.example.org');
      await look('site');
    });
    await page.locator('#build-outputs').click();
    await inDialog(page, /Add an output/, () => look('gallery'));
    expect(found).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('while there is a mistake: %s', async (scheme) => {
    const { at, page, found, look } = await open(scheme);
    const yaml = page.getByRole('textbox', { name: 'Config', exact: true });
    await yaml.fill(config.replace('required', 'requierd'));
    await page.locator('#problems').waitFor();
    await look('problems');
    await bring(page, 'config');
    await look('problems in front', [390]);
    await at.edit(`${config}# more\n`);
    await page.locator('#overtaken').waitFor();
    await look('overtaken');
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, 'Use the file’s version').click();
    await page.locator('#overtaken').waitFor({ state: 'detached' });
    await yaml.fill('forms: [');
    await page.locator('.b-view[inert]').waitFor();
    await look('not YAML');
    await yaml.fill('');
    await page.locator('.b-none').getByText('No form yet.').waitFor();
    await look('empty');
    at.stop();
    await page.locator('#lost').waitFor();
    await look('stopped');
    expect(found).toEqual([]);
  });
});
