/** The inbox's message view: files, checks, deliveries, and the actions that each person may use. */

import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Person } from '../../apps/inbox/src/gate.ts';
import type { Actions } from '../../apps/inbox/src/server/options.ts';
import { button, entries, idle, message, open, row } from './inbox_stage.ts';
import { describeInBrowser } from './stage.ts';

const at = '2026-11-21T10:00:00.000Z';
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeInBrowser('a message in the inbox', () => {
  test('shows images, and says so if a file is not one', async () => {
    const { page } = await open([
      {
        id: 'id-1',
        at,
        values: { email: ['bob@example.org'] },
        files: [
          ['photo', 'door.png', dot, 'image/png'],
          ['photo', 'window.png', dot.subarray(0, 40), 'image/png'],
          ['photo', 'plan.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
        ],
      },
    ]);
    await row(page, /bob/).click();
    const image = message(page).getByRole('img', { name: 'Preview of door.png' });
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    await message(page).getByText('The browser cannot show this image.').waitFor();
    expect(await message(page).getByRole('img').count()).toBe(1);
    await message(page).getByRole('link', { name: 'Save plan.svg' }).waitFor();
  });

  test('names the command that opens a sealed one, and offers nothing that needs its values', async () => {
    const sealTo = [await identityToRecipient(await generateX25519Identity())];
    const { page } = await open([{ id: 'id-1', at, values: { email: ['bob@example.org'] }, sealTo }], {
      actions: idle,
    });
    await row(page, /Sealed/).click();
    await message(page).getByText('relay archive show id-1 --from ARCHIVE --identity KEY.txt').waitFor();
    await button(page, 'Delete').waitFor();
    expect(await button(page, 'Deliver again').count()).toBe(0);
    expect(await page.getByText('bob@example.org').count()).toBe(0);
  });

  test('says which check dropped it, and why', async () => {
    const dropped = { by: 'min_fill', reason: 'sent after 2 s, and the form asks for 5 s' };
    const { page } = await open([
      { id: 'id-1', at, values: { email: ['bob@example.org'] }, more: { dropped } },
    ]);
    await row(page, /bob/).click();
    await message(page).getByText('Dropped by min fill. sent after 2 s, and the form asks for 5 s').waitFor();
  });

  test('offers only actions that the person may use in its form', async () => {
    const done: string[] = [];
    const actions: Actions = {
      ...idle,
      run: async (id) => {
        done.push(id);
        return { isDone: true, words: 'Done.' };
      },
      remove: idle.remove,
    };
    const person: Person = {
      name: 'Ada',
      forms: undefined,
      may: (right, form) => right === 'read' || form === 'contact',
    };
    const { at: staged, page } = await open(entries, {
      actions,
      person: () => person,
      people: {
        find: async (_email, forms) => ({ entries: [], sealed: forms?.size ?? 0 }),
        export: async function* () {},
        erase: async () => ({ entries: 0, left: [] }),
      },
    });
    const offered = async () => {
      const group = page.getByRole('group', { name: 'Actions' }).getByRole('button');
      return (await group.allInnerTexts()).map((name) => name.trim());
    };
    await row(page, /Fatma/).click();
    await message(page).getByRole('heading', { name: 'person5' }).waitFor();
    await expect.poll(offered).toEqual(['Mark as unread', 'Print']);
    await page.keyboard.press('#');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // The server would refuse, too.
    const headers = { 'content-type': 'application/json' };
    const answer = await staged.ask('/api/entries/id-5/mark', {
      method: 'POST',
      headers,
      body: '{"mark":"spam"}',
    });
    expect(answer.status).toBe(403);
    await row(page, /Emil/).click();
    await message(page).getByRole('heading', { name: 'person4' }).waitFor();
    await expect
      .poll(offered)
      .toEqual(['Deliver again', 'Spam', 'Not spam', 'Mark as unread', 'Print', 'Delete']);
    await button(page, 'Spam').click();
    await page.getByText('Done.').waitFor();
    expect(done).toEqual(['id-4']);
    await button(page, 'One person').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('You can list and erase those of Contact.').waitFor();
    await dialog.getByLabel('Address').fill('ada@example.org');
    await button(page, 'List').click();
    await dialog.getByText(/^1 sealed submissions? could not be searched/).waitFor();
  });
});
