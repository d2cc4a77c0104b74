/** The inbox's keyboard shortcuts, each pressed once. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Actions } from '../../apps/inbox/src/server/options.ts';
import type { Outbox } from '../../apps/inbox/src/store/outbox.ts';
import { openStore } from '../../apps/inbox/src/store/store.ts';
import { openAccess } from '../../apps/inbox/src/team/access.ts';
import { parseConfig } from '../support/parse_config.ts';
import { tempFolder } from '../support/temp_folder.ts';
import { entries, idle, message, open, row, rows } from './inbox_stage.ts';
import { describeInBrowser, isSound } from './stage.ts';

describeInBrowser('the keys of the inbox', () => {
  test('supports the shortcuts of mail programs, but not while a person types', async () => {
    const actions: Actions = {
      ...idle,
      remove: async (id) => {
        const paths = readdirSync(at.archive, { encoding: 'utf8', recursive: true });
        for (const path of paths.filter((path) => path.includes(id)))
          rmSync(join(at.archive, path), { force: true, recursive: true });
        return { isDone: true, words: 'Deleted.' };
      },
    };
    const { at, page } = await open(entries, { actions });
    const press = (key: string) => page.keyboard.press(key);
    const isAt = (name: string) => message(page).getByRole('heading', { name }).waitFor();
    const isBack = async () => {
      await message(page).waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.matches('.list'));
    };
    await row(page, /Fatma/).waitFor();
    await press('j');
    await press('Enter');
    await isAt('person4');
    await press('j');
    await isAt('person3');
    await press('k');
    await isAt('person4');
    await press('ArrowDown');
    await isAt('person3');
    await press('ArrowUp');
    await isAt('person4');
    await press('End');
    await isAt('person0');
    await press('Home');
    await isAt('person5');
    await press('u');
    await isBack();
    await press('j');
    await press('o');
    await isAt('person4');
    await press('Escape');
    await isBack();
    await page.keyboard.press('/');
    await page.keyboard.type('sh#');
    expect(await page.getByRole('searchbox').inputValue()).toBe('sh#');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // The list is reloaded from its start.
    await expect.poll(() => rows(page).count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await press('Escape');
    await press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    const listed = await help.locator('kbd').allInnerTexts();
    const all = 'j ↓ k ↑ Home End o Enter u Esc / x Space X * # Del v r e l a n s 1–9 ?';
    expect(listed.map((key) => key.replace(/^Shift (.)$/, (_, letter) => letter.toUpperCase()))).toEqual(
      all.split(' '),
    );
    await press('Escape');
    await help.waitFor({ state: 'detached' });
    // From the list, without opening it.
    await page.getByText('6 submissions').waitFor();
    await press('#');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await confirm.click();
    await expect.poll(() => rows(page).count()).toBe(5);
    await row(page, /Emil/).click();
    await message(page).waitFor();
    await press('Delete');
    await confirm.click();
    await expect.poll(() => rows(page).count()).toBe(4);
    await message(page).waitFor({ state: 'detached' });
  });

  test('invites a person, and creates a key that is shown once', async () => {
    const store = openStore(join(tempFolder(), 'store'));
    onTestFinished(() => store.close());
    const config = parseConfig(
      'inbox: {url: "https://inbox.example.org"}\nforms: {contact: {fields: [], outputs: [{type: folder, path: a}]}}',
      'webform.yaml',
    );
    const settings = config.ok ? config.value.shared.get('inbox') : undefined;
    const mails: string[] = [];
    const outbox: Outbox = {
      carrier: () => ({}) as never,
      send: async ({ to }) => {
        mails.push(to);
        return { state: 'sent', messageId: '' };
      },
    };
    const access = openAccess(store, () => settings, Date.now);
    const { page } = await open(
      entries,
      { access, outbox, store },
      { viewport: { width: 390, height: 844 } },
    );
    const press = (key: string) => page.keyboard.press(key);
    const go = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await press('Enter');
    };
    await go('People');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await isSound(page);
    await go('Invite');
    await page.keyboard.type('bob@example.org');
    await press('Tab');
    await page.keyboard.type('Bob');
    await press('Tab');
    await press('ArrowDown');
    await isSound(page);
    await go('Send the invitation');
    await page.getByText('Reads and acts · all forms').waitFor();
    expect(mails).toEqual(['bob@example.org']);
    await go('New key');
    await page.keyboard.type('CRM');
    await press('Enter');
    const key = await page.getByRole('textbox', { name: 'Key' }).inputValue();
    await isSound(page);
    expect(access.accounts.program(key)?.name).toBe('key “CRM”');
    await go('Done');
    await page.getByText('Reads · all forms').waitFor();
    await isSound(page);
    expect(await page.content()).not.toContain(key);
    await go('Remove bob@example.org');
    await go('Remove');
    await page.getByText('No team members yet.').waitFor();
    await press('Escape');
    await row(page, /Fatma/).waitFor();
  });
});
