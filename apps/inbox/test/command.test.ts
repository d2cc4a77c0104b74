/** `relay inbox` as a process: what it prints, who gets in, how it exits. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { runRelay, write } from './stage.ts';

interface Run {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const stored = 'forms: {contact: {fields: [], outputs: [{type: folder, path: archive}]}}';

async function run(config: string, ...args: readonly (string | Run)[]) {
  const { command, env } = args.find((one) => typeof one === 'object') ?? { command: 'inbox', env: {} };
  const words = args.filter((one) => typeof one === 'string');
  const cwd = tempFolder();
  await mkdir(join(cwd, 'archive'));
  await write(join(cwd, 'archive'), [{ id: 'one', at: '2026-11-20T10:00:00.000Z' }]);
  await writeFile(join(cwd, 'webform.yaml'), config);
  await writeFile(join(cwd, 'other.yaml'), stored);
  return { ...runRelay(cwd, [command, ...words], env), cwd };
}

test('the command prints an address with a key, listens only on 127.0.0.1, and exits on a signal', async () => {
  const { child, exited } = await run(stored, '--port', '0');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(line).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{43}$/);
  const address = line.slice('Open '.length);
  expect((await fetch(new URL('/api/about', address))).status).toBe(401);
  const first = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
  const entries = async () => (await fetch(new URL('/api/entries', address), { headers: { cookie } })).json();
  await expect
    .poll(entries, { timeout: 60_000 })
    .toMatchObject({ total: 1, entries: [{ id: 'one', form: 'contact' }] });
  child.kill('SIGTERM');
  await exited;
});

test("the config sets the folder of the inbox's store", async () => {
  const { child, cwd } = await run(
    `inbox: {url: "http://127.0.0.1:1", store: own}\n${stored}`,
    '--port',
    '0',
  );
  await once(createInterface(child.stdout), 'line');
  expect(await readdir(join(cwd, 'own'))).not.toEqual([]);
});

test('a config without an archive or a queue is reported, with advice', async () => {
  const { child, exited } = await run(
    'forms: {contact: {fields: [], outputs: [{type: http_post, url: "https://a.example/", static: {a: b}}]}}',
  );
  const [said, [code]] = await Promise.all([text(child.stderr), exited]);
  expect([code, said]).toEqual([1, expect.stringContaining('the config stores no submission')]);
});

test.each([
  ['webform.yaml', 'not a folder'],
  // Node 20 retries this one forever.
  ['/proc/none/index', 'the folder does not exist'],
])('an index that cannot be written is reported, with advice: %s', async (folder, reason) => {
  const { child, exited } = await run(stored, '--port', '0', '--index', folder);
  const [said, [code]] = await Promise.all([text(child.stderr), exited]);
  const why = `the search index cannot be written to ${folder}: ${reason}; set another folder with --index or XDG_CACHE_HOME\n`;
  expect([code, said]).toEqual([1, why]);
});

test('without a home folder, the search index needs an explicit folder', async () => {
  const { child, exited } = await run(stored, '--port', '0', { command: 'inbox', env: { HOME: '' } });
  const why =
    'this user has no home folder for the search index; set a folder with --index or XDG_CACHE_HOME\n';
  const [said, [code]] = await Promise.all([text(child.stderr), exited]);
  expect([code, said]).toEqual([1, why]);
});

test.each(['inbox', 'dev'])('relay %s reads the config that CONFIG_FILE names', async (command) => {
  const { child, cwd } = await run('forms: [', '--port', '0', {
    command,
    env: { CONFIG_FILE: 'other.yaml' },
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  if (command === 'dev') return expect(line).toContain(' with other.yaml (1 form)');
  const name = createHash('sha256').update(join(cwd, 'other.yaml')).digest('hex').slice(0, 16);
  expect(await readdir(join(cwd, '.cache/form-relay'))).toEqual([name]);
});

test('an index that cannot be written does not stop the forms that the inbox also serves', async () => {
  const { child } = await run(
    `inbox:
  url: http://127.0.0.1:8090
  sign_in: {issuer: "https://id.example", client_id: x, client_secret_env: HOME}
  people: [{email: a@b.example, may: [read]}]
  audit: archive
forms: {contact: {fields: [], outputs: [{type: folder, path: archive}]}}`,
    { command: 'serve', env: { XDG_CACHE_HOME: 'webform.yaml', PORT: '0', HOST: '127.0.0.1' } },
  );
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: address = '' } = await lines.next();
  expect((await lines.next()).value).toMatch(/^The inbox is not served: the search index cannot be written/);
  const [origin = ''] = address.match(/http:\S+/) ?? [];
  const sent = await fetch(`${origin}/api/v1/submit/contact`, {
    method: 'POST',
    body: new URLSearchParams(),
  });
  expect(sent.status).toBe(200);
});
