/** Tests that `archive: {for: …}` removes old submissions every day, and nothing if that looks like a mistake. */

import { spawn } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntryIndex } from '../../../apps/inbox/src/entry_index.ts';
import { openIndex } from '../../../apps/inbox/src/index/open_index.ts';
import { stage } from '../../../apps/inbox/test/stage.ts';
import { expectLogged, relayWith } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { type PruneArchive, pruneDaily } from '../src/archive/prune_daily.ts';
import { type Written, writeEntry } from './entries.ts';
import { bucketWith, folderWith, type Place } from './places.ts';
import '../../../test/support/sqlite.ts';

const relayProgram = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const dayMs = 86_400_000;
const program = new URL('../../../dist/cli/index_worker.cjs', import.meta.url);

/** Noon of the day that is this many days after the first. */
const noon = (days: number) => Date.parse('2026-06-01T12:00:00Z') + days * dayMs;

/** A submission that is this many days old on the first day. */
const aged = (days: number, more: Partial<Written> = {}): Written => ({
  id: `s${days}`,
  at: new Date(noon(-days)).toISOString(),
  values: { email: ['ada@example.org'] },
  ...more,
});

/** A relay on a given day, and its timers. */
async function relayOn(config: string, prune: PruneArchive = pruneDaily, first = 0) {
  let day = first;
  const works: (() => void)[] = [];
  const alerts: Record<string, string>[] = [];
  let running: Promise<unknown> | undefined;
  const relay = await relayWith({
    config,
    effects: {
      now: () => noon(day),
      repeat: (_, work) => {
        works.push(work);
        return () => {};
      },
      pruneArchive: (task) => {
        const ending = prune(task);
        running = Promise.allSettled([running, ending]);
        return ending;
      },
      http: async ({ body }) => {
        alerts.push(Object.fromEntries(new URLSearchParams(body)));
        return { status: 200, headers: {}, body: '' };
      },
    },
  });
  const settle = async () => {
    await relay.relay.config.get();
    await vi.waitFor(() => expect(running).toBeDefined());
    let seen: unknown;
    while (seen !== running) {
      seen = running;
      await running;
      await new Promise(setImmediate);
    }
  };
  await settle();
  return {
    ...relay,
    alerts,
    /** Lets the timers run on another day. */
    async on(next: number) {
      day = next;
      for (const work of works) work();
      await settle();
    },
  };
}

const form = (output: string, more = '') => `{fields: [{name: email}], ${more} outputs: [${output}]}`;

const archiveOnce = (place: Place) =>
  pruneDaily({ archive: place.name, before: () => noon(-30), now: noon(0) });

const places: readonly (readonly [string, (entries: readonly Written[]) => Promise<Place>])[] =
  Object.entries({ 'a folder': folderWith, 'a bucket': bucketWith });

describe.each(places)('from %s', (_, placeWith) => {
  test('old submissions are removed each day, with their files, by the retention time of their form', async () => {
    const files = [['cv', 'cv.txt', 'mine']] as const;
    const place = await placeWith([
      ...[29, 30, 31].map((days) => aged(days, { files })),
      aged(32, { form: 'gone' }),
      ...[10, 33, 99].map((days) => aged(days, { form: 'jobs', id: `j${days}` })),
    ]);
    const relay = await relayOn(`
archive: {for: 30d}
forms:
  contact: ${form(place.output)}
  jobs: ${form(place.output, 'archive: {for: 100d},')}
`);
    expect(await place.ids()).toEqual(['j10', 'j33', 'j99', 's29', 's30']);
    expect((await place.names()).filter((name) => name.includes('s31'))).toEqual([]);
    expect((await place.names()).filter((name) => name.endsWith('cv.txt'))).toHaveLength(2);
    await relay.on(0);
    expect(await place.ids()).toHaveLength(5);
    await relay.on(1);
    expect(await place.ids()).toEqual(['j10', 'j33', 'j99', 's29']);
    await relay.on(2);
    expect(await place.ids()).toEqual(['j10', 'j33']);
    expect(relay.logged.filter(({ event }) => event === 'archive_pruned')).toMatchObject([
      { archive: place.name, submissions: 2 },
      { submissions: 1 },
      { submissions: 2 },
    ]);
    expect(relay.logged.filter(({ level }) => level !== 'info')).toEqual([]);
    expect((await place.names()).filter((name) => name.endsWith('.swept'))).toHaveLength(2);
  });

  test('nothing is removed if far more than a day’s share would be; the owner is warned each day', async () => {
    const place = await placeWith([aged(31), aged(300)]);
    const alerts = 'alerts: {outputs: [{type: http_post, url: "https://alerts.example/"}]}';
    const config = `archive: {for: 30d}\n${alerts}\nforms: {contact: ${form(place.output)}}`;
    const relay = await relayOn(config);
    await relay.on(1);
    await vi.waitFor(() => expect(relay.alerts).toHaveLength(2));
    const reason =
      '2 submissions would be removed, far more than usual: the oldest has been due for 269 days';
    expect(relay.logged).toContainEqual({
      level: 'error',
      event: 'archive_unpruned',
      archive: place.name,
      reason,
    });
    expect(relay.alerts[0]).toMatchObject({
      summary: 'Old submissions were not removed from an archive',
      reason: `${place.name}: ${reason}`,
      what_to_do: expect.stringContaining('relay archive prune --yes'),
      event: 'unpruned',
    });
    expect(await place.ids()).toEqual(['s300', 's31']);
  });

  test.each([
    ['forward', 25, '2026-06-01, 25 days ago: the clock was changed, or the relay was off'],
    ['back', -9, "2026-06-01, which is in the future: this machine's clock is or was wrong"],
  ])('nothing is removed while the clock has jumped %s', async (_, days, why) => {
    // Only one entry is due on that day, and it is not yet overdue.
    const place = await placeWith([aged(5), aged(31 - days)]);
    const relay = await relayOn(`forms: {contact: ${form(place.output, 'archive: {for: 90d},')}}`);
    const due = `forms: {contact: ${form(place.output, 'archive: {for: 30d},')}}`;
    const jumped = await relayOn(due, pruneDaily, days);
    await jumped.on(days + 1);
    const held = jumped.logged.filter(({ event }) => event === 'archive_unpruned');
    expect(held).toHaveLength(2);
    expect(held[0]).toMatchObject({ reason: `the last removal was on ${why}` });
    expect(await place.ids()).toHaveLength(2);
    await relay.close();
  });

  test('only one process at a time removes submissions', async () => {
    const place = await placeWith([aged(31)]);
    const endings = [await archiveOnce(place), await archiveOnce(place)];
    expect(endings.map(({ kind }) => kind)).toEqual(['removed', 'claimed']);
  });
});

test('the inbox forgets removed submissions, and does not mistake files of the removal for submissions', async () => {
  let reopen: (() => Promise<EntryIndex>) | undefined;
  const { archive, index } = await stage([aged(31), aged(5)], {
    wrap: (index, { sources, folder }) => {
      reopen = async () => {
        await index.close();
        return openIndex({ sources, program, folder: join(folder, 'index') });
      };
      return index;
    },
  });
  const total = async (index: EntryIndex) => (await index.window({}, 0, 9, undefined)).total;
  expect(await total(index)).toBe(2);
  await pruneDaily({ archive, before: () => noon(-30), now: noon(0) });
  const again = (await reopen?.()) as EntryIndex;
  onTestFinished(() => again.close());
  await vi.waitFor(async () => expect(await total(again)).toBe(1));
  expect(await again.troubles()).toMatchObject({ count: 0 });
});

test('rejected submissions are removed after their own retention time, and nothing else is', async () => {
  const root = await folderWith([aged(40)]);
  const dropped = join(root.name, '.dropped');
  const files = [['cv', 'cv.txt', 'mine']] as const;
  for (const one of [aged(31, { files }), aged(10), aged(32, { form: 'gone' })])
    await writeEntry(dropped, one);
  const config = `forms: {contact: ${form(root.output, 'spam: {honeypot: website, keep_dropped: 30d},')}}`;
  const relay = await relayOn(config);
  expectLogged(relay, { event: 'archive_pruned', archive: dropped, submissions: 1 });
  expect(await root.ids()).toEqual(['s10', 's32', 's40']);
  // A jump of the clock does no harm.
  await relay.on(25);
  expectLogged(relay, {
    event: 'archive_unpruned',
    reason: expect.stringContaining('the clock was changed'),
  });
  expect(await root.ids()).toHaveLength(3);
});

test('a link in the archive is neither followed nor written through', async () => {
  const place = await folderWith([aged(31)]);
  const outside = await folderWith([aged(32)]);
  await symlink(join(outside.name, 'contact'), join(place.name, 'linked'));
  await symlink(join(outside.name, 'made'), join(place.name, '.last.swept'));
  expect(await archiveOnce(place)).toMatchObject({ kind: 'removed', submissions: 1 });
  expect(await outside.ids()).toEqual(['s32']);
  expect(await outside.names()).not.toContain('made');
  expect(await readFile(join(place.name, '.last.swept'), 'utf8')).toContain('2026-06-01');
});

describe('the commands', () => {
  const now = Date.now();
  const ago = (days: number): Written => ({ id: `s${days}`, at: new Date(now - days * dayMs).toISOString() });

  test('relay archive prune refuses when the relay does, unless --yes is given', async () => {
    const place = await folderWith([ago(33), ago(300), ago(5)]);
    const config = `forms: {contact: ${form(place.output, 'archive: {for: 30d},')}}`;
    const terminal = await openTerminal({ files: { 'webform.yaml': config } });
    const said = 'submissions with 0 files\nleft 1 day of newer submissions\n';
    const stderr = expect.stringMatching(
      /nothing was removed: 2 submissions would be removed, far more than usual.*\nIf this is intended, add --yes to remove these submissions\./,
    );
    const would = `${place.name}\nwould remove 2 ${said}`;
    expect(await terminal.run('relay archive prune')).toEqual({ stdout: would, stderr, code: 1 });
    expect(await terminal.run('relay archive prune --dry-run')).toEqual({
      stdout: would,
      stderr: '',
      code: 0,
    });
    const removed = `${place.name}\nremoved 2 ${said}`;
    expect(await terminal.run('relay archive prune --yes')).toEqual({ stdout: removed, stderr: '', code: 0 });
    expect(await place.ids()).toEqual(['s5']);
  });

  test('relay serve removes submissions automatically', { timeout: 60_000 }, async () => {
    const place = await folderWith([ago(31), ago(5)]);
    const config = `forms: {contact: ${form(place.output, 'archive: {for: 29d},')}}`;
    const served = spawn(process.execPath, [relayProgram, 'serve'], {
      env: { PATH: process.env.PATH, CONFIG_INLINE: config, PORT: '0' },
      stdio: 'ignore',
    });
    onTestFinished(() => void served.kill('SIGKILL'));
    await vi.waitFor(async () => expect(await place.ids()).toEqual(['s5']));
  });
});
