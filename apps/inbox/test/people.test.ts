/** Invited people, and programs with API keys, over HTTP; mails are collected in a list. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../../packages/core/src/settings.ts';
import type { OwnMail } from '../../../packages/visitor-mails/src/own_mail.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import type { PeopleView } from '../src/api.ts';
import openapi from '../src/server/openapi.json' with { type: 'json' };
import type { Actions } from '../src/server/options.ts';
import { openStore } from '../src/store/store.ts';
import { askRunningInbox, inviteOwner, watchInvitations } from '../src/team/access.ts';
import { openAccounts } from '../src/team/accounts.ts';
import { createTeam } from '../src/team/team.ts';
import { createWorkStore } from '../src/work/work.ts';
import { idle, post, stage, write } from './stage.ts';

vi.setConfig({ testTimeout: 60_000 });

const entries = Array.from({ length: 25 }, (_, nth) => ({
  id: `e${String(nth).padStart(2, '0')}`,
  form: nth % 5 === 0 ? 'jobs' : 'contact',
  // Groups of three share a time.
  at: new Date(Date.UTC(2026, 10, 20, 10, Math.floor(nth / 3))).toISOString(),
  values: { email: [`p${nth}@example.org`], text: [nth === 1 ? '=cmd()' : `_x0041_ ${nth}\u0001`] },
  files: nth === 1 ? [['cv', 'plan.txt', 'Four windows'] as const] : [],
}));

interface Options {
  readonly inbox?: string;
  readonly folder?: string;
  readonly actions?: Actions;
}

/** A team inbox whose first manager is ada. */
async function start({ inbox = '', folder = join(tempFolder(), 'store'), actions }: Options = {}) {
  const store = openStore(folder);
  let isOpen = true;
  const close = () => {
    if (isOpen) store.close();
    isOpen = false;
  };
  onTestFinished(close);
  const audit = join(folder, 'audit');
  mkdirSync(audit, { recursive: true });
  const parsed = parseConfig(
    `inbox: {url: "http://127.0.0.1:1"${inbox}}\nforms: {contact: {fields: [], outputs: [{type: folder, path: archive}]}}`,
    'webform.yaml',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  let base = 'http://127.0.0.1:1';
  const settings = () => {
    const own = parsed.value.shared.get('inbox');
    return own && { ...own, url: new URL(base) };
  };
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const mails: OwnMail[] = [];
  const log: (readonly [string, object])[] = [];
  const outbox = {
    carrier: () => ({}) as never,
    send: async (mail: OwnMail) => {
      mails.push(mail);
      return { state: 'sent' as const, messageId: '' };
    },
  };
  const accounts = openAccounts(store, now);
  const team = createTeam(settings, {
    ...{ now, env: () => undefined, accounts, outbox, auditFolder: audit },
    log: (_level, event, fields = {}) => log.push([event, fields]),
    proxies: readSettings({ TRUSTED_PROXIES: '127.0.0.1' }),
  });
  const work = createWorkStore(store, now);
  const at = await stage(entries, { ...team, ...{ outbox, store, work, actions } });
  base = `http://127.0.0.1:${at.port}`;
  const linkIn = (mail: OwnMail | undefined) => /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  /** Waits for mails with `vi.waitFor`, because they are sent after the answer. */
  const mailed = async (count: number) => {
    await vi.waitFor(() => expect(mails.length).toBe(count));
    return linkIn(mails.at(-1));
  };

  const openBrowser = (address = `198.51.100.${Math.floor(Math.random() * 250)}`) => {
    const jar = new Map<string, string>();
    const visit = async (to: string, options: Parameters<typeof at.ask>[1] = {}) => {
      const { pathname, search } = new URL(to, base);
      const cookie = [...jar].map((one) => one.join('=')).join('; ');
      const own = { cookie, 'x-forwarded-for': address, 'user-agent': 'X11; Linux; Firefox/140.0' };
      const reply = await at.ask(pathname + search, {
        ...options,
        hasCookie: false,
        headers: { ...own, ...options.headers },
      });
      for (const line of reply.headers['set-cookie'] ?? []) {
        const [, name = '', value = '', age = ''] = /^([^=]+)=([^;]*); Max-Age=(\d+)/.exec(line) ?? [];
        if (age === '0') jar.delete(name);
        else jar.set(name, value);
      }
      return reply;
    };
    const send = (fields: Readonly<Record<string, string>>, headers = {}) =>
      visit('/sign-in/link', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      });
    const confirm = (link: string) => send({ token: new URL(link).searchParams.get('token') ?? '' });
    const call = async (path: string, body: object) => (await visit(path, post(body))).json();
    const people = async () => (await visit('/api/people')).json() as PeopleView;
    return { jar, visit, send, confirm, call, people };
  };

  /** Signs a person in through an invitation. */
  const enter = async (email: string) => {
    const browser = openBrowser();
    expect((await browser.confirm(linkIn(mails.findLast(({ to }) => to === email)))).status).toBe(303);
    return browser;
  };
  const { access } = team;
  if (!access) throw new Error('no access');
  await inviteOwner({ access, outbox, audit: team.audit }, 'ada@example.org');
  const audited = () =>
    readdirSync(audit).flatMap((name) => readFileSync(join(audit, name), 'utf8').trim().split('\n'));
  return { ...at, base, folder, close, clock, mails, log, mailed, linkIn, openBrowser, enter, audited, team };
}

test('an invitation is accepted only by its button, once, and by one browser', async () => {
  const { openBrowser, linkIn, mails } = await start();
  const link = linkIn(mails[0]);
  const [scanner, ada, thief] = [openBrowser(), openBrowser(), openBrowser()];
  for (const method of ['HEAD', 'GET', 'GET'])
    expect((await scanner.visit(link, { method })).status).toBe(200);
  expect((await ada.visit(link)).text).toContain('Sign in as ada@example.org');
  expect((await ada.confirm(link)).status).toBe(303);
  expect((await ada.visit('/api/about')).json()).toMatchObject({
    person: { name: 'ada@example.org', mayManage: true },
  });
  expect((await thief.confirm(link)).status).toBe(410);
  expect((await thief.visit(link)).text).toContain('This link was already used');
  expect((await thief.visit('/api/about')).status).toBe(401);
});

test('an unreadable invitation does not block the next, and is not read again', async () => {
  const { close, folder } = await start();
  close();
  const store = openStore(folder);
  onTestFinished(store.close);
  writeFileSync(join(folder, 'invite-0000000000000000.json'), '{');
  const [broken, invited] = [vi.fn(), vi.fn(async (email: string) => `invited ${email}`)];
  const asked = askRunningInbox(folder, 'bob@example.org');
  onTestFinished(watchInvitations(store, invited, broken));
  expect(await asked).toBe('invited bob@example.org');
  expect([broken.mock.calls.length, invited.mock.calls.length]).toEqual([1, 1]);
  expect(readdirSync(folder).filter((name) => name.startsWith('invite'))).toEqual([]);
});

test('a link works in the browser that asked for it, once and for 15 minutes', async () => {
  const { openBrowser, mailed, clock } = await start();
  const [ada, thief] = [openBrowser(), openBrowser()];
  expect((await ada.send({ email: 'ADA@example.org' })).text).toContain('is on its way');
  const link = await mailed(2);
  for (const look of [thief.visit(link), thief.confirm(link)])
    expect([(await look).status, (await look).text]).toEqual([
      403,
      expect.stringContaining('belongs to another browser'),
    ]);
  expect((await ada.visit(link, { method: 'HEAD' })).status).toBe(200);
  expect((await ada.visit(link)).status).toBe(303);
  expect((await ada.visit('/api/about')).status).toBe(200);
  expect([(await ada.visit(link)).status, (await ada.visit(`${link}x`)).status]).toEqual([410, 404]);
  await ada.send({ email: 'ada@example.org' });
  const later = await mailed(3);
  clock.ahead += 900_000;
  expect((await ada.visit(later)).text).toContain('This link has expired');
});

test('answers do not reveal whether an address is known, and asking is limited by address and by client', async () => {
  const { openBrowser, mails, mailed, clock } = await start();
  const asked = async (email: string, client = '203.0.113.9') =>
    (await openBrowser(client).send({ email })).text;
  const known = await asked('ada@example.org');
  expect((await asked('eve@example.org')).replaceAll('eve', 'ada')).toBe(known);
  await mailed(2);
  for (const name of ['ada', 'eve']) {
    await asked(`${name}@example.org`);
    await asked(`${name}@example.org`);
    expect(await asked(`${name}@example.org`)).toContain('Several links were already requested');
    expect(await asked(`${name}@example.org`, '203.0.114.9')).toContain('is on its way');
  }
  clock.ahead += 900_000;
  const statuses = [];
  for (let nth = 0; nth < 12; nth += 1)
    statuses.push((await openBrowser('192.0.2.1').send({ email: `x${nth}@example.org` })).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  expect((await openBrowser().send({ email: 'no address' })).status).toBe(400);
  expect(new Set(mails.map(({ to }) => to))).toEqual(new Set(['ada@example.org']));
});

test('a removed person loses open pages, links and keys at once', async () => {
  const { enter, openBrowser, base, mailed, linkIn, mails } = await start();
  const ada = await enter('ada@example.org');
  await ada.call('/api/people', { email: 'Bob@example.org', name: 'Bob', may: ['manage'] });
  const bob = await enter('bob@example.org');
  const { key } = (await bob.call('/api/keys', { name: 'CRM' })) as { key: string };
  const read = () => openBrowser().visit('/api/v1/forms', { headers: { authorization: `Bearer ${key}` } });
  expect((await read()).status).toBe(200);
  const cookie = [...bob.jar].map((one) => one.join('=')).join('; ');
  const events = await fetch(`${base}/api/events`, { headers: { cookie } });
  await bob.send({ email: 'bob@example.org' });
  const link = await mailed(mails.length + 1);
  expect(await ada.call('/api/people/remove', { email: 'bob@example.org' })).toMatchObject({ isDone: true });
  // The server ends the stream.
  await expect(
    (async () => {
      for await (const _ of events.body ?? []);
    })().catch(() => 'cut'),
  ).resolves.not.toBe('open');
  expect([(await bob.visit('/api/about')).status, (await read()).status]).toEqual([401, 401]);
  expect((await bob.visit(link)).text).toContain('bob@example.org no longer has access to this inbox');
  expect(linkIn(mails.at(-1))).toBe(link);
});

test('sessions are listed, end one by one or all together, and survive a restart', async () => {
  const one = await start();
  const ada = await one.enter('ada@example.org');
  const phone = one.openBrowser();
  await phone.send({ email: 'ada@example.org' });
  await phone.visit(await one.mailed(2));
  const mine = (await ada.people()).mine;
  expect(mine.map(({ isThis, browser }) => [isThis, browser])).toEqual([
    [true, 'Firefox on Linux'],
    [false, 'Firefox on Linux'],
  ]);
  await ada.call('/api/sessions/end', { id: mine[1]?.id });
  expect([(await phone.visit('/api/about')).status, (await ada.visit('/api/about')).status]).toEqual([
    401, 200,
  ]);
  const { key } = (await ada.call('/api/keys', { name: 'CRM' })) as { key: string };
  const secrets = [
    ...ada.jar.values(),
    key,
    new URL(one.linkIn(one.mails[0])).searchParams.get('token') ?? '',
  ];
  one.close();
  const files = readdirSync(one.folder, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const { parentPath, name } of files)
    for (const secret of secrets) expect(readFileSync(join(parentPath, name)).includes(secret)).toBe(false);
  const two = await start({ folder: one.folder });
  const same = two.openBrowser();
  for (const [name, value] of ada.jar) same.jar.set(name.replace(/\d+$/, String(two.port)), value);
  expect((await same.visit('/api/about')).status).toBe(200);
  await same.call('/api/sessions/end', {});
  expect((await same.visit('/api/about')).status).toBe(401);
});

test('losing a right ends the run that needs it, its undo, and keys created with it', async () => {
  const marked: string[] = [];
  const unmarked: string[] = [];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const actions: Actions = {
    ...idle,
    run: async (id) => {
      if (marked.push(id) === 2) await held;
      return { isDone: true, words: 'Marked.' };
    },
    unmark: async (before) => void unmarked.push(...before.keys()),
  };
  const { enter, openBrowser } = await start({ actions });
  const ada = await enter('ada@example.org');
  await ada.call('/api/people', { email: 'bob@example.org', may: ['manage'] });
  const bob = await enter('bob@example.org');
  const { key } = (await bob.call('/api/keys', { name: 'CRM' })) as { key: string };
  await bob.call('/api/run', { action: 'mark', mark: 'spam' });
  await vi.waitFor(() => expect(marked).toHaveLength(2));
  await ada.call('/api/people', { email: 'bob@example.org', may: ['read'] });
  goOn();
  const now = async () => (await bob.visit('/api/run')).json();
  await vi.waitFor(async () => expect(await now()).toMatchObject({ run: { state: 'cancelled', done: 2 } }));
  await bob.call('/api/run/undo', {});
  expect([marked.length, unmarked]).toEqual([2, []]);
  const read = openBrowser().visit('/api/v1/forms', { headers: { authorization: `Bearer ${key}` } });
  expect((await read).status).toBe(401);
});

test('people may save views, and managers may remove shared ones', async () => {
  const { enter } = await start();
  const ada = await enter('ada@example.org');
  await ada.call('/api/people', { email: 'bob@example.org', may: ['read'] });
  const bob = await enter('bob@example.org');
  const save = async (by: typeof bob, nth: number) =>
    (await by.visit('/api/views', post({ name: `View ${nth}`, query: 'work=open', isShared: true }))).status;
  const statuses = [];
  for (let nth = 0; nth <= 50; nth += 1) statuses.push(await save(bob, nth));
  expect(statuses).toEqual([...Array.from({ length: 50 }, () => 200), 400]);
  expect(await save(ada, 0)).toBe(200);
  const remove = async (by: typeof bob, nth: number) =>
    (await by.visit('/api/views', post({ nth, isRemoved: true }))).status;
  expect([await remove(bob, 51), await remove(ada, 1), await remove(ada, 51)]).toEqual([404, 200, 200]);
});

test('only managers change people, one manager always remains, and other sites change nothing', async () => {
  const { enter, linkIn, mails, openBrowser, audited } = await start();
  const ada = await enter('ada@example.org');
  for (const may of [['act'], ['read', 'x'], 'read', []])
    expect((await ada.visit('/api/people', post({ email: 'bob@example.org', may }))).status).toBe(400);
  await ada.call('/api/people', { email: 'bob@example.org', may: ['read'], forms: ['jobs'] });
  const bob = await enter('bob@example.org');
  expect((await bob.visit('/api/entries')).json()).toMatchObject({ total: 5 });
  expect(await bob.people()).toMatchObject({ people: [], keys: [], mine: [{ isThis: true }] });
  for (const path of ['/api/people', '/api/people/remove', '/api/keys', '/api/sessions/end'])
    expect((await bob.visit(path, post({ email: 'ada@example.org', name: 'x', may: ['read'] }))).status).toBe(
      403,
    );
  for (const path of ['/api/people/remove', '/api/people'])
    expect((await ada.visit(path, post({ email: 'ada@example.org', may: ['read'] }))).status).toBe(409);
  const foreign = { 'sec-fetch-site': 'cross-site' };
  expect((await ada.visit('/api/keys', post({ name: 'x' }, foreign))).status).toBe(403);
  const token = new URL(linkIn(mails[0])).searchParams.get('token') ?? '';
  expect((await openBrowser().send({ token }, foreign)).status).toBe(403);
  const lines = audited().join('\n');
  expect(lines).toContain('"what":"invited","whom":"bob@example.org"');
  for (const mail of mails) expect(lines).not.toContain(new URL(linkIn(mail)).searchParams.get('token'));
});

test('with a provider, mail sign-in is closed to the people in the config', async () => {
  const signIn = 'sign_in: {issuer: "https://id.example", client_id: x, client_secret_env: SECRET}';
  const { openBrowser, mails } = await start({
    inbox: `, ${signIn}, people: [{email: carl@example.org, may: [read]}]`,
  });
  const page = (await openBrowser().visit('/')).text;
  expect([page, page]).toEqual([
    expect.stringContaining('Sign in with id.example'),
    expect.stringContaining('name="email"'),
  ]);
  await openBrowser().send({ email: 'carl@example.org' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(mails).toHaveLength(1);
});

describe('a program with an API key', () => {
  const withKey = async (body: object = {}) => {
    const at = await start();
    const ada = await at.enter('ada@example.org');
    const { key } = (await ada.call('/api/keys', { name: 'CRM', ...body })) as { key: string };
    const get = (path: string, options: Parameters<typeof at.ask>[1] = {}) =>
      at.ask(`/api/v1/${path}`, {
        hasCookie: false,
        headers: { authorization: `Bearer ${key}` },
        ...options,
      });
    return { ...at, ada, key, get };
  };
  interface Page {
    readonly submissions: readonly { readonly id: string }[];
    readonly next: string;
    readonly has_more: boolean;
  }

  test.each(['newest', 'oldest'])(
    'reads each submission once, %s first, despite new arrivals',
    async (order) => {
      const { get, archive, index } = await withKey();
      const ids: string[] = [];
      let cursor = '';
      for (let nth = 0, hasMore = true; hasMore; nth += 1) {
        const page = (
          await get(`submissions?limit=4&order=${order}${cursor && `&cursor=${cursor}`}`)
        ).json() as Page;
        ids.push(...page.submissions.map(({ id }) => id));
        [cursor, hasMore] = [page.next, page.has_more];
        if (nth > 2) continue;
        const id = `n${nth}`;
        await write(archive, [{ id, at: new Date(Date.now() - 60_000 + nth).toISOString() }]);
        await vi.waitFor(async () => expect(await index.get(id)).toBeDefined());
      }
      const all = entries.map(({ id }) => id);
      expect(ids).toEqual(order === 'newest' ? all.toReversed() : [...all, 'n0', 'n1', 'n2']);
      if (order === 'newest') return expect(cursor).toBeNull();
      expect((await get(`submissions?order=oldest&cursor=${cursor}`)).json()).toMatchObject({
        submissions: [],
        next: cursor,
      });
      expect((await get(`submissions?cursor=${cursor}`)).json()).toMatchObject({
        status: 400,
        code: 'cursor_invalid',
      });
    },
  );

  test('sees only its forms, with documents and files, and each answer matches its schema', async () => {
    const { get, audited } = await withKey({ forms: ['contact'] });
    expect((await get('forms')).json()).toEqual({ forms: [{ id: 'contact', title: 'Contact', total: 20 }] });
    expect([(await get('submissions/e00')).status, (await get('submissions/e00/files/1')).status]).toEqual([
      404, 404,
    ]);
    for (const path of [
      'submissions/%',
      'submissions/%E0%A4/files/1',
      'submissions/e01/files/0',
      '__proto__',
    ])
      expect((await get(path)).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await get('submissions?form=jobs')).json()).toMatchObject({ submissions: [] });
    const found = (
      await get('submissions?search=p1@example.org&with=document&since=2026-11-20')
    ).json() as Page;
    expect(found.submissions).toEqual([(await get('submissions/e01')).json()]);
    expect(found.submissions[0]).toMatchObject({
      fields: [{ name: 'email', values: ['p1@example.org'] }, { values: ['=cmd()'] }],
    });
    const [file] = (found.submissions[0] as unknown as { files: { url: string }[] }).files;
    expect((await get(file?.url.slice('/api/v1/'.length) ?? '')).text).toBe('Four windows');
    expect(Object.keys(found.submissions[0] ?? {})).toEqual(
      expect.arrayContaining(openapi.components.schemas.Document.required),
    );
    expect((await get('openapi.json', { headers: {} })).json()).toEqual(openapi);
    for (const what of ['listed', 'exported', 'opened', 'downloaded'])
      expect(audited().some((line) => line.includes('"who":"key “CRM”"') && line.includes(what))).toBe(true);
  });

  test('is refused without a key, with a cookie or a key in the URL, after expiry or revocation, and beyond its rate limit', async () => {
    const { get, ada, key, clock, ask, cookie } = await withKey({ days: 1 });
    expect((await ada.visit('/api/v1/forms')).json()).toMatchObject({ code: 'key_missing' });
    expect((await ask(`/api/v1/forms?key=${key}&access_token=${key}`, { headers: { cookie } })).status).toBe(
      401,
    );
    expect((await get('forms', { method: 'POST' })).status).toBe(405);
    expect(
      (await ask('/api/about', { hasCookie: false, headers: { authorization: `Bearer ${key}` } })).status,
    ).toBe(401);
    expect((await get('forms')).headers['access-control-allow-origin']).toBeUndefined();
    const many = await Promise.all(Array.from({ length: 1_000 }, () => get('forms')));
    const refused = many.filter(({ status }) => status === 429);
    expect(many.filter(({ status }) => status === 200).length + refused.length).toBe(1_000);
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect((await ada.visit('/api/about')).status).toBe(200);
    clock.ahead += 86_400_000;
    expect((await get('forms')).status).toBe(401);
  });
});
