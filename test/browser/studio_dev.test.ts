/** `relay dev` as installed, with an untidy file: what the page shows, and what it saves. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDev } from '../../apps/studio/test/studio/sign_in.ts';
import { tempFolder } from '../support/temp_folder.ts';
import { describeInBrowser, openPage, type Page } from './stage.ts';

const config = `# Ours
forms:
  contact:
    title: Write to us # a title
    fields:
      - {name: name, label: Name}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/contact", mapping: "*"}
`;

/** `undefined` creates a folder instead of the file. */
async function open(text: string | undefined) {
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  if (text === undefined) await mkdir(file);
  else await writeFile(file, text);
  const { address } = await startDev(folder);
  const page = await openPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    url: address,
  });
  await yaml(page).waitFor();
  return { file, page };
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config', exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save to file' });

describeInBrowser('a real file in the studio', () => {
  test.each([
    ['with CRLF and a BOM', `\uFEFF${config.replaceAll('\n', '\r\n')}`],
    ['of a megabyte', `${config}${'# a long comment, of which there are many\n'.repeat(25_000)}`],
    ['with an anchor', `${config.replace('label: Name', 'label: &label Name')}# more\n`],
  ])('%s changes only where it was edited, in the builder and as text', async (_, text) => {
    const { file, page } = await open(text);
    await page.getByRole('button', { name: /^Form settings, title/ }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Say hello');
    await page.keyboard.press('Tab');
    await yaml(page).getByText('title: Say hello').waitFor();
    await yaml(page).focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('# First\n');
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    const saved = await readFile(file, 'utf8');
    expect(
      saved === `${mark}# First${end}${text.slice(mark.length).replace('Write to us', 'Say hello')}`,
    ).toBe(true);
  });

  test('that cannot be read says why, and accepts nothing that would be lost', async () => {
    const { page } = await open(undefined);
    await page.locator('#unsaved').getByText('this is a directory, not a file').waitFor();
    await yaml(page).focus();
    await page.keyboard.insertText('forms: {}');
    expect(await yaml(page).innerText()).not.toContain('forms');
    expect(await save(page).count()).toBe(0);
  });
});
