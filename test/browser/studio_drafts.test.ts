/** Drafts and their file: no typed text is lost, and nothing is overwritten silently. */
import { type Stage, type StageOptions, stateAt } from '../../apps/studio/test/studio/stage.ts';
import { gate } from '../support/gate.ts';
import { describeInBrowser, isSound, type Page, type PageOptions } from './stage.ts';
import { openStudio, signIn } from './visit_studio.ts';

const config = `forms:
  contact:
    title: Write to us
    fields: [{name: name}]
    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`;
const mine = config.replace('Write to us', 'Mine');
const theirs = config.replace('{name: name}', '{name: theirs}');

async function open(options: Partial<StageOptions> = {}, pageOptions: PageOptions = {}) {
  const opened = await openStudio({ config, ...options }, '/', pageOptions);
  await yaml(opened.page).waitFor();
  return opened;
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config', exact: true });
const type = async (at: Stage, page: Page, text: string) => {
  await yaml(page).fill(text);
  await expect.poll(async () => (await stateAt(at)).file.text).toBe(text);
};
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const textIn = (page: Page) => yaml(page).innerText();
const textAt = async (at: Stage) => (await stateAt(at)).file.text;

describeInBrowser('a draft in the studio', () => {
  describe('after its file has changed on disk', () => {
    const changed = async () => {
      const opened = await open();
      await type(opened.at, opened.page, mine);
      await opened.at.edit(theirs);
      await opened.page.locator('#overtaken').waitFor();
      return opened;
    };

    test('is replaced by the file', async () => {
      const { at, page } = await changed();
      await click(page, 'Use the file’s version');
      await expect.poll(() => textAt(at)).toBe(theirs);
      await expect.poll(() => yaml(page).innerText()).toContain('name: theirs');
    });

    test('can be continued, and saving asks again', async () => {
      const { at, page } = await changed();
      await click(page, 'Keep mine');
      await page.locator('#overtaken').waitFor({ state: 'detached' });
      await click(page, 'Save to file');
      await page.locator('#overtaken').waitFor();
      expect(at.file).toBe(theirs);
      await click(page, 'Overwrite it with mine');
      await expect.poll(() => at.file).toBe(mine);
    });
  });

  describe('based on a text that another tab has changed', () => {
    const other = config.replace('Write to us', 'Other');
    const overtaken = async () => {
      const { at, page } = await open();
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      await yaml(tab).waitFor();
      // The tab hears nothing from the other until it sends its own text.
      const { open: hear, opened: isHearing } = gate();
      await tab.route('**/studio/state*', async (route) => {
        await isHearing;
        await route.continue();
      });
      await type(at, page, other);
      await yaml(tab).fill(mine);
      await tab.locator('#overtaken').getByText('Another tab changed the config').waitFor();
      hear();
      expect([await textAt(at), await textIn(page)]).toEqual([other, expect.stringContaining('Other')]);
      return { at, page, tab };
    };

    test('asks, is replaced by that text, and continues from there', async () => {
      const { at, page, tab } = await overtaken();
      await isSound(tab);
      // Saving does not answer the question.
      const refused = tab.waitForResponse('**/studio/config/draft*');
      await yaml(tab).press('Control+s');
      await refused;
      await tab.locator('#overtaken').waitFor();
      expect([at.file, await textAt(at)]).toEqual([config, other]);
      await click(tab, 'Use the other tab’s version');
      await expect.poll(() => textIn(tab)).toContain('Other');
      await tab.locator('#overtaken').waitFor({ state: 'detached' });
      await type(at, tab, theirs);
      await expect.poll(() => textIn(page)).toContain('name: theirs');
    });

    test('replaces that text on request', async () => {
      const { at, page, tab } = await overtaken();
      await click(tab, 'Keep mine');
      await expect.poll(() => textAt(at)).toBe(mine);
      await expect.poll(() => textIn(page)).toContain('Mine');
      await tab.locator('#overtaken').waitFor({ state: 'detached' });
      await type(at, page, other);
      await expect.poll(() => textIn(tab)).toContain('Other');
    });

    test('is discarded automatically', async () => {
      const { at, tab } = await overtaken();
      await click(tab, 'Discard');
      await expect.poll(() => textIn(tab)).toContain('Other');
      expect([at.file, await textAt(at)]).toEqual([config, other]);
      await click(tab, 'Discard');
      await expect.poll(() => textAt(at)).toBe(config);
    });
  });

  test('that is too long says so, and stays in the page', async () => {
    const { at, page } = await open();
    await yaml(page).fill(`${config}#${'ü'.repeat(2 * 1_048_576)}`);
    await page.getByText('the studio edits configs of up to 4 MB').waitFor();
    expect(await textAt(at)).toBe(config);
    await type(at, page, mine);
    await page.getByText('the studio edits configs of up to 4 MB').waitFor({ state: 'detached' });
  });

  test('that is discarded before the relay has it is gone, and nothing saved is lost', async () => {
    const { at, page } = await open();
    await type(at, page, mine);
    await click(page, 'Save to file');
    await expect.poll(() => at.file).toBe(mine);
    // Keeps it from the relay until the button is pressed, however slow this machine is.
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const discard = document.querySelector<HTMLElement>('#discard');
        if (discard?.textContent !== 'Discard') return;
        observer.disconnect();
        discard.click();
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await yaml(page).fill(`${mine}# not wanted\n`);
    await page.getByRole('status').getByText('Discarded.').waitFor();
    await expect.poll(() => yaml(page).innerText()).not.toContain('not wanted');
    expect([at.file, await textAt(at)]).toEqual([mine, mine]);
    expect(requests.filter((path) => path.startsWith('/studio/config/'))).toEqual(['/studio/config/discard']);
  });

  test('that cannot be saved says why, and stays, even when the page is reloaded', async () => {
    const { at, page } = await open({ trouble: 'the disk is full' });
    await type(at, page, mine);
    await click(page, 'Save to file');
    await page.getByText('Saving failed: the disk is full. Your text stays here.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Save to file' }).waitFor();
    expect([await textAt(at), at.file]).toEqual([mine, config]);
  });

  test('that was not saved is restored after a restart of the studio, with pending changes', async () => {
    const { at, page } = await open({}, { complains: /ERR_|401/ });
    await type(at, page, mine);
    await page.getByRole('tab', { name: 'Outputs' }).click();
    await page.locator('.out-open').click();
    await page.locator('[data-path$=".url"] input').fill('crm');
    await page.getByRole('status', { name: 'Not in the config yet' }).waitFor();
    at.stop();
    await page.locator('#lost').waitFor();
    await at.restart();
    await signIn(page, at);
    await expect.poll(() => textAt(at)).toBe(mine);
    await page.getByRole('status', { name: 'Not in the config yet' }).waitFor();
    expect(await textIn(page)).toContain('hooks.acme.dev');
    await yaml(page).press('Control+z');
    await expect.poll(() => textAt(at)).toBe(config);
    await yaml(page).fill(theirs);
    await page.getByText('A part that was not in the config yet was lost').waitFor();
  });

  test('stored in this browser and followed by another draft, asks which one to keep', async () => {
    const { at, page } = await open({}, { complains: /ERR_|401/ });
    at.stop();
    await page.locator('#lost').waitFor();
    await yaml(page).fill(mine);
    await page.close();
    await at.restart();
    await at.request('/studio/config/draft', {
      method: 'POST',
      body: theirs,
      headers: { origin: at.origin },
    });
    const tab = await page.context().newPage();
    await signIn(tab, at);
    await tab.goto(at.origin);
    await tab.locator('#overtaken').getByText('Another tab changed the config').waitFor();
    expect([await textAt(at), await textIn(tab)]).toEqual([theirs, expect.stringContaining('Mine')]);
    await click(tab, 'Keep mine');
    await expect.poll(() => textAt(at)).toBe(mine);
  });

  test('can be undone after it was saved', async () => {
    const { at, page } = await open();
    await type(at, page, mine);
    await click(page, 'Save to file');
    await expect.poll(() => at.file).toBe(mine);
    await yaml(page).press('Control+z');
    await expect.poll(() => textAt(at)).toBe(config);
    await click(page, 'Save to file');
    await expect.poll(() => at.file).toBe(config);
  });

  test('is saved as of that moment, even if typing continues', async () => {
    const { at, page } = await open();
    const { open: go, opened: isTyped } = gate();
    await yaml(page).fill(mine);
    await page.route('**/studio/config/draft*', async (route) => {
      await isTyped;
      await route.continue();
    });
    await yaml(page).press('Control+s');
    await yaml(page).press('Control+End');
    await page.keyboard.type('# more');
    go();
    await expect.poll(() => at.file).toBe(mine);
    await expect.poll(() => textAt(at)).toBe(`${mine}# more`);
    expect(await page.locator('#overtaken').count()).toBe(0);
  });

  test.each([
    ['no YAML', 'forms: [', 'never_loaded'],
    ['two documents', `${config}---\n${config}`, 'never_loaded'],
    ['tabs', config.replaceAll('  ', '\t'), 'never_loaded'],
  ])('the draft of a file with %s identifies the mistake, and can be corrected', async (_, broken, state) => {
    const { at, page } = await open({ config: broken });
    expect((await stateAt(at)).file.state).toBe(state);
    await page.getByText('No form to show yet.', { exact: true }).waitFor();
    await page.locator('#problems').waitFor();
    await type(at, page, config);
    await page.locator('#problems').waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toContain('Write to us');
  });
});
