/** The text editor: completions, explanations, marks and fixes, and a history shared with the builder. */
import { stateAt } from '../../apps/studio/test/studio/stage.ts';
import { describeInBrowser, isSound, type Page } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
      - {name: email, type: email}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"}
  second:
    title: Another form
    fields:
      - {name: plan, label: Plan}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/second", mapping: "*"}
`;

async function open() {
  const opened = await openStudio(config);
  await expect.poll(() => typed(opened.page)).toBe(config);
  return opened;
}

const content = (page: Page) => page.getByRole('textbox', { name: 'Config' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The whole text: CodeMirror renders only visible lines, but a short text is completely visible. */
const typed = (page: Page) =>
  content(page).evaluate((box) =>
    [...box.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );
const hasFocus = (page: Page) =>
  content(page).evaluate((box) => (box.getRootNode() as ShadowRoot).activeElement === box);

/** Puts the cursor after the first occurrence of `words`. */
async function caretBehind(page: Page, words: string): Promise<void> {
  await content(page).focus();
  await content(page).evaluate((box, searched) => {
    const line = [...box.querySelectorAll('.cm-line')].find((one) => one.textContent?.includes(searched));
    if (!line) throw new Error(`no line has ${searched}`);
    let left = (line.textContent ?? '').indexOf(searched) + searched.length;
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const { length } = node.textContent ?? '';
      if (left <= length) {
        getSelection()?.setBaseAndExtent(node, left, node, left);
        return;
      }
      left -= length;
    }
  }, words);
  // The editor notices with the next event.
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Replaces the whole text; a bar marks the cursor. */
async function write(page: Page, marked: string): Promise<void> {
  const [before = '', after = ''] = marked.split('|');
  await content(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(before + after);
  await page.keyboard.press('Control+End');
  for (let at = 0; at < after.length; at += 1) await page.keyboard.press('ArrowLeft');
}

/** CodeMirror ignores clicks on an outdated list. */
const options = (page: Page) =>
  page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) [role=option]');
const optionNamed = (page: Page, name: string) =>
  options(page).filter({ has: page.locator('.cm-completionLabel').getByText(name, { exact: true }) });

describeInBrowser('the editor of the studio’s config', () => {
  test('completes keys with the manual’s description, then their values, by keyboard', async () => {
    const { page } = await open();
    await caretBehind(page, 'title: Write to us');
    await page.keyboard.press('Enter');
    await page.keyboard.type('rece');
    await optionNamed(page, 'receipt').waitFor();
    await page.locator('.cm-completionInfo').getByText('signed code').waitFor();
    await isSound(page, 'studio_code_completion');
    // CodeMirror ignores keys for a moment after its list has changed, to prevent wrong choices.
    await optionNamed(page, 'receipt').click();
    await optionNamed(page, 'true').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await typed(page)).toContain('title: Write to us\n    receipt: false\n    fields:');
  });

  test.each([
    [
      'the name of a field',
      '      - {name: email, type: email}',
      ', visible_when: {field: |}',
      ['name', 'plan'],
    ],
    ['a value', '      - {name: email, type: email}', ', width: |', ['full', 'half']],
    ['a field of a template', 'mapping: "*"', ', text: "{{ |"', ['.fields.name', '.fields.email']],
  ])('offers %s where appropriate', async (_, line, more, [first = '', other = '']) => {
    const { page } = await open();
    const [before = '', after = ''] = more.split('|');
    await caretBehind(page, line.slice(0, line.endsWith('}') ? -1 : undefined));
    await page.keyboard.insertText(before + after);
    for (let at = 0; at < after.length; at += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await optionNamed(page, first).waitFor();
    // Fields of another form are not offered.
    expect(await optionNamed(page, other).count()).toBe(other === 'plan' ? 0 : 1);
  });

  test.each([
    ['      - {name: email, type: email}', 'One choice', 'type: radios'],
    [
      '      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"}',
      'Slack',
      'type: slack',
    ],
  ])('a new item after %s loads immediately', async (line, label, has) => {
    const { at, page } = await open();
    await caretBehind(page, line);
    await page.keyboard.press('Enter');
    await page.keyboard.type('- ');
    await page.keyboard.press('Control+Space');
    await page.keyboard.type(label.slice(0, 5));
    await optionNamed(page, label).click();
    await expect.poll(async () => (await stateAt(at)).file.text).toContain(has);
    expect((await stateAt(at)).file.state).toBe('fresh');
  });

  test('explains a key on hover, and the selected one in the list', async () => {
    const { page } = await open();
    await content(page).getByText('required').first().hover();
    const box = page.locator('.cm-docs');
    await box.getByText('Whether visitors must fill it in.').waitFor();
    expect(await box.textContent()).toContain('true or false, default false');
    await isSound(page, 'studio_code_hover');
    await page.mouse.move(5, 5);
    await box.waitFor({ state: 'detached' });
    await caretBehind(page, '{name: name, requ');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-completionInfo').getByText('Whether visitors must').waitFor();
    expect(await hasFocus(page)).toBe(true);
  });

  test('marks mistakes during typing, and a click fixes them, at the mark or in the list', async () => {
    const { page } = await open();
    await caretBehind(page, '{name: email, type: em');
    await page.keyboard.type('x');
    const wrong = page.locator('.cm-lintRange-error');
    await wrong.getByText('emxail').waitFor();
    await page.locator('.cm-gutter-lint .cm-lint-marker-error').waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'does not load' });
    await alert.getByText('found "emxail" (did you mean email?)').waitFor();
    await isSound(page, 'studio_code_problem');
    await alert.getByRole('button', { name: 'Change to email' }).click();
    await alert.waitFor({ state: 'detached' });
    expect(await typed(page)).toBe(config);
    expect(await hasFocus(page)).toBe(true);

    await page.keyboard.press('Control+z');
    await wrong.getByText('emxail').hover();
    await page.locator('.cm-diagnosticAction').getByText('Change to email').click();
    await alert.waitFor({ state: 'detached' });
    expect(await typed(page)).toBe(config);
  });

  describe('has the usual editor keys:', () => {
    test.each([
      ['a:|', 'Enter', 'a:\n  '],
      ['a:\n  b: # c|', 'Enter', 'a:\n  b: # c\n    '],
      ['a:\n  - b:|', 'Enter', 'a:\n  - b:\n      '],
      ['a:\n  b: c|', 'Enter', 'a:\n  b: c\n  '],
      ['a: b|', 'Enter', 'a: b\n'],
      ['a: |b', 'Tab', 'a:  b'],
      ['a:\n    b|: c', 'Shift+Tab', 'a:\n  b: c'],
    ])('%j, %s', async (before, key, after) => {
      const { page } = await open();
      await write(page, before);
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowRight');
      if (!before.endsWith('|')) await page.keyboard.press('ArrowLeft');
      await page.keyboard.press(key);
      expect(await typed(page)).toBe(after);
      await page.keyboard.press('Control+z');
      expect(await typed(page)).toBe(before.replace('|', ''));
    });

    test.each(['Tab', 'Shift+Tab'])('Escape, then %s leaves the editor, which says so', async (key) => {
      const { page } = await open();
      await content(page).focus();
      const described = await content(page).evaluate(
        (box) =>
          (box.getRootNode() as ShadowRoot).getElementById(box.getAttribute('aria-describedby') ?? '')
            ?.textContent,
      );
      expect(described).toContain('Press Escape, then Tab, to leave the editor.');
      await page.keyboard.press('Escape');
      await page.keyboard.press(key);
      expect([await hasFocus(page), await typed(page)]).toEqual([false, config]);
    });
  });

  describe('saves', () => {
    const breakIt = async (page: Page) => {
      await caretBehind(page, '{name: name, requ');
      await page.keyboard.type('x');
      await page.getByRole('alert').getByText('unknown key').waitFor();
    };
    const broken = config.replace('required', 'requxired');

    test('a config that does not load only if its owner confirms', async () => {
      const { at, page } = await open();
      await breakIt(page);
      await button(page, 'Save to file').click();
      const question = page.getByRole('alert').getByText('This config does not load');
      await question.waitFor();
      expect(at.file).toBe(config);
      await button(page, 'Keep editing').click();
      await question.waitFor({ state: 'detached' });
      expect([await hasFocus(page), at.file]).toEqual([true, config]);

      await page.keyboard.press('Control+s');
      await question.waitFor();
      await page.keyboard.type('y');
      await question.waitFor({ state: 'detached' });
      await page.keyboard.press('Backspace');
      await button(page, 'Save to file').click();
      await button(page, 'Save it anyway').click();
      await expect.poll(() => at.file).toBe(broken);
      await question.waitFor({ state: 'detached' });
    });
  });
});
