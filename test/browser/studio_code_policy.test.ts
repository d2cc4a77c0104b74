/** The text editor respects the page's Content-Security-Policy, whatever is typed. */
import { describeInBrowser } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const config = `# Forms
forms:
  contact:
    title: Write to us
    fields: [{name: email, type: email}]
    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`;

const broken = {
  'a bracket left open': config.replace('email}]', 'email}'),
  'a tab': config.replace('    title', '\ttitle'),
  'a quote left open': config.replace('Write to us', '"Write to us'),
  'a key twice': config.replace('title:', 'title: Once\n    title:'),
  'an unknown key, first of all': `titel: a\n${config}`,
  'an unknown alias': config.replace('Write to us', '*nobody'),
  'a control character': config.replace('Write to us', '"a\u0001b'),
  'a warning': config.replace('hooks.acme.dev', 'hooks.invalid'),
};

describeInBrowser('the editor of the studio’s config', () => {
  test('marks problems and replaced text within the page’s own policy', async () => {
    const { page } = await openStudio(config);
    const content = page.getByRole('textbox', { name: 'Config' });
    const { keyboard } = page;
    const lint = page.locator('.cm-lint-marker');
    const write = async (text: string) => {
      await content.focus();
      await keyboard.press('Control+a');
      await keyboard.insertText(text);
    };
    for (const text of Object.values(broken)) {
      await write(text);
      await lint.first().hover();
      await page.locator('.cm-tooltip-lint').waitFor();
      await page.mouse.move(5, 5);
      // Checks only the first line, which is a comment, a key, or a mistake.
      await keyboard.press('Control+Home');
      await keyboard.press('Shift+End');
      await keyboard.type('[a');
      await keyboard.press('Control+z');
    }
    await write(config.replace('# Forms\n', ''));
    await lint.first().waitFor({ state: 'detached' });
    await keyboard.press('Control+Home');
    await keyboard.press('Shift+End');
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    await devTools.send('Input.insertText', { text: 'か' });
    await expect.poll(() => content.innerText()).toMatch(/^か\n {2}contact:/);
    await keyboard.press('Control+z');
    await expect.poll(() => content.innerText()).toMatch(/^forms:\n/);
    await page.locator('.cm-uncoloured').waitFor({ state: 'detached' });
  });
});
