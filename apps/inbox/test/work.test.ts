/** The work on submissions: labels, state, assignee, notes, replies, views. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openTerminal } from '../../../packages/cli/test/terminal.ts';
import { writeEntry } from '../../../packages/stored/test/entries.ts';
import { decodeMail, startRelay, startSmtpSink, tempFolder, untilEnd } from '../../../test/support/index.ts';
import type { MessageView, WorkDetail } from '../src/api.ts';
import { owner, type Person } from '../src/gate.ts';
import { openStore } from '../src/store/store.ts';
import { createWorkStore } from '../src/work/work.ts';
import { idle, post, stage, startInbox } from './stage.ts';

const slow = { timeout: 60_000 };
const ids = Array.from({ length: 10 }, (_, nth) => `id-${nth}`);
const entry = (id: string, form = 'contact') => ({
  id,
  form,
  at: '2026-11-20T10:00:00.000Z',
  values: { email: [`${id}@example.org`], friend: ['friend@example.org'], message: [`About ${id}`] },
});

async function stageWithStore(person?: Person, entries = ids.map((id) => entry(id))) {
  const store = openStore(tempFolder());
  onTestFinished(store.close);
  const audit: unknown[] = [];
  const work = createWorkStore(store, Date.now);
  const staged = await stage(entries, {
    ...{
      store,
      work,
      actions: idle,
    },
    ...(person && {
      person: () => person,
      audit: async (_: Person, what: string, about: object) => void audit.push({ what, ...about }),
    }),
  });
  const send = async (path: string, body: object) => {
    const { status, json } = await staged.ask(`/api/${path}`, post(body));
    return { status, body: json() as WorkDetail & { error?: string; changed?: number } };
  };
  const list = async (query: string) => {
    const { entries } = (await staged.ask(`/api/entries?${query}`)).json() as { entries: { id: string }[] };
    return entries.map(({ id }) => id).toSorted();
  };
  return { ...staged, send, list, audit, work };
}

test('a list is filtered by work, and a change based on an old version is reported', async () => {
  const { send, list, ask, work } = await stageWithStore();
  expect((await send('work', { ids: ids.slice(0, 3), add: [' Urgent '] })).body).toEqual({ changed: 3 });
  const first = await send('entries/id-0/work', { isDone: true, version: 1 });
  expect(first.body).toMatchObject({ version: 2, isDone: true, labels: ['Urgent'], who: 'owner' });
  expect(await send('entries/id-0/work', { assigned: 'Ada', version: 1 })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('has just changed this submission') },
  });
  await send('entries/id-0/work', { assigned: 'Ada', version: 2, add: ['urgent', 'Big'] });
  await Promise.all([1, 2, 3].map((nth) => send('entries/id-0/notes', { text: `note ${nth}\r\nmore` })));
  for (const [query, found] of [
    ['label=URGENT', ids.slice(0, 3)],
    ['label=Big', ['id-0']],
    ['assigned=Ada', ['id-0']],
    ['assigned=-', ids.slice(1)],
    ['work=done', ['id-0']],
    ['work=open&label=Urgent', ['id-1', 'id-2']],
    ['search=about&work=open', ids.slice(1)],
    ['search=id-0@example.org&label=big', ['id-0']],
  ] as const)
    expect(await list(query), query).toEqual(found);
  const view = (await ask('/api/entries/id-0')).json() as MessageView;
  expect(view.detail?.thread.map((one) => one.text)).toEqual([
    'note 1\nmore',
    'note 2\nmore',
    'note 3\nmore',
  ]);
  expect(view.detail?.labels).toEqual(['Urgent', 'Big']);
  await send('labels', { name: 'urgent', isRemoved: true });
  expect(await list('label=Urgent')).toEqual([]);
  await ask('/api/entries/id-0', { method: 'DELETE' });
  expect(work.detail('id-0', 'owner')).toMatchObject({ version: 0, thread: [] });
});

test('too many or malformed names are refused, with a reason', async () => {
  const { send } = await stageWithStore();
  for (const [path, sent, words] of [
    ['entries/id-0/notes', { text: ' \u202e\0 ' }, 'at most 10 KB'],
    ['entries/id-0/notes', { text: 'ä'.repeat(5_200) }, 'at most 10 KB'],
    ['entries/id-0/work', { add: ['x'.repeat(61)] }, '60 characters'],
    ['entries/id-0/work', { add: Array.from({ length: 51 }, (_, nth) => `l${nth}`) }, 'at most 50 labels'],
    ['entries/id-0/work', { assigned: '-' }, 'a name'],
    ['entries/id-0/work', { isDone: 'yes' }, 'isDone'],
    ['work', { ids: 'all' }, 'ids'],
    ['labels', { name: 'nowhere', color: 1 }, 'this label does not exist'],
    ['views', { name: '', query: '' }, 'a name'],
    ['views', { name: 'x', query: 'state=gone' }, 'unknown state'],
    ['views', { nth: 7, isRemoved: true }, 'this view does not exist'],
    ['entries/id-0/reply', { to: 'a@example.org', subject: '', text: 'x', key: 'k' }, 'UUID'],
    ['entries/%zz/work', { isDone: true }, 'does not exist'],
  ] as const) {
    const { status, body } = await send(path, sent);
    expect(status, words).toBeGreaterThanOrEqual(400);
    expect(body.error, path).toContain(words);
  }
});

test('only people with the right to act make changes, only for people who may read, and every change is recorded', async () => {
  const bob: Person = {
    name: 'bob@example.org',
    subject: 'b',
    forms: new Set(['contact', 'jobs']),
    may: (right, form) => right === 'read' || (right === 'act' && form === 'contact'),
    canSignOut: true,
    isStill: () => true,
  };
  const { send, ask, list, audit, work } = await stageWithStore(bob, [
    entry('a'),
    entry('b', 'jobs'),
    entry('c', 'board'),
  ]);
  for (const path of ['b/work', 'b/notes', 'b/draft', 'b/reply'])
    expect((await send(`entries/${path}`, { text: 'x' })).status).toBe(403);
  expect((await send('entries/c/work', { isDone: true })).status).toBe(404);
  expect((await send('work', { ids: ['a', 'b', 'c'], isDone: true })).body).toEqual({ changed: 1 });
  expect(await list('work=done')).toEqual(['a']);
  expect((await send('entries/a/work', { assigned: 'eve@example.org', version: 1 })).body.error).toContain(
    'may not read',
  );
  expect((await send('entries/a/work', { assigned: bob.name, version: 1 })).status).toBe(200);
  await send('entries/a/notes', { text: 'words that no log has' });
  work.note({ id: 'a', form: 'contact', who: 'ada@example.org' }, 'hers');
  const { thread } = (await ask('/api/entries/a/work')).json() as WorkDetail;
  const hers = thread.find((one) => one.who === 'ada@example.org');
  expect((await send(`entries/a/notes/${hers?.kind === 'note' && hers.nth}`, { text: '' })).status).toBe(404);
  expect((await send('views', { name: 'Mine', query: 'work=open', isShared: false })).status).toBe(200);
  work.saveView('ada@example.org', { name: 'Hers', query: 'work=open', isShared: false });
  work.saveView('ada@example.org', { name: 'Ours', query: 'work=open', isShared: true });
  work.saveView('ada@example.org', { name: 'Board', query: 'form=board&search=fired', isShared: true });
  const { work: about } = (await ask('/api/about')).json() as { work: { views: { name: string }[] } };
  expect(about.views.map(({ name }) => name)).toEqual(['Mine', 'Ours']);
  const label = { name: 'VIP', color: 1 };
  work.change({ id: 'a', form: 'contact', who: 'ada@example.org' }, { add: ['VIP'], remove: [] });
  expect((await send('labels', { ...label, isRemoved: true })).status).toBe(403);
  expect((await send('labels', { ...label, color: 8 })).status).toBe(400);
  const acts = audit.map((one) => (one as { what: string }).what);
  expect(acts).toEqual(['done', 'assigned', 'noted', 'note_removed', 'view_saved']);
  expect(JSON.stringify(audit)).not.toContain('words');
});

const some = ids.slice(0, 3);

async function openSite(outputs = '') {
  const terminal = await openTerminal({
    files: {
      'webform.yaml': `forms: {contact: {title: Contact, fields: [{name: email, type: email}], outputs: [{type: folder, path: archive}, ${outputs}]}}`,
    },
  });
  await mkdir(join(terminal.cwd, 'archive'), { recursive: true });
  for (const id of some) await writeEntry(join(terminal.cwd, 'archive'), entry(id));
  const openInbox = async () => {
    const { address, cookie, kill } = await startInbox(terminal.cwd, ['--store', 'store'], {
      HOME: dirname(terminal.cwd),
    });
    const headers = { cookie, 'content-type': 'application/json' };
    const ask = async (path: string, options: RequestInit = {}) =>
      fetch(new URL(path, address), { ...options, headers });
    const json = async <T>(path: string) => (await ask(`/api/${path}`)).json() as Promise<T>;
    const send = async (path: string, body: object) =>
      (await ask(`/api/${path}`, { method: 'POST', body: JSON.stringify(body) })).json();
    await expect.poll(() => json('entries'), slow).toMatchObject({ total: some.length });
    return { ask, json, send, kill };
  };
  return { ...terminal, store: join(terminal.cwd, 'store'), openInbox };
}

test('everything confirmed survives SIGKILL, and is erased with its person', async () => {
  const { openInbox, store, run } = await openSite();
  const answered: string[] = [];
  let { send, kill, json } = await openInbox();
  for (let round = 0; round < 2; round += 1) {
    const writers = some.map(async (id) => {
      for (let nth = 0; ; nth += 1) {
        const text = `${id} ${round} ${nth} qznote`;
        await send(`entries/${id}/notes`, { text });
        answered.push(text);
      }
    });
    const stopped = Promise.allSettled(writers);
    await expect.poll(() => answered.length, slow).toBeGreaterThan(40 * (round + 1));
    await kill();
    await stopped;
    ({ send, kill, json } = await openInbox());
  }
  const kept = new Set<string>();
  for (const id of some)
    for (const { text } of (await json<WorkDetail>(`entries/${id}/work`)).thread) kept.add(text);
  expect(answered.filter((text) => !kept.has(text))).toEqual([]);
  await send('work', { ids: some, add: ['Urgent'] });
  await kill();
  ({ send, kill, json } = await openInbox());
  await expect.poll(() => json('entries?label=urgent'), slow).toMatchObject({ total: 3 });
  const erase = (id: string) => run(`relay archive erase --email ${id}@example.org --yes`);
  expect((await erase('id-0')).stderr).toContain(
    `the notes and labels of these submissions from ${store}, now or at its next start`,
  );
  await expect.poll(() => json('entries?label=urgent'), slow).toMatchObject({ total: 2 });
  await kill();
  for (const id of some.slice(1)) await erase(id);
  await startInbox(dirname(store), ['--store', 'store'], { HOME: dirname(dirname(store)) });
  await expect
    .poll(
      () =>
        readdirSync(store).some(
          (name) => !name.endsWith('.lock') && readFileSync(join(store, name), 'latin1').includes('qznote'),
        ),
      slow,
    )
    .toBe(false);
});

test('a reply is sent once, stored with its submission, and exported', async () => {
  let refusal: string | undefined = '550 5.1.1 no such user';
  const sink = await untilEnd(startSmtpSink({ onRecipient: () => refusal }));
  const { openInbox } = await openSite(
    `{type: smtp, host: 127.0.0.1, port: ${sink.port}, to: office@example.com, from: forms@example.com, retries: 0}`,
  );
  const { ask, json, send } = await openInbox();
  const key = '0b9e5b1e-2f0a-4a53-9c0e-5b8f2f0c9a11';
  const draft = {
    to: 'id-1@example.org',
    subject: 'Re: Contact\r\nBcc: eve@example.org',
    text: 'Hello,\n\nyes.\n\nOn Friday, id-1 wrote:\n> About id-1',
  };
  const reply = (more: object = {}) => send('entries/id-1/reply', { ...draft, key, ...more });
  expect(await reply({ to: 'stranger@example.org' })).toEqual({
    error: 'a reply must go to an address in the submission',
  });
  await send('entries/id-1/draft', draft);
  expect(await reply()).toMatchObject({ isDone: false, words: expect.stringContaining('550 5.1.1') });
  expect(await json<WorkDetail>('entries/id-1/work')).toMatchObject({
    thread: [{ state: 'failed', text: draft.text }],
    draft: { text: draft.text },
  });
  refusal = undefined;
  expect(await Promise.all([reply(), reply()])).toEqual(
    [1, 2].map(() => ({ isDone: true, words: 'Reply sent.' })),
  );
  await reply({ text: 'another text under the same key' });
  expect(sink.mails.map(({ envelope }) => envelope)).toEqual([
    { from: 'forms@example.com', to: ['id-1@example.org'] },
  ]);
  const { headers, text } = decodeMail(sink.mails[0]?.raw ?? '');
  expect(text).toBe(`${draft.text}\n`);
  expect(Object.fromEntries(headers)).toMatchObject({
    Subject: 'Re: Contact Bcc: eve@example.org',
    'Reply-To': 'office@example.com',
    'In-Reply-To': '<id-1-1@example.com>',
  });
  const detail = await json<WorkDetail>('entries/id-1/work');
  expect(detail).toMatchObject({
    replies: 1,
    thread: [{ state: 'sent', who: 'owner', to: 'id-1@example.org', text: draft.text }],
  });
  expect(detail).not.toHaveProperty('draft');
  await send('entries/id-1/notes', { text: '=1+1' });
  await send('entries/id-1/work', { isDone: true, add: ['Urgent'], assigned: 'Ada' });
  const table = await (await ask('/api/export?format=csv')).text();
  expect(table.split('\r\n')[0]).toContain('"state","labels","done","assigned","notes","replies"');
  expect(table).toMatch(/"stored","Urgent","yes","Ada","[^"]+ owner: =1\+1","[^"]+ owner: Hello,\n/);
  const lines = (await (await ask('/api/export?format=jsonl')).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.find(({ id }) => id === 'id-1')).toMatchObject({
    work: { labels: ['Urgent'], thread: [{ kind: 'reply' }, { kind: 'note' }] },
  });
  const person = await ask('/api/person/export', {
    method: 'POST',
    body: JSON.stringify({ email: 'id-1@example.org' }),
  });
  expect(await person.text()).toContain('=1+1');
});

test("a link in the owner's mail opens its submission in the inbox, after signing in", async () => {
  const sink = await untilEnd(startSmtpSink());
  const to = `type: smtp, host: 127.0.0.1, port: ${sink.port}, to: office@example.com, mapping: "*"`;
  const outputs = `outputs: [{type: folder, path: ${tempFolder()}}, {${to}}, {${to}, html: true}]`;
  const form = `contact: {fields: [{name: name}], ${outputs}}, other: {fields: [{name: name}], outputs: [{${to}}]}`;
  for (const inbox of ['', 'inbox: {url: "http://127.0.0.1:8090"}\n']) {
    const relay = await startRelay({ config: `${inbox}forms: {${form}}` });
    for (const name of ['contact', 'other'])
      await fetch(`${relay.origin}/api/v1/submit/${name}`, {
        method: 'POST',
        body: new URLSearchParams({ name: 'Ada' }),
      });
  }
  await expect.poll(() => sink.mails.length, slow).toBe(6);
  const linked = sink.mails.filter(({ raw }) => raw.includes('Open in the inbox'));
  expect(linked).toHaveLength(2);
  const address = /http:\/\/127\.0\.0\.1:8090\/\?open=3?D?[\da-f-]{36}/;
  for (const { raw } of linked) expect(raw.replaceAll('=\r\n', '')).toMatch(address);
  expect(linked.map(({ raw }) => raw.includes('<a href="http://127.0.0.1:8090/?open')).toSorted()).toEqual([
    false,
    true,
  ]);
  let isSignedIn = false;
  const { ask } = await stage([entry('a')], {
    person: () =>
      isSignedIn ? owner : { status: 401, headers: { 'set-cookie': ['other=1'] }, body: 'Sign in.' },
  });
  const first = await ask('/?open=a', { hasCookie: false });
  expect(first.headers['set-cookie']).toEqual(['other=1', expect.stringContaining('open=a; Max-Age=900')]);
  isSignedIn = true;
  const second = await ask('/', { headers: { cookie: 'other=1; open=a' } });
  expect(second).toMatchObject({
    status: 303,
    headers: { location: '/?open=a', 'set-cookie': [expect.stringMatching(/^open=; Max-Age=0/)] },
  });
});
