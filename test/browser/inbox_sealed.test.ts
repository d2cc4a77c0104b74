/** Sealed submissions in a browser: opened and searched there, and nowhere else. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import type { Actions, People } from '../../packages/inbox/src/server/index.ts';
import { entryFiles } from '../archive/entries.ts';
import { servePart } from './inbox_part.ts';
import { button, letter, open, row } from './inbox_stage.ts';
import { complaintsOf, describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';

const source = fileURLToPath(new URL('../../packages/inbox/app/sealed/sealed.ts', import.meta.url));

async function stageSealed() {
  const folder = await mkdtemp(join(tmpdir(), 'form-relay-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entry = join(folder, 'page.ts');
  await writeFile(
    entry,
    `import { createSealed } from ${JSON.stringify(source)};
import { openWhole } from ${JSON.stringify(source.replace('sealed.ts', 'open_whole.ts'))};
const sealed = createSealed('here');
globalThis.sealed = { ...sealed, openWhole: (id) => openWhole(sealed, id) };\n`,
  );
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    worker: {
      format: 'es',
      // Two functions of the relay are needed, and none of what their index leads to.
      rolldownOptions: {
        treeshake: { moduleSideEffects: [{ test: /packages\/relay\//, sideEffects: false }] },
      },
    },
    build: { outDir: 'built', rolldownOptions: { input: entry, output: { entryFileNames: 'page.js' } } },
  });
  const identity = await generateX25519Identity();
  const sealTo = [await identityToRecipient(identity)];
  const others = [await identityToRecipient(await generateX25519Identity())];
  const entries = new Map<string, readonly Buffer[]>();
  const listed: { id: string; form: string; receivedAt: number }[] = [];
  const add = async (id: string, note: string, to = sealTo) => {
    const at = `2026-11-20T10:00:0${listed.length}.000Z`;
    const files = await entryFiles({
      id,
      at,
      values: { note: [note] },
      files: [['cv', 'cv.txt', 'my cv']],
      sealTo: to,
    });
    entries.set(id, [...files.values()].reverse());
    listed.push({ id, form: 'contact', receivedAt: Date.parse(at) });
  };
  const requests: string[] = [];
  const server = http.createServer(async (incoming, outgoing) => {
    const { url = '', method } = incoming;
    let body = '';
    for await (const piece of incoming) body += piece;
    requests.push(`${method} ${url} ${JSON.stringify(incoming.headers)} ${body}`);
    const [, id = '', nth = '0'] = /^\/api\/entries\/([^/]+)\/(?:document|files\/(\d))$/.exec(url) ?? [];
    outgoing.setHeader(
      'content-security-policy',
      "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'",
    );
    if (url === '/')
      outgoing
        .setHeader('content-type', 'text/html')
        .end('<!DOCTYPE html><title>x</title><script type="module" src="/page.js"></script>');
    else if (url.startsWith('/api/sealed'))
      outgoing.end(JSON.stringify({ entries: listed, total: listed.length }));
    else if (id) outgoing.end(entries.get(id)?.[Number(nth)]);
    else if (url.endsWith('.js'))
      outgoing.setHeader('content-type', 'text/javascript').end(await readFile(join(folder, 'built', url)));
    else outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const page = await openPage({ isAlone: true });
  const visit = () => page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await visit();
  // biome-ignore lint/suspicious/noExplicitAny: the page's own global.
  const call = (method: string, ...args: unknown[]): Promise<any> =>
    page.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: the global of the page.
      ([method, args]) => (globalThis as any).sealed[method as string](...(args as unknown[])),
      [method, args],
    );
  return { identity, others, entries, listed, add, requests, page, visit, call };
}

describeInBrowser('sealed submissions', () => {
  test('are opened and searched in the browser, and neither server nor disk learns a value or the identity', async () => {
    const { identity, others, entries, listed, add, requests, page, visit, call } = await stageSealed();
    await add('one', 'Grüße aus der Schillerstraße');
    await add('two', 'Quokka sanctuary');
    await add('alien', 'for others', others);
    expect(await call('unlock', `# mine\n${identity}\n`)).toMatchObject({ ok: true });
    await call('refresh');
    expect(await call('search', 'schillerstr')).toEqual(['one']);
    expect(await call('search', 'quokka sanct')).toEqual(['two']);
    expect(await call('open', 'one')).toMatchObject({ ok: true, value: { id: 'one' } });
    expect(await call('openFile', 'one', 1)).toMatchObject({ ok: true, value: { name: 'cv.txt' } });
    expect(await call('openWhole', 'one')).toMatchObject({ value: { id: 'one', contents: [btoa('my cv')] } });
    expect((await call('open', 'alien')).error).toBe('This submission is sealed to another key.');

    const stored = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open('form-relay-sealed');
        opening.onsuccess = () => resolve(opening.result);
      });
      const pieces = await new Promise<{ bytes: ArrayBuffer }[]>((resolve) => {
        const all = database.transaction('pieces').objectStore('pieces').getAll();
        all.onsuccess = () => resolve(all.result);
      });
      return pieces.map(({ bytes }) => new TextDecoder('latin1').decode(bytes));
    });
    expect(stored).toHaveLength(1);
    for (const secret of ['quokka', 'schillerstr', 'cv.txt', identity.toLowerCase()])
      for (const text of [...stored, ...requests]) expect(text.toLowerCase().includes(secret)).toBe(false);

    // The second visit opens no document that it knows, and forgets what is gone.
    requests.length = 0;
    listed.shift();
    await visit();
    await call('unlock', identity);
    await call('refresh');
    await call('refresh');
    expect(requests.filter((each) => each.includes('/document'))).toEqual([
      expect.stringContaining('/alien/'),
    ]);
    expect(await call('search', 'schillerstr')).toEqual([]);
    expect(await call('search', 'quokka')).toEqual(['two']);

    const [document = Buffer.alloc(0)] = entries.get('two') ?? [];
    entries.set('one', [document]);
    expect((await call('open', 'one')).error).toContain('another submission than the one asked for');
    entries.set('two', [document.subarray(0, -1)]);
    expect((await call('open', 'two')).error).toContain('is damaged');
    expect(complaintsOf(page).filter((said) => !said.includes('favicon') && !said.includes('404'))).toEqual(
      [],
    );
  });

  test('stay shut for a wrong identity or passphrase, in words', async () => {
    const { identity, call } = await stageSealed();
    const age = new Encrypter();
    age.setPassphrase('correct horse');
    age.setScryptWorkFactor(10);
    const { armor } = await import('age-encryption');
    const locked = armor.encode(await age.encrypt(identity));
    expect((await call('unlock', 'hunter2')).error).toContain('no private key');
    expect((await call('unlock', locked)).error).toBe('This identity is encrypted. Enter its passphrase.');
    expect((await call('unlock', locked, 'wrong')).error).toBe('The passphrase is wrong.');
    expect(await call('unlock', locked, 'correct horse')).toMatchObject({ ok: true });
  });

  test('are opened with a dialog that says where the identity stays', async () => {
    const app = join(import.meta.dirname, '../../packages/inbox/app');
    const script = `
      import { render } from 'preact';
      import { IdentityDialog } from ${JSON.stringify(join(app, 'sealed/identity_dialog.tsx'))};
      import { createSealed } from ${JSON.stringify(join(app, 'sealed/sealed.ts'))};
      import ${JSON.stringify(join(app, '../../studio/app/style.css'))};
      const place = document.getElementById('part');
      const close = () => render(<p>closed</p>, place);
      render(<IdentityDialog sealed={createSealed('here')} close={close} />, place);
    `;
    const address = await servePart(script, () => ({ entries: [], total: 0 }));
    const identity = await generateX25519Identity();
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage({ isAlone: true, colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto(address);
      await page.getByLabel('Or its text').fill('hunter2');
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('no private key').waitFor();
      expect(await violationsIn(page)).toEqual([]);
      await screenshot(page, `identity_${colorScheme}`);
      await page.getByLabel('Or its text').fill(identity);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('closed').waitFor();
      expect(complaintsOf(page)).toEqual([]);
      await page.close();
    }
  });

  test('are read, found and delivered again in the page, which says what it sends', async () => {
    const identity = await generateX25519Identity();
    const sealTo = [await identityToRecipient(identity)];
    const done: unknown[] = [];
    const actions: Actions = {
      async run(id, asked) {
        done.push([id, asked]);
        return { isDone: true, words: `${asked.action}: words of the server` };
      },
      remove: async () => ({ isDone: true, words: 'removed' }),
    };
    const erased: unknown[] = [];
    const people: People = {
      find: async () => ({ entries: [], sealed: 1 }),
      async *export() {},
      async erase(email, ids) {
        erased.push([email.toLowerCase(), ids]);
        return { entries: ids.length, left: [] };
      },
    };
    const { page } = await open(
      [
        {
          id: 'id-1',
          at: '2026-11-20T10:00:00.000Z',
          values: { name: ['Ada Lovelace'], email: ['ada@example.org'], message: ['Four windows'] },
          files: [['cv', 'plan.txt', 'one door']],
          sealTo,
        },
        { id: 'id-2', at: '2026-11-19T10:00:00.000Z', values: { name: ['Bob'] } },
      ],
      { actions, people },
    );
    await row(page, /Sealed/).click();
    const paper = letter(page);
    await button(page, 'Open').click();
    await page.getByLabel('Or its text').fill(identity);
    await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
    await paper.getByText('Four windows').waitFor();
    await row(page, /Ada Lovelace/).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await screenshot(page, 'inbox-sealed-open');
    const saved = page.waitForEvent('download');
    await paper.getByRole('button', { name: 'Save plan.txt' }).click();
    expect((await saved).suggestedFilename()).toBe('plan.txt');
    await page.getByRole('searchbox').fill('windows');
    const matches = page.getByRole('region', { name: 'Sealed submissions that match' });
    await matches.getByRole('button', { name: /Ada Lovelace/ }).waitFor();
    await screenshot(page, 'inbox-sealed-search');

    await button(page, 'Deliver again').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('sends all its values and files').waitFor();
    await dialog.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('again: words of the server').waitFor();
    expect(done).toMatchObject([
      ['id-1', { action: 'again', output: 0, opened: { id: 'id-1', contents: [btoa('one door')] } }],
    ]);
    await button(page, 'One person').click();
    await dialog.getByLabel('Address').fill('ADA@example.org');
    await button(page, 'List').click();
    await dialog.getByText('1 submission found.').waitFor();
    await screenshot(page, 'inbox-sealed-person');
    await button(page, 'Erase 1 submission').click();
    await dialog.getByText('Erased 1 submission.').waitFor();
    expect(erased).toEqual([['ada@example.org', ['id-1']]]);
    await page.keyboard.press('Escape');
    await button(page, 'Lock').click();
    await expect.poll(() => page.getByText('Ada Lovelace').count()).toBe(0);
    expect(complaintsOf(page)).toEqual([]);
  });
});
