/** Exports and the erasing of a person in the inbox's page: whole, or said not to be. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { EntryIndex } from '../../apps/inbox/src/entry_index.ts';
import type { People } from '../../apps/inbox/src/server/options.ts';
import type { Written } from '../archive/entries.ts';
import { button, open, pageFiles, slow } from './inbox_stage.ts';
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
  test(
    'saves the view as JSON Lines, and says so loudly if a file is cut short',
    async () => {
      let most = Infinity;
      const broken: unknown[] = [];
      let breakOff = () => {};
      const isRead = new Promise<void>((resolve) => {
        breakOff = resolve;
      });
      const ids: EntryIndex['ids'] = async function* (this: EntryIndex, query, forms) {
        const all: string[] = [];
        for await (const piece of original.ids(query, forms)) all.push(...piece);
        yield all.slice(0, most);
        if (most > 0) return;
        yield all;
        await isRead;
        throw new Error('the disk is gone');
      };
      let original: Pick<EntryIndex, 'ids'> = { ids };
      const { page } = await open(some, {
        wrap: (index) => {
          original = index;
          return { ...index, ids };
        },
        broken: (error) => broken.push(error),
      });
      await page.getByText('20 submissions').waitFor();
      await button(page, 'Export').click();
      const dialog = page.getByRole('dialog');
      const download = page.waitForEvent('download');
      await button(page, 'Save as JSON Lines').click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe('submissions.jsonl');
      const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).id)).toEqual(some.map(({ id }) => id).reverse());
      await dialog.getByText('Saved 20 submissions.').waitFor();

      most = 18;
      await button(page, 'Save as CSV').click();
      await dialog.getByRole('alert').getByText('The file is cut short: it has 18 of 20').waitFor();

      most = 0;
      await button(page, 'Save as JSON Lines').click();
      // The server reads 16 ahead.
      await dialog.getByText('5 of 20').waitFor();
      breakOff();
      await dialog
        .getByRole('alert')
        .getByText('The download broke off after 5 of 20 submissions. Nothing was saved.')
        .waitFor();
      expect(broken).toHaveLength(1);
    },
    slow,
  );

  test(
    'saves what is stored of one person, and erases thousands in steps',
    async () => {
      const ids = Array.from({ length: 2_500 }, (_, nth) => `p-${nth}`);
      const asked: number[] = [];
      let isFull = false;
      let goOn = () => {};
      const isSeen = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const people: People = {
        ...nobody,
        find: async () => ({ entries: ids.map(entryOf), sealed: 0 }),
        export: async function* () {
          for (const id of ids) yield `${JSON.stringify({ id })}\n`;
        },
        erase: async (_email, some) => {
          asked.push(some.length);
          if (asked.length === 2) await isSeen;
          if (isFull) throw new Error('the disk is full');
          return { entries: some.length, left: [] };
        },
      };
      const { page } = await open([], {
        people,
        actions: { run: async () => done, remove: async () => done },
        wrap: (index) => ({ ...index, refresh: async () => {} }),
        broken: () => {},
      });
      await button(page, 'One person').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill('ada@example.org');
      const download = page.waitForEvent('download');
      await button(page, 'Save all as JSON Lines').click();
      expect((await readFile(await (await download).path(), 'utf8')).split('\n')).toHaveLength(2_501);
      await dialog.getByText('Saved 2,500 submissions.').waitFor();

      await button(page, 'List').click();
      await dialog.getByText('2,500 submissions found.').waitFor();
      await button(page, 'Erase 2,500 submissions').click();
      await dialog.getByText('1,000 of 2,500').waitFor();
      goOn();
      await dialog.getByText('Erased 2,500 submissions.').waitFor();
      expect(asked).toEqual([1_000, 1_000, 500]);

      await button(page, 'List').click();
      await dialog.getByText('2,500 submissions found.').waitFor();
      isFull = true;
      await button(page, 'Erase 2,500 submissions').click();
      const alert = dialog.getByRole('alert');
      await alert.getByText('Erased 0 of 2,500 submissions.').waitFor();
      await alert.getByText('List again to erase the other 2,500.').waitFor();
      expect(asked).toEqual([1_000, 1_000, 500, 1_000]);
    },
    slow,
  );

  test(
    'loads at most 40 KB before it shows the list',
    async () => {
      const files = await pageFiles();
      const first = new Set(['index.html', 'inbox.css', 'inbox.js']);
      let size = 0;
      // What the script imports at once is loaded with it; the set grows meanwhile.
      for (const name of first) {
        const file = files.get(name);
        if (!file) throw new Error(`the page lacks ${name}`);
        size += gzipSync(file).length;
        for (const [, imported = ''] of String(file).matchAll(/(?:import|from)\s*"\.\/([\w.-]+\.js)"/g))
          first.add(imported);
      }
      expect(size).toBeLessThan(40_000);
    },
    slow,
  );
});

const done = { isDone: true, words: 'Done.' };

const entryOf = (id: string) => ({
  id,
  form: 'contact',
  receivedAt: Date.UTC(2026, 10, 20),
  state: 'stored' as const,
  isDoubted: false,
  isRead: true,
  isSealed: false,
  sender: '',
  summary: '',
  files: 0,
  places: ['archive'],
});
