/** Submissions that are much like each other, as the inbox groups them: with no journal, from the archive alone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Window } from '../../packages/inbox/src/api.ts';
import type { EntryIndex } from '../../packages/inbox/src/entry_index.ts';
import { type IndexOptions, openIndex } from '../../packages/inbox/src/index/open_index.ts';
import { entryFiles, type Written } from '../archive/entries.ts';
import { post, stage, write } from './stage.ts';
import '../support/sqlite.ts';

const idOf = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
const program = new URL('../../dist/cli/index_worker.cjs', import.meta.url);

/** A copy of a campaign, with a sender, a number and a link of its own. */
const copy = (nth: number, more: Partial<Written> = {}): Written => ({
  id: idOf(nth),
  at: `2026-11-2${nth % 3}T10:00:${String(nth).padStart(2, '0')}.000Z`,
  values: {
    name: [`Person ${nth}`],
    email: [`person${nth}@example.com`],
    message: [`Launch our trading robot TODAY and earn $${nth}000 while you sleep: https://r${nth}.example/`],
  },
  ...more,
});
const question = (nth: number): Written => ({
  id: idOf(nth),
  at: '2026-11-21T12:00:00.000Z',
  values: { message: ['Do you repair old wooden chairs, and what would two of them cost?'] },
});

async function places(...entries: readonly Written[]) {
  const root = await mkdtemp(join(tmpdir(), 'inbox-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const archive = join(root, 'archive');
  await write(archive, entries);
  const options: IndexOptions = {
    sources: {
      archives: [{ place: { kind: 'folder', path: archive }, name: 'archive', isDropped: false }],
      stores: [],
      journal: undefined,
    },
    folder: join(root, 'index'),
    program,
  };
  return { archive, options };
}

async function open(options: IndexOptions): Promise<EntryIndex> {
  const index = await openIndex(options);
  onTestFinished(() => index.close());
  await new Promise<void>((resolve) => {
    index.onProgress((progress) => progress === undefined && resolve());
  });
  return index;
}

const shownOf = async (index: EntryIndex, query: Parameters<EntryIndex['window']>[0] = {}) =>
  (await index.window(query, 0, 100, undefined)).entries.map(({ id, alike }) => [
    Number(id.slice(-12)),
    alike,
  ]);

test('copies of a text are grouped, by form, and a choice shows one group', async () => {
  const { options } = await places(copy(1), copy(2), question(3), copy(4), copy(5, { form: 'jobs' }));
  const index = await open(options);
  const groups = new Map((await shownOf(index)) as [number, number | undefined][]);
  expect([1, 2, 3, 4, 5].map((nth) => groups.get(nth))).toEqual([3, 3, undefined, 3, undefined]);
  const ids = async (nth: number) =>
    (await shownOf(index, { alike: idOf(nth) })).map(([id]) => id).toSorted();
  expect(await ids(2)).toEqual([1, 2, 4]);
  expect(await ids(3)).toEqual([3]);
  expect(await ids(9)).toEqual([]);
  const { total } = await index.window({ alike: idOf(2) }, 0, 100, new Set(['jobs']));
  expect(total).toBe(0);
});

test('a copy that comes after a restart joins its group, and a deleted one leaves it', async () => {
  // The index looks for new documents in the folder of this day.
  const now = { at: new Date().toISOString() };
  const { archive, options } = await places(copy(1, now), copy(2, now));
  const first = await open(options);
  await first.close();
  const index = await open(options);
  await write(archive, [copy(4, now)]);
  await expect
    .poll(async () => new Map((await shownOf(index)) as [number, number][]), { timeout: 10_000 })
    .toEqual(
      new Map([
        [1, 3],
        [2, 3],
        [4, 3],
      ]),
    );
  for (const gone of [copy(1, now), copy(4, now)])
    for (const [path] of await entryFiles(gone)) await rm(join(archive, path));
  await index.forget([idOf(1), idOf(4)]);
  expect(await shownOf(index)).toEqual([[2, undefined]]);
});

test('the page reads a group, and marks each of it by itself', async () => {
  const marked: string[] = [];
  const audited: [what: string, id: string | undefined][] = [];
  const { ask } = await stage([copy(1), copy(2), question(3)], {
    actions: {
      run: async (id) => {
        marked.push(id);
        return { isDone: true, words: 'Marked as spam.' };
      },
      remove: async () => ({ isDone: false, words: '' }),
    },
    audit: async (_, what, { id }) => void audited.push([what, id]),
  });
  const { entries, total } = (await ask(`/api/entries?alike=${idOf(1)}`)).json() as Window;
  expect(total).toBe(2);
  expect((await ask(`/api/entries/${idOf(1)}`)).json()).toMatchObject({ alike: 2 });
  for (const { id } of entries) await ask(`/api/entries/${id}/mark`, post({ mark: 'spam' }));
  expect(marked.toSorted()).toEqual([idOf(1), idOf(2)]);
  expect(
    audited
      .filter(([what]) => what === 'marked')
      .map(([, id]) => id)
      .toSorted(),
  ).toEqual(marked.toSorted());
  const after = (await ask(`/api/entries?alike=${idOf(1)}&mark=spam`)).json() as Window;
  expect(after.total).toBe(2);
});
