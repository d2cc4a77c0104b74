/** The config's editor: its keys, its long lines, and what becomes of the file. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { stage } from '../studio/stage.ts';
import { describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';

const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
    outputs:
      - {type: http_post, url: "https://hooks.example.com/contact", mapping: "*"}
`;
const broken = config.replace('required', 'requierd');

async function open(text = config, viewport = { width: 1280, height: 800 }) {
  const at = await stage({ config: text });
  const page = await openPage({ viewport, reducedMotion: 'reduce' });
  await page.goto(at.origin);
  await page.frameLocator('#frame').locator('form').waitFor();
  // On a phone it is not shown at first.
  await expect.poll(() => page.locator('#yaml').inputValue()).toBe(text);
  return { at, page };
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Bars stand for the caret, or around what is selected. */
async function typeIn(page: Page, marked: string): Promise<void> {
  const parts = marked.split('|');
  const text = parts.join('');
  await yaml(page).fill(text);
  await yaml(page).evaluate(
    (editor: HTMLTextAreaElement, [from = 0, to = 0]) => editor.setSelectionRange(from, to),
    [parts[0]?.length ?? 0, text.length - (parts.at(-1)?.length ?? 0)],
  );
}

const typed = (page: Page) =>
  yaml(page).evaluate(({ value, selectionStart: from, selectionEnd: to }: HTMLTextAreaElement) =>
    [value.slice(0, from), ...(from === to ? [] : [value.slice(from, to)]), value.slice(to)].join('|'),
  );

const hasFocus = (page: Page) => yaml(page).evaluate((editor) => editor === document.activeElement);

describeInBrowser('the editor of the studio', () => {
  describe('has the keys of an editor', () => {
    /** Each line: what stood there, what is pressed, what stands there then. */
    const keys = [
      ['a:\n  b: c|', 'Enter', 'a:\n  b: c\n  |'],
      ['a:\n    |b: c', 'Enter', 'a:\n    \n    |b: c'],
      ['a:\n  |  b: c', 'Enter', 'a:\n  \n  |  b: c'],
      ['a: b|', 'Enter', 'a: b\n|'],
      ['  - a: |b|', 'Enter', '  - a: \n  |'],
      ['a:\n|b: c', 'Tab', 'a:\n  |b: c'],
      ['a:\n |b: c', 'Tab', 'a:\n  |b: c'],
      ['a:\n  b|: c', 'Tab', 'a:\n  b |: c'],
      ['a: |b| c', 'Tab', 'a:  | c'],
      ['a:\n|b: c\nd: e|\nf: g', 'Tab', 'a:\n  |b: c\n  d: e|\nf: g'],
      ['a:\nb|: c\n\nd: e\n|f: g', 'Tab', 'a:\n  b|: c\n\n  d: e\n|f: g'],
      ['a:\n    b|: c', 'Shift+Tab', 'a:\n  b|: c'],
      ['a:\n b|: c', 'Shift+Tab', 'a:\nb|: c'],
      ['a:\n|b: c', 'Shift+Tab', 'a:\n|b: c'],
      ['a:\n   | b: c', 'Shift+Tab', 'a:\n | b: c'],
      ['  |a:\n    b: c|\nd', 'Shift+Tab', '|a:\n  b: c|\nd'],
    ] as const;

    test('Enter, Tab and Shift+Tab', async () => {
      const { page } = await open();
      const found = [];
      for (const [before, key] of keys) {
        await typeIn(page, before);
        await page.keyboard.press(key);
        found.push([before, key, await typed(page)]);
      }
      expect(found).toEqual(keys);
    });

    test('which can be undone as any typing', async () => {
      const { page } = await open();
      for (const [before, key] of [
        ['a:\n  b: c|', 'Enter'],
        ['a:\n |b: c', 'Tab'],
        ['a:\n|b: c', 'Tab'],
        ['a:\n|b: c\nd|: e', 'Tab'],
        ['a:\n  b|: c', 'Shift+Tab'],
      ] as const) {
        await typeIn(page, before);
        await page.keyboard.press(key);
        await page.keyboard.press('Control+z');
        expect([key, await yaml(page).inputValue()]).toEqual([key, before.replaceAll('|', '')]);
      }
    });

    test('and what they change is used', async () => {
      const { page } = await open();
      await typeIn(page, config.replace('true}\n', 'true}|\n'));
      await page.keyboard.press('Enter');
      await page.keyboard.type('- {name: phone, type: tel}');
      await page.frameLocator('#frame').getByLabel('Phone').waitFor();
    });

    test.each([
      ['Tab', false],
      ['Shift+Tab', true],
    ])('Escape, then %s leaves it', async (key, isBefore) => {
      const { page } = await open();
      await yaml(page).focus();
      await page.keyboard.press('Escape');
      await page.keyboard.press(key);
      expect(await hasFocus(page)).toBe(false);
      const position = await yaml(page).evaluate((editor) =>
        editor.compareDocumentPosition(document.activeElement as Element),
      );
      expect(Boolean(position & 2)).toBe(isBefore);
      expect(await yaml(page).inputValue()).toBe(config);
    });

    test('and Escape means only the next key', async () => {
      const { page } = await open();
      await typeIn(page, '|a');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Tab');
      expect([await hasFocus(page), await typed(page)]).toEqual([true, '  |a']);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await yaml(page).focus();
      await page.keyboard.press('Tab');
      expect(await hasFocus(page)).toBe(true);
    });

    test('which screen readers say', async () => {
      const { page } = await open();
      const described = await yaml(page).evaluate((editor) =>
        (editor.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent?.trim())
          .join(' '),
      );
      expect(described).toContain('Press Escape, then Tab, to leave the editor.');
    });
  });

  test.each([
    ['wide', { width: 1280, height: 800 }, 'light'],
    ['phone', { width: 390, height: 844 }, 'dark'],
  ] as const)('shows all of a long line, and its comment: %s', async (name, viewport, colorScheme) => {
    const comment = `# ${'a comment that goes on '.repeat(12)}to its end`;
    const word = `${'x'.repeat(300)}`;
    const long = config
      .replace('true}\n', `true} ${comment}\n`)
      .replace('Write to us', `Write to us # ${word}`);
    const { page } = await open(long, viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (name === 'phone') await button(page, 'Show').click();
    const sizes = await page.evaluate(() => {
      const [sheet, colours, editor] = ['.sheet', '#colours', '#yaml'].map(
        (selector) => document.querySelector(selector) as HTMLElement,
      );
      return [sheet, colours, editor]
        .map((one) => (one ? one.scrollWidth - one.clientWidth : -1))
        .concat((colours?.clientHeight ?? 0) - (editor?.scrollHeight ?? -1));
    });
    expect(sizes).toEqual([0, 0, 0, 0]);
    // Each letter is painted where the editor has it: a click behind the last one puts the caret there.
    const end = await page
      .locator('#colours .line')
      .nth(4)
      .evaluate((line) => {
        line.scrollIntoView({ block: 'center' });
        const range = document.createRange();
        range.selectNodeContents(line.querySelector('.comment') as Element);
        const last = [...range.getClientRects()].at(-1) as DOMRect;
        return [last.right - 2, last.top + last.height / 2];
      });
    await page.mouse.click(end[0] ?? 0, end[1] ?? 0);
    expect((await typed(page)).split('|')[0]).toBe(long.slice(0, long.indexOf(comment) + comment.length));
    expect(await violationsIn(page)).toEqual([]);
    await screenshot(page, `studio_long_lines_${name}`);
  });

  describe('saves', () => {
    test('a config that does not load only when its owner says so', async () => {
      const { at, page } = await open();
      await yaml(page).fill(broken);
      await button(page, 'Save to file').click();
      const question = page.getByRole('alert').getByText('This config does not load');
      await question.waitFor();
      expect(at.file).toBe(config);
      expect(await violationsIn(page)).toEqual([]);
      await button(page, 'Go on editing').click();
      await question.waitFor({ state: 'detached' });
      expect([await hasFocus(page), at.file]).toEqual([true, config]);

      await page.keyboard.press('Control+s');
      await question.waitFor();
      await yaml(page).press('End');
      await page.keyboard.type('#');
      await question.waitFor({ state: 'detached' });
      await page.keyboard.press('Backspace');
      await button(page, 'Save to file').click();
      await button(page, 'Save it all the same').click();
      await expect.poll(() => at.file).toBe(broken);
      await question.waitFor({ state: 'detached' });
    });

    test('over what the file got meanwhile, though it does not load, after both questions', async () => {
      const { at, page } = await open();
      await yaml(page).fill(broken);
      await button(page, 'Save to file').waitFor();
      const theirs = config.replace('Write to us', 'Theirs');
      await at.edit(theirs);
      await button(page, 'Save mine over it').click();
      await button(page, 'Save it all the same').click();
      await expect.poll(() => at.file).toBe(broken);
      await button(page, 'Undo').click();
      await expect.poll(() => at.file).toBe(theirs);
    });
  });

  test('"Undo" takes back what was typed, and then each save', async () => {
    const { at, page } = await open();
    const save = async (text: string) => {
      await yaml(page).fill(text);
      await button(page, 'Save to file').click();
      await expect.poll(() => at.file).toBe(text);
    };
    const [second, third] = [config.replace('Write to us', 'Second'), config.replace('Write to us', 'Third')];
    await save(second);
    await save(third);
    await page.locator('#status').getByText('saved').waitFor();
    await yaml(page).fill(broken);
    await page.locator('.problems').waitFor();
    for (const [shown, file] of [
      [third, third],
      [second, second],
      [config, config],
    ]) {
      await button(page, 'Undo').click();
      await expect.poll(() => yaml(page).inputValue()).toBe(shown);
      await expect.poll(() => at.file).toBe(file);
    }
    await button(page, 'Undo').waitFor({ state: 'detached' });
  });
});
