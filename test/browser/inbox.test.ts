/** The inbox's page in a real browser. */
import net from 'node:net';
import { join } from 'node:path';
import { openIndex } from '../../apps/inbox/src/index/open_index.ts';
import { indexed, write } from '../../apps/inbox/test/stage.ts';
import type { Written } from '../../packages/stored/test/entries.ts';
import { button, entries, idle, message, open, openGenerated, row, rows, slow } from './inbox_stage.ts';
import { describeInBrowser, isSound, screenshot, violationsIn } from './stage.ts';

const program = new URL('../../dist/cli/index_worker.cjs', import.meta.url);
describeInBrowser('the page of the inbox', () => {
  test('lists submissions, newest first, and shows one as a message', async () => {
    const { page } = await open(entries);
    await expect.poll(() => rows(page).count(), { timeout: slow }).toBe(6);
    expect(await rows(page).first().innerText()).toContain('Fatma');
    expect(await rows(page).last().innerText()).toContain('Ada');
    await row(page, /Bob Miller/).click();
    await message(page).getByText('I would like an offer for 2 windows.').waitFor();
    // Labels are in the language of their form; the language of values is unknown.
    expect(await message(page).locator('dt').first().getAttribute('lang')).toBe('de');
    expect(await message(page).locator('dl[lang], dd[lang]').count()).toBe(0);
    // Opening it has marked it as read.
    await expect.poll(() => page.locator('.row.unread').count()).toBe(5);
    await page.goBack();
    await message(page).waitFor({ state: 'detached' });
  });

  test('filters, and stores the filters in its URL', async () => {
    const { page, origin } = await open(entries);
    await page.keyboard.press('/');
    await page.keyboard.type('doub');
    await page.getByText('0 submissions').waitFor();
    await page.getByRole('searchbox').fill('dubois');
    await page.getByText('1 submission', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /“dubois”/ }).click();
    await button(page, 'Filters').click();
    await page.getByLabel('State').selectOption('delivered');
    await page.getByLabel('From', { exact: true }).fill('2026-11-24');
    await expect.poll(() => page.url()).toContain('since=');
    await page.reload();
    await row(page, /Emil/).waitFor();
    expect(await rows(page).count()).toBe(2);
    await button(page, 'Remove all').click();
    await expect.poll(() => rows(page).count()).toBe(6);
    await page.getByRole('button', { name: /^gone/ }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(page.url()).toBe(`${origin}/?form=gone`);
    await page.goBack();
    await expect.poll(() => rows(page).count()).toBe(6);
  });

  test('shows new submissions without moving what is being read', async () => {
    const many = Array.from(
      { length: 300 },
      (_, nth): Written => ({
        id: `m-${nth}`,
        at: new Date(Date.UTC(2026, 9, 1) + nth * 60_000).toISOString(),
        values: { email: [`m${nth}@example.org`] },
      }),
    );
    const { at, page } = await open(many, {
      wrap: async (_index, { sources, folder }) => {
        const index = await openIndex({ sources, folder: join(folder, 'index'), program });
        onTestFinished(() => index.close());
        return index;
      },
    });
    const list = page.getByRole('listbox');
    await page.getByText('300 submissions').waitFor();
    await page.getByText('Reading the archives').waitFor({ state: 'detached' });
    await list.evaluate((element) => element.scrollTo(0, 64 * 150));
    await row(page, /m149@/).waitFor();
    const top = () =>
      row(page, /m149@/).evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const before = await top();
    await write(at.archive, [
      { id: 'new', at: new Date().toISOString(), values: { email: ['new@example.org'] } },
    ]);
    await page.getByText('301 submissions').waitFor();
    await expect.poll(() => row(page, /m149@/).getAttribute('aria-posinset')).toBe('152');
    expect(await top()).toBe(before);
    await list.evaluate((element) => element.scrollTo(0, 0));
    await row(page, /new@/).waitFor();
  });

  test('shows everything submitted as text', async () => {
    const markup = '<img src=x onerror="globalThis.isRun=true"><script>globalThis.isRun=true</script>';
    const hostile: Written = {
      id: `x"'><img src=x onerror=globalThis.isRun=true>`.replaceAll(/[^\w]/g, '_'),
      form: markup,
      at: '2026-11-22T10:00:00.000Z',
      values: { [markup]: [markup, 'javascript:globalThis.isRun=true'], email: [`"${markup}"@example.org`] },
      files: [
        [markup, `${markup}.html`, markup],
        ['text', 'a.txt', markup],
      ],
    };
    const { page } = await open([hostile]);
    await rows(page).first().click();
    await message(page).getByText(markup).first().waitFor();
    expect(
      await page.locator('main img, article script, article [onerror], article a[href^=javascript]').count(),
    ).toBe(0);
    expect(await page.evaluate(() => 'isRun' in globalThis)).toBe(false);
  });

  test.each(['light', 'dark'] as const)(
    'has no accessibility problems in any width: %s',
    async (colorScheme) => {
      const { page } = await open(entries, { actions: idle }, { colorScheme });
      const found: string[] = [];
      const look = async (shown: string) => {
        for (const width of [1440, 900, 390]) {
          await page.setViewportSize({ width, height: 900 });
          for (const one of await violationsIn(page)) found.push(`${shown}, ${width}: ${one}`);
          const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (sideways > 0) found.push(`${shown}, ${width}: scrolls sideways by ${sideways}`);
          await screenshot(page, `inbox-${shown}-${width}-${colorScheme}`);
        }
        await page.setViewportSize({ width: 1440, height: 900 });
      };
      await row(page, /Fatma/).waitFor();
      await look('list');
      await button(page, 'Filters').click();
      await page.getByRole('checkbox', { name: 'Unread only' }).check();
      await look('filters');
      await button(page, 'Filters').click();
      await page.getByRole('button', { name: /^Unread/ }).click();
      await row(page, /Bob/).click();
      await message(page).getByRole('heading', { name: 'Bob Miller' }).waitFor();
      await look('letter');
      for (const [name, shown] of [
        ['Export', 'export'],
        ['One person', 'person'],
        ['Keys', 'help'],
        ['Deliver again', 'again'],
        ['Delete', 'delete'],
      ] as const) {
        await button(page, name).click();
        await page.getByRole('dialog').waitFor();
        await look(shown);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(found).toEqual([]);
    },
  );

  test('scrolls through the newest 150,000 of a million submissions', async () => {
    const million = 1_000_000;
    const { page, requests } = await openGenerated(million);
    const list = page.getByRole('listbox');
    const first = async () => Number(await page.locator('.row').first().getAttribute('aria-posinset'));
    await row(page, /Person 0 /).waitFor();
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await row(page, /Person 149999 /).waitFor();
    expect(await rows(page).last().getAttribute('aria-posinset')).toBe('150000');
    await page.getByText('of which the newest 150,000 are listed').waitFor();
    expect(await rows(page).count()).toBeLessThan(40);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await expect.poll(first).toBeLessThan(90_000);
    const before = await first();
    await list.hover();
    await page.mouse.wheel(0, 640);
    await expect.poll(async () => (await first()) - before).toBe(10);
    await expect.poll(() => page.locator('.bone').count()).toBe(0);
    await list.evaluate((element) => element.scrollTo(0, 0));
    await row(page, /Person 0 /).waitFor();
    await page.keyboard.press('k');
    for (let nth = 0; nth < 30; nth += 1) await page.keyboard.press('j');
    await expect.poll(() => page.locator('.row.current').innerText()).toContain('Person 30');
    const box = await page.locator('.row.current').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(901);
    expect(requests()).toBeLessThan(40);
  });

  test('delivers, restores, marks, saves and erases, after a person has confirmed', async () => {
    const done: unknown[] = [];
    const { page } = await open(entries, {
      actions: {
        ...idle,
        run: async (id, request) => {
          done.push([id, request]);
          return { isDone: request.action !== 'restore', words: `${request.action}: words of the server` };
        },
      },
      people: {
        find: async (email) => ({
          entries: [
            { ...indexed('id-0', { sender: email }), places: ['archive: contact/2026/11/20/x.json'] },
          ],
          sealed: 2,
        }),
        export: async function* () {
          yield '{"id":"id-0"}\n';
        },
        erase: async (email, ids) => {
          done.push([email, ids]);
          return { entries: ids.length, left: ['One copy stays in a store.'] };
        },
      },
      wrap: (index) => ({
        ...index,
        get: async (id) => {
          const entry = await index.get(id);
          if (id === 'id-0') return entry && { ...entry, state: 'dropped' };
          return entry && { ...entry, state: 'kept', kept: [{ store: 0, id: `${id}-0` }] };
        },
      }),
    });
    await row(page, /Bob/).click();
    await message(page).getByRole('heading', { name: 'Queued deliveries' }).waitFor();
    await button(page, 'Deliver now').first().click();
    await page.getByText('deliver: words of the server').waitFor();
    await button(page, 'Deliver again').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('even if it was delivered before').waitFor();
    expect(done).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('again: words of the server').waitFor();
    await button(page, 'Not spam').click();
    await page.getByText('mark: words of the server').waitFor();
    await row(page, /Ada/).click();
    await button(page, 'Restore').click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('alert').getByText('restore: words of the server').waitFor();
    await button(page, 'Close').click();

    await button(page, 'Export').click();
    const saved = page.waitForEvent('download');
    await button(page, 'Save as CSV').click();
    expect((await saved).suggestedFilename()).toBe('submissions.csv');
    await dialog.getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');

    await button(page, 'One person').click();
    await dialog.getByLabel('Address').fill('ada@example.org');
    await button(page, 'List').click();
    await dialog.getByText(/^2 sealed submissions? could not be searched/).waitFor();
    await isSound(page, 'inbox-person-found');
    await button(page, 'Erase 1 submission').click();
    await dialog.getByText('One copy stays in a store.').waitFor();
    expect(done).toEqual([
      ['id-1', { action: 'deliver', output: 0 }],
      ['id-1', { action: 'again', output: 0 }],
      ['id-1', { action: 'mark', mark: 'ham' }],
      ['id-0', { action: 'restore' }],
      ['ada@example.org', ['id-0']],
    ]);
  });

  test('says that the server is down, and continues when it is back', async () => {
    const { at, page } = await open(entries, {}, { complains: /ERR_/ });
    const sockets = new Set<net.Socket>();
    const between = net.createServer((socket) => {
      const onward = net.connect(at.port, '127.0.0.1');
      for (const one of [socket, onward]) sockets.add(one.on('error', () => {}));
      socket.pipe(onward).pipe(socket);
    });
    const start = (port: number) =>
      new Promise<void>((resolve) => between.listen(port, '127.0.0.1', resolve));
    const stop = () => {
      between.close();
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(stop);
    await start(0);
    const { port } = between.address() as net.AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/?key=${at.key}`);
    await row(page, /Bob/).waitFor();
    stop();
    await page.getByText('The connection to the inbox was lost. Reconnecting…').waitFor();
    await row(page, /Bob/).click();
    const pane = page.getByRole('region', { name: 'Submission' });
    await pane.getByRole('alert').getByText('The inbox does not respond.').waitFor();
    await start(port);
    await message(page).getByText('I would like an offer for 2 windows.').waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });
});
