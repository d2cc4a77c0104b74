/** The inbox over HTTP: access control and answers. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asCsv } from '../../../packages/stored/src/archive/export.ts';
import { openArchive } from '../../../packages/stored/src/archive/open.ts';
import type { Written } from '../../../packages/stored/test/entries.ts';
import type { About, MessageView, Window } from '../src/api.ts';
import type { EntryIndex } from '../src/entry_index.ts';
import type { Person } from '../src/gate.ts';
import { idle, post, stage, write } from './stage.ts';

const markup = '<img src=x onerror=alert(1)>';
const entries: readonly Written[] = [
  {
    id: 'one',
    at: '2026-11-20T10:00:00.000Z',
    values: { email: ['ada@example.org'], text: [`=cmd()${markup}`] },
    files: [
      ['cv', 'a"\r\nx: y ü.txt', 'hello'],
      ['cv', 'page.html', '<script>alert(1)</script>'],
    ],
  },
  { id: 'two', at: '2026-11-21T10:00:00.000Z', values: { email: ['bob@example.org'] } },
  { id: 'three', form: 'gone', at: '2026-11-22T10:00:00.000Z', values: { note: ['of a form that is gone'] } },
];

describe('shows nothing', () => {
  test('without the key', async () => {
    const { ask } = await stage(entries);
    for (const path of [
      ...['/', '/?key=', '/?key=wrong', '/inbox.js', '/api/about', '/api/entries', '/api/entries/one'],
      ...['/api/events', '/api/export?format=csv'],
    ]) {
      const { status, text } = await ask(path, { hasCookie: false });
      const words = expect.stringContaining('Use the whole address');
      expect([path, status, text]).toEqual([path, 401, words]);
      expect(text).not.toContain('ada');
    }
  });

  test('under a foreign host name', async () => {
    const { ask, key } = await stage(entries);
    const hosts = ['evil.example', 'x.localhost', '127.0.0.1.evil.example', 'a b', '127.0.0.1@evil'];
    for (const host of hosts) {
      for (const path of ['/', `/?key=${key}`, '/api/about']) {
        const { status, headers } = await ask(path, { headers: { host } });
        expect([host, path, status]).toEqual([host, path, 403]);
        expect(headers['set-cookie']).toBeUndefined();
      }
    }
  });

  test('to a page of another origin, or to a form, which cannot set the content type', async () => {
    const { ask, index } = await stage(entries);
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const { status } = await ask('/api/read', post({ ids: ['one'], read: true }, headers));
      expect([headers, status]).toEqual([headers, 403]);
      expect((await ask('/api/entries', { headers })).status).toBe(403);
    }
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('/api/read', { ...post({ ids: ['one'], read: true }), headers })).status).toBe(415);
    expect((await index.get('one'))?.isRead).toBe(false);
  });

  test('at a made-up path', async () => {
    const { ask } = await stage(entries);
    for (const path of [
      ...['/api/entries/%2e%2e%2fetc', '/api/entries/one/files/0', '/api/entries/one/files/99'],
      ...['/..%2fpackage.json', '/../../package.json', '//evil', '/api/entries/%E0%A4%A'],
      ...['/api/entries/one/files/1/more', '/built/index.html'],
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});

test('the key becomes a cookie only for this port, and disappears from the URL', async () => {
  const { ask, key, port } = await stage([]);
  const { status, headers } = await ask(`/?key=${key}`, { hasCookie: false });
  expect(Buffer.from(key, 'base64url').length).toBeGreaterThanOrEqual(24);
  expect([status, headers.location]).toEqual([303, '/']);
  expect(headers['set-cookie']?.[0]).toMatch(
    new RegExp(`^relay_inbox_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  expect(headers['set-cookie']?.[0]).not.toContain(key);
  expect((await ask('/')).status).toBe(200);
});

test('every answer has strict headers', async () => {
  const { ask } = await stage(entries);
  for (const path of ['/', '/api/about', '/api/entries/one/files/1', '/nothing']) {
    const { headers } = await ask(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
  }
});

test('a list, newest first, and counts by form, including deleted forms', async () => {
  const { ask } = await stage(entries);
  const window = (await ask('/api/entries?count=2')).json() as Window;
  expect([window.total, window.entries.map(({ id }) => id)]).toEqual([3, ['three', 'two']]);
  const about = (await ask('/api/about')).json() as About;
  expect(about.forms).toMatchObject([
    { id: 'contact', title: 'Contact', isKnown: true, total: 2 },
    { id: 'gone', title: 'gone', isKnown: false, total: 1 },
  ]);
  const message = (await ask('/api/entries/three')).json() as MessageView;
  expect([message.isFormKnown, message.outputs]).toEqual([false, []]);
});

test('markup is only returned as JSON, and nothing in a file runs', async () => {
  const { ask } = await stage(entries);
  const answer = await ask('/api/entries/one');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect((answer.json() as MessageView).fields[1]?.values[0]).toBe(`=cmd()${markup}`);
  for (const nth of [1, 2]) {
    const file = await ask(`/api/entries/one/files/${nth}`);
    expect(file.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(file.headers['content-type']).toBe('application/octet-stream');
    expect(file.headers.x).toBeUndefined();
  }
  const saved = await ask('/api/entries/one/files/2?save');
  expect(saved.headers['content-type']).toBe('application/octet-stream');
  expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="page.html"/);
});

test('an image is shown only if its bytes match its type', async () => {
  const { ask, archive } = await stage([
    { id: 'pic', at: '2026-11-20T10:00:00.000Z', files: [['f', 'a.png', '<svg onload=alert(1)>']] },
  ]);
  const folder = join(archive, 'contact/2026/11/20');
  const name = (await readdir(folder)).find((one) => one.endsWith('.json')) ?? '';
  const text = await readFile(join(folder, name), 'utf8');
  await writeFile(join(folder, name), text.replace('text/plain', 'image/png'));
  const { headers } = await ask('/api/entries/pic/files/1');
  expect(headers['content-disposition']).toMatch(/^attachment/);
  expect(headers['content-type']).toBe('application/octet-stream');
});

test('a forged document reads no file of this machine, and an altered file is not shown', async () => {
  const { ask, archive } = await stage(entries);
  const folder = join(archive, 'contact/2026/11/20');
  const name = (await readdir(folder)).find((one) => one.endsWith('.json')) ?? '';
  const document = JSON.parse(await readFile(join(folder, name), 'utf8'));
  document.files[0].path = '../../../../../../../etc/passwd';
  document.files[1].sha256 = '0'.repeat(64);
  document.form = 'other';
  await writeFile(join(folder, name), JSON.stringify(document));
  const planted = await ask('/api/entries/one/files/1');
  expect([planted.status, planted.text]).toEqual([404, '{"error":"this is not a file of this submission"}']);
  expect((await ask('/api/entries/one/files/2')).text).toContain('SHA-256');
  expect((await ask('/api/entries/one')).json()).toMatchObject({ form: 'contact' });
  await writeFile(join(folder, name), '{');
  expect((await ask('/api/entries/one')).json()).toMatchObject({
    fields: [],
    places: [expect.anything(), 'not readable: the document is not JSON'],
  });
});

test('a body over 1 MB is refused, and so is anything but a JSON object', async () => {
  const { ask } = await stage(entries);
  expect((await ask('/api/read', post({ ids: ['x'.repeat(1_100_000)] }))).status).toBe(413);
  const chunked = { ...post({ ids: ['x'.repeat(1_100_000)] }, { 'transfer-encoding': 'chunked' }) };
  expect((await ask('/api/read', chunked)).status).toBe(413);
  expect((await ask('/api/read', { ...post([]), body: '[1]' })).status).toBe(400);
  expect((await ask('/api/read', post({ ids: [1], read: true }))).status).toBe(400);
});

test('exports the current view, without formulas', async () => {
  const { ask } = await stage(entries);
  const csv = await ask('/api/export?format=csv&form=contact');
  expect(csv.text.match(/^"2026/gm)).toHaveLength(2);
  expect(csv.text).toContain(`"'=cmd()`);
  expect(csv.text).toMatch(/^\ufeff"received_at","form","id","page","state"/);
  const lines = (await ask('/api/export?format=jsonl')).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id, state }) => [id, state])).toEqual(
    Object.entries({ three: 'stored', two: 'stored', one: 'stored' }),
  );
});

test("a table has 100 columns for a form's fields, and one more for the rest as JSON, whatever names visitors choose", async () => {
  const nameOf = (nth: number, of: number) => (of === 0 ? 'other_fields' : `f${nth}_${of}`);
  const fields = (nth: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, of) => [nameOf(nth, of), [`=v${nth}`, 'x']]));
  const many = Array.from({ length: 40 }, (_, nth) => ({
    id: `e${nth}`,
    at: new Date(Date.parse('2026-11-21T10:00:00Z') + nth * 1_000).toISOString(),
    values: fields(nth),
  }));
  const other = { id: 'other', form: 'jobs', at: '2026-11-21T10:00:20.500Z', values: { salary: ['9'] } };
  const { ask, archive } = await stage([...many, other]);
  const read = { archive: openArchive(archive), unseal: undefined };
  const command = [];
  for await (const text of asCsv(read, {}, () => {})) command.push(text);
  for (const text of [(await ask('/api/export?format=csv')).text, command.join('')]) {
    const [header = '', ...rows] = text.trim().split('\r\n');
    expect(header.split(',').slice(-1)).toEqual(['"other_fields"']);
    expect(header).toContain('"other_fields (field)"');
    expect(header).toContain('"salary"');
    expect(header.split(',').filter((name) => /f\d/.test(name))).toHaveLength(99);
    expect(rows.filter((row) => row.includes('""f20_1"":""=v20; x""'))).toHaveLength(1);
    expect(text.length).toBeLessThan(JSON.stringify(many).length * 2);
  }
});

describe('a form that a person may not see', () => {
  const limited: Person = {
    name: 'bob@example.com',
    forms: new Set(['contact']),
    may: (right, form) => form === 'contact' && right !== 'erase',
  };

  test('is absent from every answer', async () => {
    const { ask } = await stage(entries, { person: () => limited });
    for (const path of ['/api/entries/three', '/api/entries/three/files/1']) {
      const [hidden, missing] = [await ask(path), await ask(path.replace('three', 'none'))];
      expect([hidden.status, hidden.text]).toEqual([404, missing.text]);
    }
    for (const path of ['/api/about', '/api/entries', '/api/entries?form=gone', '/api/export?format=jsonl'])
      expect((await ask(path)).text).not.toMatch(/gone|three/);
  });

  test('cannot be changed or erased, and actions are recorded first', async () => {
    const run = vi.fn(async () => ({ isDone: true, words: 'Marked.' }));
    const remove = vi.fn(async () => ({ isDone: true, words: 'Deleted.' }));
    const audit = vi.fn(async (..._: unknown[]) => {});
    const broken = vi.fn();
    const { ask } = await stage(entries, {
      person: () => limited,
      actions: { ...idle, run, remove },
      audit,
      broken,
    });
    expect((await ask('/api/entries/three/mark', post({ mark: 'spam' }))).status).toBe(404);
    expect((await ask('/api/entries/one', { method: 'DELETE' })).status).toBe(403);
    expect([run.mock.calls.length, remove.mock.calls.length, audit.mock.calls.length]).toEqual([0, 0, 0]);
    expect((await ask('/api/entries/one/mark', post({ mark: 'spam' }))).json()).toEqual({
      isDone: true,
      words: 'Marked.',
    });
    expect(run).toHaveBeenCalledWith('one', { action: 'mark', mark: 'spam' });
    expect(audit).toHaveBeenCalledWith(limited, 'marked', { id: 'one', form: 'contact' });
    expect((await ask('/api/entries?mark=spam')).json()).toMatchObject({ total: 1 });
    expect(audit).toHaveBeenCalledTimes(1);
    run.mockResolvedValueOnce({ isDone: false, words: 'not taken' });
    await ask('/api/entries/one/mark', post({ mark: 'ham' }));
    run.mockRejectedValueOnce(new Error('a bug'));
    expect((await ask('/api/entries/one/mark', post({ mark: 'ham' }))).status).toBe(500);
    const marked = { id: 'one', form: 'contact' };
    expect(audit.mock.calls.slice(1)).toEqual([
      [limited, 'marked', marked],
      [limited, 'marked', { ...marked, failed: true }],
      [limited, 'marked', marked],
      [limited, 'marked', { ...marked, failed: true }],
    ]);
    audit.mockRejectedValueOnce(Object.assign(new Error(), { code: 'ECONNRESET' }));
    expect((await ask('/api/entries/one')).status).toBe(500);
  });
  test('is not counted as erased, and the rest is recorded', async () => {
    const eraser: Person = { ...limited, may: (_, form) => form === 'contact' };
    const erase = vi.fn(async () => ({ entries: 0, left: ['one: the disk is full'] }));
    const audit = vi.fn(async (..._: unknown[]) => {});
    const people = { find: vi.fn(), export: vi.fn(), erase };
    const { ask } = await stage(entries, { person: () => eraser, people, audit });
    await ask('/api/person/erase', post({ email: 'ada@example.org', ids: ['one', 'three', 'none'] }));
    expect(audit.mock.calls).toEqual([
      [eraser, 'person_erased', { count: 1 }],
      [eraser, 'person_erased', { count: 1, failed: true }],
    ]);
  });

  test('changes unnoticed', async () => {
    let index: EntryIndex | undefined;
    const wrap = (one: EntryIndex) => {
      index = one;
      return one;
    };
    const { port, cookie, ask } = await stage(entries, { person: () => limited, wrap });
    const stop = new AbortController();
    const open = await fetch(`http://127.0.0.1:${port}/api/events`, {
      headers: { cookie },
      signal: stop.signal,
    });
    const changed = new Promise<void>((resolve) => index?.onChange(() => resolve()));
    await index?.setRead(['three'], true, undefined);
    await changed;
    await ask('/api/read', post({ ids: ['one'], read: true }));
    let text = '';
    for await (const piece of open.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes('event: change')) break;
    }
    stop.abort();
    expect(text.match(/event: change\ndata: \{.*/g)).toEqual([
      expect.stringContaining('"total":2,"unread":1'),
    ]);
  });
});

test('a queued delivery is shown with its output, and the reason', async () => {
  const kept = { store: 0, id: 'one-0', waitsForOwner: true, reason: 'the address is unknown' };
  const wrap = (index: EntryIndex): EntryIndex => ({
    ...index,
    get: async (id) => {
      const entry = await index.get(id);
      return entry && { ...entry, state: 'kept', kept: [kept, { store: 0, id: 'one' }] };
    },
  });
  const { ask, archive } = await stage(entries, { wrap });
  const message = (await ask('/api/entries/one')).json() as MessageView;
  expect(message.deliveries).toEqual([
    { output: 0, type: 'folder', target: archive, waitsForOwner: true, reason: 'the address is unknown' },
  ]);
});

test('everything that matches is marked as read at once, and several are exported; each is recorded once', async () => {
  const audited: object[] = [];
  const audit = async (_: Person, what: string, about: object) => void audited.push({ what, ...about });
  const { ask, index } = await stage(entries, { audit });
  const until = Date.parse('2026-11-21T10:00:00.000Z');
  const read = await ask(`/api/read?until=${until + 1}`, post({ all: true, read: true }));
  expect(read.json()).toEqual({ changed: 2 });
  const flags = await Promise.all(['one', 'two', 'three'].map(async (id) => (await index.get(id))?.isRead));
  expect(flags).toEqual([true, true, false]);
  const saved = await ask('/api/export', post({ format: 'jsonl', ids: ['three', 'one', 'none'] }));
  expect(
    saved.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual(['three', 'one']);
  expect(audited).toEqual([
    { what: 'marked_read', count: 2 },
    { what: 'exported', count: 2 },
  ]);
});

test('exporting or marking entries of a form requires the right to see it', async () => {
  const { ask, index } = await stage(entries, {
    person: () => ({
      name: 'bob',
      forms: new Set(['gone']),
      may: (right, form) => right === 'read' && form === 'gone',
    }),
  });
  const saved = await ask('/api/export', post({ format: 'jsonl', ids: ['one', 'three'] }));
  expect(saved.text).not.toContain('ada');
  expect((await ask('/api/read', post({ all: true, read: true }))).json()).toEqual({ changed: 1 });
  expect((await index.get('one'))?.isRead).toBe(false);
});

test('a submission includes its changes: listed once, with the latest values, its history, and all files', async () => {
  const of = ['one'];
  const { ask, archive, index } = await stage([
    ...entries,
    { id: 'later', at: '2026-11-23T10:00:00.000Z', values: { email: ['ada@b.example'], _change_of: of } },
    {
      ...{ id: 'last', at: '2026-11-24T10:00:00.000Z' },
      values: { email: ['ada@b.example'], _withdrawn: of },
      files: [['cv', 'new.txt', 'another']] as const,
    },
    {
      id: 'lost',
      at: '2026-11-24T10:00:00.000Z',
      values: { email: ['eve@b.example'], _change_of: ['gone'] },
    },
    { id: 'planted', form: 'gone', at: '2026-11-25T10:00:00.000Z', values: { note: ['x'], _change_of: of } },
  ]);
  const list = async (search: string) =>
    ((await ask(`/api/entries?search=${search}`)).json() as Window).entries.map(({ id, part }) => [id, part]);
  expect(await list('')).toEqual([
    ['planted', 'changed'],
    ['lost', 'changed'],
    ['three', undefined],
    ['two', undefined],
    ['one', 'withdrawn'],
  ]);
  for (const search of ['ada@example.org', 'ada@b.example'])
    expect(await list(search)).toEqual([['one', 'withdrawn']]);
  const { forms } = (await ask('/api/about')).json() as About;
  expect(forms.map(({ id, total }) => [id, total])).toEqual(
    expect.arrayContaining([
      ['contact', 3],
      ['gone', 2],
    ]),
  );
  const got = (await ask('/api/entries/one')).json() as MessageView;
  expect(got).toMatchObject({
    part: 'withdrawn',
    sender: 'ada@b.example',
    fields: [{ values: ['ada@b.example'] }],
  });
  expect(got.history.map(({ part, fields }) => [part, fields[0]?.values[0]])).toEqual([
    ['withdrawn', 'ada@b.example'],
    ['changed', 'ada@b.example'],
    [undefined, 'ada@example.org'],
  ]);
  expect(got.attached.map(({ name }) => name).at(-1)).toBe('new.txt');
  expect((await ask('/api/entries/one/files/3')).text).toBe('another');
  const csv = (await ask('/api/export?format=csv&form=contact')).text;
  expect(csv).toContain('ada@b.example');
  expect(csv).not.toContain('ada@example.org');
  await ask('/api/read', post({ ids: ['one'], read: true }));
  await write(archive, [
    { id: 'news', at: new Date().toISOString(), values: { email: ['x'], _change_of: ['one'] } },
  ]);
  await vi.waitFor(async () => expect((await index.get('one'))?.isRead).toBe(false));
});
