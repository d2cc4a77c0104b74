/** The selection is the same everywhere, and one history covers typing and the builder. */
import { stateAt } from '../../apps/studio/test/studio/stage.ts';
import { describeInBrowser, type Page } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name}
      - {name: email, type: email}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/contact", mapping: "*"}
`;

async function open() {
  const opened = await openStudio(config);
  await yaml(opened.page).waitFor();
  return opened;
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config', exact: true });
/** The config line that the page showed last. */
const marked = (page: Page) => page.locator('.cm-activeLine').innerText();
const row = (page: Page, name: string) => page.locator(`.b-row[data-name="${name}"]`);
const typed = async (page: Page) => (await yaml(page).locator('.cm-line').allTextContents()).join('\n');
const edit = (page: Page, name: string) => row(page, name).locator('.b-edit').click();
const label = (page: Page) => page.getByRole('textbox', { name: 'Label', exact: true });

describeInBrowser('in the studio', () => {
  test('a field around the cursor, or opened in the builder, is shown in all panes', async () => {
    const { page } = await open();
    await yaml(page).getByText('email').first().click();
    await page.locator('.b-row.b-selected[data-name=email]').waitFor();
    await edit(page, 'name');
    await expect.poll(() => marked(page)).toContain('name: name');
  });

  describe('a single history', () => {
    /** Types a comment into the text, then changes a label in the builder in two steps. */
    const both = async (page: Page) => {
      await yaml(page).focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('# typed');
      await edit(page, 'name');
      await label(page).focus();
      await page.keyboard.press('End');
      for (const words of [' and', ' more']) {
        await page.keyboard.type(words);
        await yaml(page).getByText(words).waitFor();
      }
      const text = `${config.replace('label: Name', 'label: Name and more')}# typed`;
      await expect.poll(() => typed(page)).toBe(text);
      return text;
    };
    const withComment = `${config}# typed`;

    test('is undone with the keyboard in the text: first the whole change of a control, then the typing', async () => {
      const { at, page } = await open();
      const text = await both(page);
      await yaml(page).focus();
      for (const [key, left] of [
        ['Control+z', withComment],
        ['Control+z', config],
        ['Control+y', withComment],
        ['Control+y', text],
      ] as const) {
        await page.keyboard.press(key);
        await expect.poll(() => typed(page)).toBe(left);
      }
      await expect.poll(async () => (await stateAt(at)).file.text).toBe(text);
    });
  });
});
