import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { entryFiles, type Written, writeEntry } from '../../../packages/stored/test/entries.ts';
import { stubBucket } from '../../../packages/stored/test/places.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import type { EntryIndex } from '../src/entry_index.ts';
import { type IndexOptions, openIndex } from '../src/index/open_index.ts';
import '../../../test/support/sqlite.ts';

const program = new URL('../../../dist/cli/index_worker.cjs', import.meta.url);
const idOf = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
const ada = { name: ['Ada Müller'], email: ['ada@example.org'], message: ['全文検索 in der Straße 1815'] };

function openPlaces() {
  const root = tempFolder();
  const archive = join(root, 'archive');
  mkdirSync(archive);
  const options: IndexOptions = {
    sources: {
      archives: [
        { place: archive, name: 'archive', isDropped: false },
        { place: join(archive, '.dropped'), name: 'archive/.dropped', isDropped: true },
      ],
      stores: [{ name: 'kept' }],
    },
    folder: join(root, 'index'),
    program,
  };
  return {
    root,
    archive,
    options,
    write: (entry: Written, into = archive) => writeEntry(into, entry),
  };
}

async function open(options: IndexOptions): Promise<EntryIndex> {
  const index = await openIndex(options);
  onTestFinished(() => index.close());
  await new Promise<void>((resolve) => {
    index.onProgress((progress) => progress === undefined && resolve());
  });
  return index;
}

const idsOf = async (index: EntryIndex, query: Parameters<EntryIndex['window']>[0]) =>
  (await index.window(query, 0, 100, undefined)).entries.map(({ id }) => id);

test('an archive is listed newest first, and searched by prefix, without accents and in every script', async () => {
  const { write, options } = openPlaces();
  await write({ id: idOf(1), at: '2026-11-20T10:00:00.000Z', values: ada });
  await write({
    id: idOf(2),
    at: '2026-11-21T10:00:00.000Z',
    values: { name: ['Grace'] },
    form: 'Grüße & mehr',
  });
  const index = await open(options);
  const { total, entries } = await index.window({}, 0, 100, undefined);
  expect(total).toBe(2);
  expect(entries.map(({ id }) => id)).toEqual([idOf(2), idOf(1)]);
  expect(entries[1]).toMatchObject({
    form: 'contact',
    state: 'stored',
    sender: 'Ada Müller <ada@example.org>',
  });
  for (const search of ['muller', 'strasse 18', '検索', 'ADA@example.org', 'ada exam'])
    expect(await idsOf(index, { search })).toEqual([idOf(1)]);
  for (const search of ['*', '😀', '"!"']) expect(await idsOf(index, { search })).toEqual([]);
  expect(await idsOf(index, { search: ' ' })).toHaveLength(2);
  for (const search of ['"', 'AND', 'a" OR "b', 'C++', '*', 'NEAR(', '\u0000', '-x'])
    await expect(idsOf(index, { search })).resolves.toBeInstanceOf(Array);
  expect(await idsOf(index, { search: 'mull ada' })).toEqual([]);
  expect(await idsOf(index, { form: 'Grüße & mehr' })).toEqual([idOf(2)]);
  const permitted = await index.window({}, 0, 100, new Set(['contact']));
  expect(permitted.entries.map(({ id }) => id)).toEqual([idOf(1)]);
  expect((await index.ofAddress('Ada@Example.org', undefined)).map(({ id }) => id)).toEqual([idOf(1)]);
  expect(await index.ofAddress('da@example.org', undefined)).toEqual([]);
  const pieces = [];
  for await (const piece of index.rows({}, undefined)) pieces.push(...piece.map(({ id }) => id));
  expect(pieces).toEqual([idOf(2), idOf(1)]);
});

test('states come from stores and dropped submissions', async () => {
  const { write, archive, options } = openPlaces();
  const at = '2026-11-21T10:00:00.000Z';
  await write({ id: idOf(1), at, values: ada });
  await write({ id: idOf(2), at, values: ada }, join(archive, '.dropped'));
  await write({ id: idOf(4), at, values: { ...ada, _doubt: ['3 (links)'] } });
  const kept = {
    store: 0,
    id: `${idOf(5)}-0`,
    submission: idOf(5),
    form: 'contact',
    output: 'http_post',
    at: 1,
    nextAt: 1_000,
    reason: 'timed out',
  };
  let listed: readonly (typeof kept | (Omit<typeof kept, 'nextAt'> & { waitsForOwner: true }))[] = [
    kept,
    { ...kept, id: `${idOf(1)}-1`, submission: idOf(1) },
  ];
  const index = await open({ ...options, listKept: async () => listed });
  const stateOf = async (nth: number) => (await index.get(idOf(nth)))?.state;
  expect(await stateOf(2)).toBe('dropped');
  expect(await idsOf(index, { state: 'doubted' })).toEqual([idOf(4)]);
  await expect.poll(() => stateOf(5)).toBe('kept');
  await expect.poll(() => stateOf(1)).toBe('kept');
  const { reason } = kept;
  const keptOf = async () => (await index.get(idOf(5)))?.kept;
  expect(await keptOf()).toEqual([{ store: 0, id: kept.id, nextAt: 1_000, reason }]);
  const { nextAt: _, ...waiting } = kept;
  listed = [{ ...waiting, waitsForOwner: true }];
  await expect.poll(keptOf).toEqual([{ store: 0, id: kept.id, waitsForOwner: true, reason }]);
  await expect.poll(() => stateOf(1)).toBe('stored');
  listed = [];
  await expect.poll(() => stateOf(5)).toBeUndefined();
  expect(await index.troubles()).toEqual({ count: 0, latest: [] });
});

test('a store that cannot be listed is reported once, until that changes', async () => {
  const { options } = openPlaces();
  const warnings: string[] = [];
  let reason: string | undefined = 'the server does not answer';
  const listKept = async () => {
    if (reason) throw new Error(reason);
    return [];
  };
  const index = await open({ ...options, listKept, warn: (words) => warnings.push(words) });
  for (const next of [reason, 'the password is wrong', undefined, undefined, 'the password is wrong']) {
    reason = next;
    for (let times = 0; times < 3; times += 1) await index.refresh();
  }
  expect(warnings.map((one) => one.replace('queued deliveries cannot be listed: ', ''))).toEqual([
    'the server does not answer',
    'the password is wrong',
    'the password is wrong',
  ]);
});

test('a half-written document is read when it is complete', async () => {
  const { write, archive, options } = openPlaces();
  await write({ id: idOf(1), at: new Date().toISOString(), values: ada });
  const index = await open(options);
  const later = new Date(Date.now() + 5).toISOString();
  const [[path, bytes] = ['', '']] = await entryFiles({ id: idOf(2), at: later, values: ada });
  await writeFile(join(archive, path), String(bytes).slice(0, 40));
  await write({ id: idOf(3), at: later, values: ada });
  await expect.poll(() => index.get(idOf(3))).toBeDefined();
  await writeFile(join(archive, path), bytes);
  await expect.poll(() => index.get(idOf(2))).toBeDefined();
  expect(await index.troubles()).toEqual({ count: 0, latest: [] });
});

test('new submissions appear, removed ones disappear, and read flags outlive the index', async () => {
  const { write, archive, options } = openPlaces();
  const at = new Date().toISOString();
  await write({ id: idOf(1), at, values: ada });
  const first = await open(options);
  await write({ id: idOf(2), at, values: ada });
  await expect.poll(() => idsOf(first, {})).toHaveLength(2);
  await first.setRead([idOf(1)], true, undefined);
  await first.close();
  const second = await open(options);
  expect(await idsOf(second, { unread: true })).toEqual([idOf(2)]);
  await second.close();
  // As a killed process would leave it.
  mkdirSync(join(options.folder, 'index.sqlite.lock'), { recursive: true });
  truncateSync(join(options.folder, 'index.sqlite'), 5_000);
  const third = await open(options);
  expect(await idsOf(third, { unread: true })).toEqual([idOf(2)]);
  rmSync(join(archive, 'contact'), { recursive: true });
  await third.refresh(idOf(1));
  expect(await idsOf(third, {})).toEqual([]);
});

test('bad files are reported, and two inboxes read at once', async () => {
  const { write, archive, options } = openPlaces();
  const at = '2026-11-21T10:00:00.000Z';
  await write({ id: idOf(1), at, values: ada });
  const day = join(archive, 'contact/2026/11/21');
  const planted = (nth: number) => join(day, `20261121T10000000${nth}Z-${idOf(nth)}-0.json`);
  writeFileSync(planted(2), '{"version": 1, "id"');
  writeFileSync(
    planted(3),
    JSON.stringify({ version: 1, id: idOf(1), form: 'contact', received_at: at, fields: [], files: [] }),
  );
  writeFileSync(planted(4), '');
  truncateSync(planted(4), 17 * 2 ** 20);
  symlinkSync(archive, join(archive, 'circle'));
  symlinkSync('/etc/passwd', planted(5));
  writeFileSync(join(day, 'notes.txt'), 'mine');
  // An old time, so that the folder does not count as being written.
  utimesSync(day, 1, 1);
  // The relay's own record of its cleanup must not be reported.
  mkdirSync(join(archive, '.dropped'));
  writeFileSync(join(archive, '.dropped', '.contact.2026-11-21.swept'), '');
  const index = await open(options);
  expect(await idsOf(index, {})).toEqual([idOf(1)]);
  const { count, latest } = await index.troubles();
  expect(count).toBe(6);
  expect(latest.join('\n')).toContain('is too large');
  const warnings: string[] = [];
  const other = await open({ ...options, warn: (words) => warnings.push(words) });
  expect(warnings).toEqual([expect.stringContaining('another inbox')]);
  expect(await idsOf(other, {})).toEqual([idOf(1)]);
  await other.close();
  expect(readdirSync(options.folder).some((name) => name.startsWith('second-'))).toBe(false);
  expect(existsSync(join(options.folder, 'owner'))).toBe(true);
});

test('a document with the id of another submission is reported, and does not become its copy', async () => {
  const { write, archive, options } = openPlaces();
  const at = '2026-11-21T10:00:00.000Z';
  await write({ id: idOf(1), at, values: ada });
  await write({ id: idOf(1), at, output: 1, values: ada });
  await write({ id: idOf(1), at: '2026-11-22T10:00:00.000Z', values: { email: ['bob@example.org'] } });
  await write({ id: idOf(1), at, form: 'other', values: { email: ['bob@example.org'] } });
  // Old times, so that the folders do not count as being written.
  for (const day of ['contact/2026/11/21', 'contact/2026/11/22', 'other/2026/11/21'])
    utimesSync(join(archive, day), 1, 1);
  const index = await open(options);
  expect(await idsOf(index, {})).toEqual([idOf(1)]);
  expect((await index.get(idOf(1)))?.stored).toHaveLength(2);
  const { count, latest } = await index.troubles();
  expect([count, latest.filter((words) => words.includes('has the same id as another submission'))]).toEqual([
    2,
    latest,
  ]);
});

test('a full disk during indexing is reported, and the next index is complete', async (context) => {
  const { root, write, options } = openPlaces();
  const small = join(root, 'small');
  mkdirSync(small);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'none', small]);
  if (mounted.status !== 0) return context.skip('only root can mount a small disk');
  onTestFinished(() => void spawnSync('umount', ['-l', small]));
  const at = (nth: number) => new Date(Date.UTC(2026, 10, 20) + nth * 1_000).toISOString();
  const message = Array.from({ length: 60 }, (_, nth) => `word${nth}`).join(' ');
  for (let nth = 0; nth < 400; nth += 1)
    await write({ id: idOf(nth), at: at(nth), values: { ...ada, message: [`${message} nth${nth}`] } });
  const folder = join(small, 'index');
  const full = await open({ ...options, folder });
  expect((await full.troubles()).latest.join('\n')).toContain('the disk is full');
  await full.close();
  spawnSync('mount', ['-o', 'remount,size=100m', small]);
  const whole = await open({ ...options, folder });
  expect(await whole.troubles()).toEqual({ count: 0, latest: [] });
  expect((await whole.window({ search: 'nth399' }, 0, 1, undefined)).total).toBe(1);
  expect((await whole.window({}, 0, 1, undefined)).total).toBe(400);
});

test('sealed entries are counted, and listed without values', async () => {
  const { write, options } = openPlaces();
  const sealTo = [await identityToRecipient(await generateX25519Identity())];
  await write({ id: idOf(1), at: '2026-11-20T10:00:00.000Z', values: ada, sealTo });
  await write({ id: idOf(2), at: '2026-11-21T10:00:00.000Z', values: ada, sealTo });
  const index = await open(options);
  expect(await index.countSealed(undefined)).toBe(2);
  expect(await index.countSealed(new Set())).toBe(0);
  expect((await index.window({}, 0, 1, undefined)).entries[0]).toMatchObject({
    isSealed: true,
    sender: '',
    summary: '',
  });
});

test('a bucket is followed, with one read request per document', async () => {
  const { s3, put } = await stubBucket({
    forms: [{ id: idOf(1), at: '2026-11-20T10:00:00.000Z', values: ada }],
  });
  const bucket = { place: 's3://configs/forms', name: 'bucket', isDropped: false } as const;
  const index = await open({ ...openPlaces().options, sources: { archives: [bucket], stores: [] } });
  expect(await idsOf(index, { search: 'muller' })).toEqual([idOf(1)]);
  expect(s3.answered.filter((one) => one.includes('.json'))).toHaveLength(1);
  await put({ id: idOf(2), at: new Date().toISOString(), values: ada });
  await expect.poll(() => idsOf(index, {})).toHaveLength(2);
});
