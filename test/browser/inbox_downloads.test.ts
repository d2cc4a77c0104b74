/** Exports and erasing a person in the inbox's page: complete, or reported as incomplete. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { People } from '../../apps/inbox/src/actions/people.ts';
import type { EntryIndex } from '../../apps/inbox/src/entry_index.ts';
import { indexed } from '../../apps/inbox/test/stage.ts';
import type { Written } from '../../packages/stored/test/entries.ts';
import { button, idle, open, pageFiles } from './inbox_stage.ts';
import { describeInBrowser } from './stage.ts';

const some = Array.from(
  { length: 20 },
  (_, nth): Written => ({
    id: `id-${nth}`,
    at: `2026-11-20T10:00:${10 + nth}.000Z`,
    values: { email: [`m${nth}@example.org`], note: ['two\nlines, and a "quote"'] },
  }),
);

const nobody: People = {
  find: async () => ({ entries: [], sealed: 0 }),
  export: async function* () {},
  erase: async () => ({ entries: 0, left: [] }),
};

describeInBrowser('what the inbox saves and erases', () => {
  test('saves the view as JSON Lines, and nothing if the download breaks off', async () => {
    let isBroken = false;
    const broken: unknown[] = [];
    const rows: EntryIndex['rows'] = async function* (...args) {
      yield* original.rows(...args);
      if (isBroken) throw new Error('the disk is gone');
    };
    let original: Pick<EntryIndex, 'rows'> = { rows };
    const { page } = await open(
      some,
      {
        wrap: (index) => {
          original = index;
          return { ...index, rows };
        },
        broken: (error) => broken.push(error),
      },
      { complains: /ERR_INCOMPLETE_CHUNKED/ },
    );
    await page.getByText('20 submissions').waitFor();
    await button(page, 'Export').click();
    const dialog = page.getByRole('dialog');
    const download = page.waitForEvent('download');
    await button(page, 'Save as JSON Lines').click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('submissions.jsonl');
    const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(some.map(({ id }) => id).reverse());
    await dialog.getByText('Saved.').waitFor();

    isBroken = true;
    await button(page, 'Save as JSON Lines').click();
    await dialog.getByRole('alert').getByText('The download was interrupted. Nothing was saved.').waitFor();
    expect(broken).toHaveLength(1);
  });

  test('saves everything stored about one person, and erases thousands', async () => {
    const ids = Array.from({ length: 2_500 }, (_, nth) => `p-${nth}`);
    const sizes: number[] = [];
    let isFull = false;
    const people: People = {
      ...nobody,
      find: async () => ({ entries: ids.map((id) => ({ ...indexed(id), places: ['archive'] })), sealed: 0 }),
      export: async function* () {
        for (const id of ids) yield `${JSON.stringify({ id })}\n`;
      },
      erase: async (_email, some) => {
        sizes.push(some.length);
        if (isFull) throw new Error('the disk is full');
        return { entries: some.length, left: [] };
      },
    };
    const { page } = await open([], {
      people,
      actions: idle,
      wrap: (index) => ({ ...index, refresh: async () => {} }),
      broken: () => {},
    });
    await button(page, 'One person').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ada@example.org');
    const download = page.waitForEvent('download');
    await button(page, 'Save all as JSON Lines').click();
    expect((await readFile(await (await download).path(), 'utf8')).split('\n')).toHaveLength(2_501);
    await dialog.getByText('Saved.').waitFor();

    await button(page, 'List').click();
    await dialog.getByText('2,500 submissions found.').waitFor();
    await button(page, 'Erase 2,500 submissions').click();
    await dialog.getByText('Erased 2,500 submissions.').waitFor();
    expect(sizes).toEqual([2_500]);

    await button(page, 'List').click();
    await dialog.getByText('2,500 submissions found.').waitFor();
    isFull = true;
    await button(page, 'Erase 2,500 submissions').click();
    await dialog.getByRole('alert').getByText('something went wrong').waitFor();
    expect(sizes).toEqual([2_500, 2_500]);
  });

  test('loads at most 40 KB before it shows the list', async () => {
    const files = await pageFiles();
    const first = new Set(['index.html', 'inbox.css', 'inbox.js']);
    let size = 0;
    // The script's static imports are loaded with it; the set grows during the loop.
    for (const name of first) {
      const file = files.get(name);
      if (!file) throw new Error(`the page lacks ${name}`);
      size += gzipSync(file).length;
      for (const [, imported = ''] of String(file).matchAll(/(?:import|from)\s*"\.\/([\w.-]+\.js)"/g))
        first.add(imported);
    }
    expect(size).toBeLessThan(40_000);
  });
});
