/** Bulk actions in the inbox, and replying to a submission. */
import { join } from 'node:path';
import { write } from '../../apps/inbox/test/stage.ts';
import type { Written } from '../../packages/stored/test/entries.ts';
import { button, entries, idle, message, open, row, rows } from './inbox_stage.ts';
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
  test('links addresses and telephone numbers, and nothing else; a reply has a subject and a quote', async () => {
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
  ])('a row shows the name once, then the message: $width px', async (viewport) => {
    const { page } = await open(entries, {}, { viewport });
    expect((await row(page, /Bob/).innerText()).replaceAll(/\s+/g, ' ')).not.toContain('person1@');
    const message = row(page, /Bob/).locator('.summary');
    expect(await message.innerText()).toMatch(/^I would like an offer for 2 windows\./);
    expect((await message.boundingBox())?.width).toBeGreaterThan(150);
    await screenshot(page, `inbox-rows-${viewport.width}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await screenshot(page, `inbox-rows-dark-${viewport.width}`);
  });

  test('marks all as read, and marks, exports and deletes selected ones, with mouse and keyboard', async () => {
    const done: string[] = [];
    const ending = { isDone: true, words: 'Done.' };
    const { page } = await open(
      entries,
      {
        actions: {
          ...idle,
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

  test.each(['light', 'dark'] as const)(
    'submissions that need attention are opened, fixed and undone, with mouse and keyboard; numbers add up: %s',
    async (colorScheme) => {
      const dropped = { by: 'honeypot', reason: 'the field `website` was filled in' };
      const doubted = { doubt: { score: 4, signals: { links: 4 } } };
      const all = entries.map((one, nth) => (nth < 3 ? { ...one, more: doubted } : one));
      const { page, at } = await open(
        all,
        {
          actions: {
            ...idle,
            run: async (id) => ({ isDone: id !== 'id-7', words: 'Smtp did not accept the submission.' }),
          },
        },
        { colorScheme },
      );
      await write(join(at.archive, '.dropped'), [
        { id: 'id-7', at: '2026-11-24T10:00:00.000Z', values: { name: ['Gil'] }, more: { dropped } },
      ]);
      await page.getByRole('button', { name: 'Dropped 1' }).click();
      await page.getByText('Dropped by honeypot.').waitFor();
      await isSound(page, `inbox-dropped-${colorScheme}`);
      await button(page, 'Restore: all 1').click();
      const dialog = page.getByRole('dialog', { name: 'Restore 1 submission?' });
      await dialog.getByText('cannot be recalled').waitFor();
      await page.keyboard.press('Tab');
      await dialog.getByRole('button', { name: 'Restore 1 submission' }).press('Enter');
      await page.getByText('Restored 0 of 1 submission. 1 failed.').waitFor();
      await page.getByText('1 × Smtp did not accept the submission.').waitFor();
      await isSound(page, `inbox-run-${colorScheme}`);
      await page.reload();
      await page.getByText('Restored 0 of 1 submission. 1 failed.').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Suspected spam 3' }).click();
      await page.getByText('Suspected mainly because of links.').waitFor();
      await button(page, 'Not spam: all 3').click();
      await page.getByText('Marked 3 submissions as not spam.').waitFor();
      await page.getByText('No submission matches.').waitFor();
      await button(page, 'Undo').click();
      await page.getByText('Removed the marks from 3 submissions.').waitFor();
      await expect.poll(() => rows(page).count()).toBe(3);
      await page.locator('.list').focus();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Suspected spam Remove/ }).click();
      await page.keyboard.press('v');
      const table = page.getByRole('region', { name: 'Counts: Form' });
      await table.getByRole('row', { name: /Contact 6 2 3 1/ }).waitFor();
      await isSound(page, `inbox-numbers-${colorScheme}`);
      await table.getByRole('button', { name: '3' }).first().click();
      await expect.poll(() => rows(page).count()).toBe(3);
      await page.keyboard.press('v');
      await page.getByText('3 submissions read.').waitFor();
      await page
        .getByRole('article')
        .filter({ hasText: 'message' })
        .getByRole('button', { name: 'offer 3' })
        .waitFor();
      await isSound(page, `inbox-answers-${colorScheme}`);
      const saved = page.waitForEvent('download');
      await button(page, 'Summary as CSV').click();
      expect((await saved).suggestedFilename()).toBe('summary.csv');
    },
  );
});
