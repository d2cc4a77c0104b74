/** Once the answer has been sent, removed data cannot be read in any file, however it was removed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillStore } from '../../../packages/cli/test/kept_store.ts';
import { openTerminal } from '../../../packages/cli/test/terminal.ts';
import { writeEntry } from '../../../packages/stored/test/entries.ts';
import { startInbox } from './stage.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const config = `archive: {for: 30d}
forms:
  contact:
    fields: [{name: email, type: email}, {name: message}, {name: cv, type: file}]
    spam: {keep_dropped: 30d}
    outputs: [{type: folder, path: archive}]
`;
const slow = { timeout: 120_000 };
const id = '7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11';
const email = 'qzada@qzhost.example';
const markers = ['qzada', 'qzhost', 'qzfirst', 'qzlater', 'qzfile', 'qzbytes'];
const old = new Date(Date.now() - 40 * 86_400_000).toISOString();

type Ask = (path: string, options?: RequestInit) => Promise<unknown>;

async function openSite() {
  const terminal = await openTerminal({ files: { 'webform.yaml': config } });
  const { cwd } = terminal;
  const values = { email: [email], message: ['qzfirst words, and qzlater'] };
  const files = [['cv', 'qzfile.txt', 'qzbytes']] as const;
  await writeEntry(join(cwd, 'archive'), { id, at: old, values, files });
  await writeEntry(join(cwd, 'archive/.dropped'), { id: `${id.slice(0, -1)}2`, at: old, values, files });
  const later = { email: ['other@qzhost.example'], message: ['qzlater words'], _change_of: [id] };
  await writeEntry(join(cwd, 'archive'), { id: `${id.slice(0, -1)}3`, at: old, values: later });
  for (let nth = 0; nth < 300; nth += 1)
    await writeEntry(join(cwd, 'archive'), {
      id: `other${nth}`,
      at: new Date(Date.now() - nth * 1_000).toISOString(),
      values: { email: [`p${nth}@example.org`], message: [`words ${nth}`.repeat(10)] },
    });
  return { ...terminal, found: () => markersIn(dirname(cwd)) };
}

async function openInbox(cwd: string, total = 302, ...options: readonly string[]) {
  const { address, cookie, kill } = await startInbox(cwd, options, { HOME: dirname(cwd) });
  const headers = { cookie, 'content-type': 'application/json' };
  const ask: Ask = async (path, options) =>
    (await fetch(new URL(path, address), { ...options, headers })).json();
  await expect.poll(() => ask('/api/entries'), slow).toMatchObject({ total });
  await expect.poll(() => ask('/api/about'), slow).not.toHaveProperty('progress');
  return { ask, kill };
}

async function markersIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const text = (await stat(path)).isFile() ? await readFile(path, 'latin1') : '';
    for (const marker of markers) if (`${name}\n${text}`.includes(marker)) found.push(`${marker} in ${name}`);
  }
  return found;
}

const inPage: readonly (readonly [string, (ask: Ask) => Promise<unknown>])[] = [
  [
    'deleted',
    async (ask) => {
      for (const one of [id, `${id.slice(0, -1)}2`]) await ask(`/api/entries/${one}`, { method: 'DELETE' });
    },
  ],
  [
    'erased with its person',
    async (ask) => {
      const post = (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body) });
      const { entries } = (await post('/api/person', { email })) as { entries: readonly { id: string }[] };
      await post('/api/person/erase', { email, ids: entries.map(({ id }) => id) });
    },
  ],
];

test.each(inPage)('a submission that was %s in the page', async (_, remove) => {
  const { cwd, found } = await openSite();
  const { ask } = await openInbox(cwd);
  expect(new Set((await found()).map((one) => one.split(' ')[0]))).toEqual(new Set(markers));
  await remove(ask);
  expect(await found()).toEqual([]);
});

const commands = [
  ['relay archive erase', `relay archive erase --email ${email} --yes`],
  ['relay archive erase --from', `relay archive erase --email ${email} --from archive --yes`],
  ['relay archive prune', 'relay archive prune --yes'],
  [
    'relay archive prune --from',
    'for at in archive archive/.dropped; do relay archive prune --from $at --older-than 30d; done',
  ],
] as const;

test.each(commands)('a submission removed by %s, with and without an inbox', async (_, line) => {
  const running = await openSite();
  await openInbox(running.cwd);
  const stopped = await openSite();
  const { kill } = await openInbox(stopped.cwd, 302, '--index', 'elsewhere');
  await kill();
  expect(await stopped.found()).toContainEqual(expect.stringContaining('elsewhere/index.sqlite'));
  for (const { run } of [running, stopped]) expect(await run(line)).toMatchObject({ code: 0, stderr: '' });
  expect(await stopped.found()).toEqual([]);
  await expect.poll(running.found, slow).toEqual([]);
});

test('a submission removed before the inbox started, and an inbox next to one that was killed', async () => {
  const { cwd, run, found } = await openSite();
  const first = await openInbox(cwd, 302, '--index', 'index');
  const second = await openInbox(cwd, 302, '--index', 'index');
  await second.kill();
  await first.kill();
  await run(
    `find archive -name "*.json" | xargs grep -l qzhost | sed "s/.json$//" | xargs -I@ rm -r @ @.json`,
  );
  expect((await found()).filter((one) => one.includes('second-'))).not.toEqual([]);
  await openInbox(cwd, 300, '--index', 'index');
  expect(await found()).toEqual([]);
});

const keeping = `keep: {in: kept}
archive: {for: 30d}
forms:
  contact:
    keep: failed
    fields: [{name: email, type: email, required: true}, {name: message}, {name: cv, type: file}]
    once: {by: email, reveal: true}
    spam: {honeypot: website, keep_dropped: 30d}
    outputs:
      - {type: folder, path: archive}
      - {type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}
`;

/** Sends one submission that an output refuses and one that is dropped, then stops the relay. */
async function relayInto(cwd: string): Promise<void> {
  const log = openSync(join(cwd, 'relay.log'), 'w');
  const env = {
    PATH: process.env.PATH,
    HOME: dirname(cwd),
    PORT: '0',
    FORM_TOKEN_SECRET: 'not guessed '.repeat(4),
  };
  const child = spawn(process.execPath, [program, 'serve'], { cwd, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const logged = () => readFile(join(cwd, 'relay.log'), 'utf8');
  const origin = async () => /listens on (http:\S+)/.exec(await logged())?.[1];
  await expect.poll(origin, slow).toBeDefined();
  for (const website of ['', 'https://qzhost.example']) {
    const body = new FormData();
    for (const [name, value] of Object.entries({ email, message: 'qzfirst words, and qzlater', website }))
      body.set(name, value);
    body.set('cv', new File(['qzbytes'], 'qzfile.txt'));
    expect((await fetch(`${await origin()}/api/v1/submit/contact`, { method: 'POST', body })).status).toBe(
      200,
    );
  }
  await expect.poll(() => readdir(join(cwd, 'archive')), slow).toContain('.dropped');
  child.kill();
  await exited;
}

test.each([
  ['relay archive erase', () => `relay archive erase --email ${email} --yes`, /./],
  ['relay kept drop', (own: string) => `relay kept drop ${id} ${own}`, / site\/kept\//],
])('a submission removed by %s, in the files of a relay', async (_, line, places) => {
  const { cwd, run } = await openTerminal({ files: { 'webform.yaml': keeping } });
  await Promise.all(['kept', 'archive'].map((name) => mkdir(join(cwd, name))));
  await relayInto(cwd);
  const values = { email, message: 'qzfirst words, and qzlater' };
  const queued = {
    form: 'contact',
    at: Date.now(),
    values,
    files: [['cv', 'qzfile.txt', 'qzbytes']] as const,
  };
  const other = { ...queued, id: `${id.slice(0, -1)}3`, values: { email: 'p@example.org' }, files: [] };
  await fillStore(join(cwd, 'kept'), keeping, [
    other,
    { ...queued, id },
    { ...other, id: `${id.slice(0, -1)}4` },
  ]);
  const found = async () => (await markersIn(dirname(cwd))).filter((one) => places.test(one));
  for (const place of ['kept/', 'archive/contact', '.dropped'].filter((one) => places.test(` site/${one}`)))
    expect(new Set((await found()).flatMap((one) => (one.includes(place) ? one.split(' ')[0] : [])))).toEqual(
      new Set(markers),
    );
  const stored = await readdir(join(cwd, 'archive'), { recursive: true });
  const own = stored.flatMap((name) => /^contact.*Z-([\w-]{36})-0\.json$/.exec(name)?.[1] ?? []);
  expect(await run(line(own.join(' ')))).toMatchObject({ code: 0, stderr: '' });
  expect(await found()).toEqual([]);
  expect((await run('relay kept list --json')).stdout.trim().split('\n')).toHaveLength(4);
});
