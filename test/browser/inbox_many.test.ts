/** Actions on several submissions at once in the inbox, and the answer to one. */
import { expect, test } from 'vitest';
import type { Written } from '../../packages/stored/test/entries.ts';
import { button, entries, message, open, row, rows } from './inbox_stage.ts';
import { describeInBrowser, isSound, screenshot } from './stage.ts';

const hostile: Written = {
  id: 'hostile',
  at: '2026-11-26T10:00:00.000Z',
  values: {
    name: ['Eve'],
    email: ['eve?bcc=all&subject=x@example.org'],
    phone: ['+49 (0) 30 1234-56'],
    site: ['javascript:alert(1)'],
    other: ['https://evil.example/'],
    number: ['1234567890'],
    message: [`Hello & goodbye?\r\nBcc: all@example.org\n\n${'A long line of words. '.repeat(300)}`],
  },
};

describeInBrowser('several submissions in the inbox', () => {
  test('links an address and a telephone number, and nothing else; a reply has subject and quote', async () => {
    const { page } = await open([...entries, hostile]);
    await row(page, /Eve/).click();
    await message(page).getByRole('heading', { name: 'Eve' }).waitFor();
    const links = message(page).locator('.fields a');
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'mailto:eve%3Fbcc%3Dall%26subject%3Dx@example.org',
      'tel:+4930123456',
    ]);
    const href = (await page.getByRole('link', { name: 'Reply' }).getAttribute('href')) ?? '';
    expect(href.length).toBeLessThan(2_000);
    const { pathname, searchParams } = new URL(href);
    expect(pathname).toBe('eve%3Fbcc%3Dall%26subject%3Dx@example.org');
    expect([...searchParams.keys()]).toEqual(['subject', 'body']);
    expect(searchParams.get('subject')).toBe('Re: Contact');
    const body = (searchParams.get('body') ?? '').split('\r\n');
    expect(body[2]).toMatch(/^Eve, .*2026/);
    expect(body.slice(3, 6)).toEqual(['> Hello & goodbye?', '> Bcc: all@example.org', '> ']);
    expect(body.at(-1)).toBe('> […]');
    await isSound(page, 'inbox-reply');
  });

  test.each([
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ])('a row has the name once, and then the message: $width px', async (viewport) => {
    const { page } = await open(entries, {}, { viewport });
    expect((await row(page, /Bob/).innerText()).replaceAll(/\s+/g, ' ')).not.toContain('person1@');
    const message = row(page, /Bob/).locator('.summary');
    expect(await message.innerText()).toMatch(/^I would like an offer for 2 windows\./);
    expect((await message.boundingBox())?.width).toBeGreaterThan(150);
    await screenshot(page, `inbox-rows-${viewport.width}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await screenshot(page, `inbox-rows-dark-${viewport.width}`);
  });

  test('marks all as read, and marks, exports and deletes those that are selected, by mouse and keys', async () => {
    const done: string[] = [];
    const ending = { isDone: true, words: 'Done.' };
    const { page } = await open(
      entries,
      {
        actions: {
          run: async (id, request) => {
            done.push(`${request.action} ${id}`);
            return ending;
          },
          remove: async (id) => {
            done.push(`delete ${id}`);
            return ending;
          },
        },
      },
      { viewport: { width: 390, height: 844 } },
    );
    await row(page, /Fatma/).locator('.pick').click();
    await row(page, /Emil/).locator('.pick').click();
    await page.getByText('2 selected').waitFor();
    expect(await row(page, /Emil/).getAttribute('aria-selected')).toBe('true');
    await button(page, 'Spam').click();
    await page.getByText('Marked 2 submissions as spam.').waitFor();
    expect(done.splice(0)).toEqual(['mark id-5', 'mark id-4']);
    await page.getByText('6 submissions').waitFor();
    await button(page, 'Mark all as read').click();
    await page.getByText('Marked 6 submissions as read.').waitFor();
    await expect.poll(() => page.locator('.row.unread').count()).toBe(0);
    await button(page, 'Mark all as read').waitFor({ state: 'detached' });

    await page.locator('.list').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    await page.getByText('3 selected').waitFor();
    await isSound(page, 'inbox-selected-390');
    await page
      .getByRole('group', { name: 'Selected submissions' })
      .getByRole('button', { name: 'Export' })
      .click();
    const saved = page.waitForEvent('download');
    await button(page, 'Save as JSON Lines').click();
    expect((await saved).suggestedFilename()).toBe('submissions.jsonl');
    await page.getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('#');
    const dialog = page.getByRole('dialog', { name: 'Delete 3 submissions?' });
    await dialog.waitFor();
    expect(done).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete 3 submissions' }).click();
    await page.getByText('Deleted 3 submissions.').waitFor();
    expect(done.splice(0)).toEqual(['delete id-5', 'delete id-4', 'delete id-3']);
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.keyboard.press('*');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('3 submissions', { exact: true }).waitFor();
  });
});
