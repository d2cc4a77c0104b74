import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createRelay } from '../../../test/support/bare_relay.ts';
import { type SinkAnswer, type SunkRequest, startHttpSink, tempFolder } from '../../../test/support/index.ts';
import { expectLogged, untilLogged } from '../../../test/support/logged.ts';
import { startRelay, type TestRelay, type TestRelayOptions } from '../../../test/support/relay.ts';
import { multipartType, upload } from '../../../test/support/uploads.ts';
import { openTerminal } from '../../cli/test/terminal.ts';

const ended: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

const formTo = (url: string, more = '') => `
forms:
  contact:
    title: Write to us
    fields: [{name: email, type: email, required: true}]
    outputs: [{type: http_post, url: '${url}'}]
${more}`;

/** A folder with these files. A longer name is a path below the folder. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [path, text] of Object.entries(files)) write(folder, path, text);
  return folder;
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  // Renames the file, as editors do, so that no reader sees half of it.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

async function serve(folder: string, more: TestRelayOptions = {}): Promise<TestRelay> {
  const relay = await startRelay({ ...more, env: { CONFIG_DIR: folder, ...more.env } });
  ended.push(() => relay.close());
  await relay.relay.config.get();
  return relay;
}

/** Checks the files again, and waits until the change takes effect. */
const until = (relay: TestRelay, check: () => Promise<void> | void) =>
  vi.waitFor(
    async () => {
      relay.advance(1_100);
      await relay.relay.config.get();
      await check();
    },
    { interval: 50 },
  );

const problemsOf = (relay: TestRelay, client: string) =>
  relay.logged
    .filter(({ event, client: of }) => /^config_(invalid|unavailable)$/.test(event) && of === client)
    .map(({ problems, reason }) => String(problems ?? reason));

const nowhere = formTo('http://127.0.0.1:9/');

test('forms of clients respond at client/form; a broken file affects only that client, and is logged', async () => {
  const sink = await startHttpSink();
  ended.push(() => sink.close());
  const files = {
    'acme.yaml': formTo(sink.origin),
    'globex/webform.yaml': formTo(sink.origin),
    'broken.yaml': 'forms: [',
  };
  const relay = await serve(folderOf(files));
  for (const path of ['/f/acme/contact', '/api/v1/form/globex/contact', '/api/v1/form/acme%2Fcontact'])
    expect((await relay.get(path)).status, path).toBe(200);
  expect((await relay.get('/f/acme/contact')).text).toContain('action="/api/v1/submit/acme/contact?');
  expect((await relay.post('/api/v1/submit/acme/contact', { email: 'a@example.org' })).status).toBe(200);
  expect(sink.requests).toHaveLength(1);
  expect((await relay.post('/api/v1/submit/broken/contact', { email: 'a@example.org' })).status).toBe(503);
  expect((await relay.get('/f/broken/contact')).status).toBe(503);
  for (const path of ['/f/acme/other', '/f/nobody/contact', '/f/contact', '/f/acme/contact/more'])
    expect((await relay.get(path)).status, path).toBe(404);
  expect((await relay.get('/readyz')).status).toBe(200);
  expect(problemsOf(relay, 'broken')).toEqual([expect.stringContaining('broken.yaml:')]);
  expectLogged(relay, {
    event: 'clients_loaded',
    level: 'error',
    clients: 3,
    forms: 2,
    broken: ['broken'],
  });
});

test('a change recompiles only that client; a broken config stays in use as before; clients can be added and removed', async () => {
  const folder = folderOf({ 'acme.yaml': nowhere, 'globex.yaml': nowhere });
  const relay = await serve(folder);
  const forms = () => relay.relay.config.current?.forms;
  const globex = forms()?.get('globex/contact');
  write(folder, 'acme.yaml', nowhere.replace('Write to us', 'Now'));
  await until(relay, async () => expect((await relay.get('/f/acme/contact')).text).toContain('Now'));
  expect(forms()?.get('globex/contact')).toBe(globex);
  write(folder, 'acme.yaml', 'forms: {contact: {}}');
  await until(relay, () => expect(problemsOf(relay, 'acme')).toHaveLength(1));
  expect((await relay.get('/f/acme/contact')).text).toContain('Now');
  write(folder, 'initech/webform.yaml', nowhere);
  await until(relay, async () => expect((await relay.get('/f/initech/contact')).status).toBe(200));
  rmSync(join(folder, 'globex.yaml'));
  await until(relay, async () => expect((await relay.get('/f/globex/contact')).status).toBe(404));
  expectLogged(relay, { event: 'client_removed', level: 'warn', client: 'globex', forms: 1 });
  // Probably an unmounted volume.
  for (const path of ['acme.yaml', 'initech']) rmSync(join(folder, path), { recursive: true });
  await until(relay, () => expect(relay.relay.config.state).toBe('refresh_failed'));
  expect((await relay.get('/f/initech/contact')).status).toBe(200);
});

const withOutput = (output: string) => nowhere.replace(/outputs:.*/, `outputs: [${output}]`);
const post = (more: string) =>
  withOutput(`{type: http_post, url: 'http://127.0.0.1:9/', mapping: '*', ${more}}`);

test.each<[what: string, config: string, problem: string]>([
  [
    "another's variable",
    post(`headers: {a: '{{ env "GLOBEX_KEY" }}'}`),
    'may not read GLOBEX_KEY; its variables begin with ACME_',
  ],
  ["the relay's secret", post(`headers: {a: '{{ env "KEEP_SECRET" }}'}`), 'may not read KEEP_SECRET'],
  [
    "the relay's secret with escapes",
    post(`headers: {a: '{{ env "KEEP\\x5fSECRET" }}'}`),
    'may not read KEEP_SECRET',
  ],
  ['a variable by its name', withOutput('{type: slack, url_env: GLOBEX_SLACK}'), 'may not read GLOBEX_SLACK'],
  ['keys of a server', `${nowhere}    keys_env: [GLOBEX_KEYS]\n`, 'may not read GLOBEX_KEYS'],
  [
    'plug-ins',
    `plugins: [./crm.mjs]\n${nowhere}`,
    'acme/webform.yaml:1:1: plugins: the operator sets this for all clients',
  ],
  ['the queue', `keep: {in: /tmp}\n${nowhere}`, ': keep: the operator sets this'],
  ['the inbox', `inbox: {url: 'https://inbox.example.org'}\n${nowhere}`, ': inbox: the operator sets this'],
  [
    "another's archive",
    withOutput('{type: folder, path: /srv/archives/globex}'),
    'only in its own folder; write /srv/archives/acme',
  ],
  [
    "another's archive by dots",
    withOutput('{type: folder, path: /srv/archives/acme/../globex}'),
    'only in its own folder',
  ],
  [
    "another's prefix",
    withOutput('{type: s3, bucket: agency, prefix: globex}'),
    'write bucket: agency, prefix: acme',
  ],
  [
    'another bucket',
    withOutput('{type: s3, bucket: other, prefix: acme}'),
    'write bucket: agency, prefix: acme',
  ],
  [
    "the relay's own mails",
    withOutput('{type: email, to: a@acme.example, subject: x}'),
    'its own mail server',
  ],
  [
    'files of the machine',
    `pdf: {fonts: [/etc/passwd]}\n${nowhere}`,
    'a client may read only files in its own folder',
  ],
  ['forms by dots', nowhere.replace('contact:', "'..':"), 'must not contain a slash'],
  ["another's forms", nowhere.replace('contact:', '../globex/contact:'), 'must not contain a slash'],
])("a client's file may not name %s", async (_, config, problem) => {
  const folder = folderOf({
    '_relay.yaml': 'clients: {folder: /srv/archives, bucket: agency}',
    'acme/webform.yaml': config,
    'globex/webform.yaml': nowhere,
  });
  const relay = await serve(folder, { env: { GLOBEX_KEY: 'secret', KEEP_SECRET: 'secret' } });
  expect(problemsOf(relay, 'acme').join()).toContain(problem);
  expect((await relay.get('/f/acme/contact')).status).toBe(503);
  expect((await relay.get('/f/globex/contact')).status).toBe(200);
});

test("mails to visitors go through the relay's SES only if the operator allows that", async () => {
  const sink = await startHttpSink();
  ended.push(() => sink.close());
  const mail = '{to: email, subject: x, text: y, through: {type: email, from: a@acme.example}}';
  const relay = await serve(
    folderOf({ 'acme.yaml': formTo(sink.origin, `    confirmation_mail: ${mail}\n`) }),
  );
  await relay.post('/api/v1/submit/acme/contact', { email: 'a@example.org' });
  const reason = 'the operator does not allow clients to send through Amazon SES';
  await untilLogged(relay, { event: 'confirmation_mail_failed', reason });
});

test.each([
  ['of another client', '../globex/logo.svg'],
  ['behind a link', 'link.svg'],
  ['beside a config without a folder', 'logo.svg'],
  ['of the machine', '/etc/hostname'],
])("a client's file cannot read the file %s", async (where, logo) => {
  const picture = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const file = where.includes('without') ? 'acme.yaml' : 'acme/webform.yaml';
  const config = `look: {logo: ${logo}}\n${nowhere}`;
  const folder = folderOf({ [file]: config, 'globex/logo.svg': picture, 'logo.svg': picture });
  if (logo === 'link.svg') symlinkSync('../globex/logo.svg', join(folder, 'acme/link.svg'));
  const relay = await serve(folder);
  expect((await relay.get('/f/acme/contact')).text).not.toContain('<img');
  const warnings = await relay.relay.config.current?.warnings();
  expect(warnings?.map(({ message }) => message).join()).toMatch(/own folder|folder of its own/);
});

test('a config that links to a file outside the folder is not read', async () => {
  const folder = folderOf({
    'clients/acme.yaml': nowhere,
    'clients/globex/webform.yaml': nowhere,
    'other.yaml': nowhere,
  });
  const clients = join(folder, 'clients');
  symlinkSync('../other.yaml', join(clients, 'out.yaml'));
  symlinkSync('globex/webform.yaml', join(clients, 'twin.yaml'));
  // Linked like a ConfigMap that Kubernetes mounts.
  write(clients, '..data/initech.yaml', nowhere);
  symlinkSync('..data/initech.yaml', join(clients, 'initech.yaml'));
  const relay = await serve(clients);
  for (const client of ['out', 'twin'])
    expect(problemsOf(relay, client)).toEqual([expect.stringContaining('points outside')]);
  expect([...(relay.relay.config.current?.forms.keys() ?? [])]).toEqual([
    'acme/contact',
    'globex/contact',
    'initech/contact',
  ]);
});

test.each<[what: string, file: string, problem: string, text?: string]>([
  ['with capitals', 'Acme.yaml', 'a to z, 0 to 9'],
  ['with spaces', 'a b.yaml', 'a to z, 0 to 9'],
  ['of another ending', 'other.yml', 'other.yaml'],
  ["of the relay's own variables", 'keep.yaml', 'KEEP_ belong to the relay'],
  ['that shares variables', 'ac-me.yaml', 'would share the variables ACME_'],
  ['that is a file and a folder', 'globex.yaml', 'are for the same client'],
  ['too large', 'large.yaml', 'over 1 MB', `#${'x'.repeat(1_048_576)}`],
])('a file %s is not a client, and does not affect others', async (_, file, problem, text = nowhere) => {
  const relay = await serve(
    folderOf({ 'acme.yaml': nowhere, 'globex/webform.yaml': nowhere, 'initech.yaml': nowhere, [file]: text }),
  );
  const unread = relay.logged.filter(
    ({ event, config }) => event === 'config_unavailable' && String(config).endsWith(file),
  );
  expect(unread.map(({ reason }) => reason)).toEqual([expect.stringContaining(problem)]);
  expect((await relay.get('/f/initech/contact')).status).toBe(200);
});

test('keys of the operator apply to all clients, and their files may use them', async () => {
  const sink = await startHttpSink();
  ended.push(() => sink.close());
  const folder = folderOf({
    '_relay.yaml': `
clients: {folder: /srv/archives, bucket: agency, variables: [SHARED_KEY], ses: true}
keep: {in: /srv/kept}
alerts: {outputs: [{type: slack, url_env: SLACK_URL}]}
pdf: {fonts: [/none.ttf]}
look: {logo: logo.svg}
origins: ['https://www.example.org']`,
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'acme.yaml': `
forms:
  contact:
    fields: [{name: email}]
    canary: {}
    outputs:
      - {type: email, from: a@acme.example, to: a@acme.example, subject: x, mapping: '*', on_error: continue}
      - {type: http_post, url: '${sink.origin}', mapping: '*', headers: {key: '{{ env "SHARED_KEY" }}{{ env "ACME_KEY" }}'}}
      - {type: folder, path: /srv/archives/acme/mail, on_error: continue}
      - {type: s3, bucket: agency, prefix: acme/mail, on_error: continue}`,
  });
  const relay = await serve(folder, { env: { SHARED_KEY: 'all', ACME_KEY: 'own' } });
  expect(problemsOf(relay, 'acme')).toEqual([]);
  // Warnings are only about the client's own file, and do not mention the operator's keys.
  const warnings = await relay.relay.config.current?.warnings();
  expect(warnings?.map(({ file, path }) => `${basename(file)} ${path}`)).toEqual([
    'acme.yaml forms.contact.outputs[0].to',
  ]);
  expect((await relay.get('/f/acme/contact')).text).toMatch(/<img[^>]*class="logo"/);
  const sent = { email: 'a@example.org' };
  const from = (origin: string) => relay.post('/api/v1/submit/acme/contact', sent, { origin });
  expect((await from('https://www.example.com')).status).toBe(403);
  expect((await from('https://www.example.org')).status).toBe(200);
  expect(sink.requests[0]?.headers.key).toBe('allown');
  // After the file was read once, a mistake in it affects no client.
  write(folder, '_relay.yaml', 'clients: []');
  await until(relay, () => expect(relay.relay.config.state).toBe('refresh_failed'));
  expect((await relay.get('/f/acme/contact')).status).toBe(200);
  write(folder, '_relay.yaml', 'look: {accent: "#060"}');
  await until(relay, () => expect(problemsOf(relay, 'acme').join()).toContain('may not read SHARED_KEY'));
  expect((await relay.get('/f/acme/contact')).status).toBe(200);
});

test('a slash in the name of a form does not make it a client’s form', async () => {
  const config = nowhere.replace('contact:', "'news/letter':");
  const relay = await startRelay({ config });
  ended.push(() => relay.close());
  expect((await relay.get('/f/news%2Fletter')).text).toContain('action="/api/v1/submit/news%2Fletter');
  expect((await relay.get('/f/news/letter')).status).toBe(404);
});

test('a relay has either one config or a folder of configs', () => {
  expect(() => createRelay({ env: { CONFIG_DIR: '/tmp', CONFIG_FILE: 'webform.yaml' } })).toThrow(
    'CONFIG_DIR: a relay has one config, or a folder of them; unset it, or CONFIG_FILE',
  );
});

test('each client has its own throttle', async () => {
  const env = { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '2' };
  const relay = await serve(folderOf({ 'acme.yaml': nowhere, 'globex.yaml': nowhere }), { env });
  const statuses = [];
  for (const path of ['acme', 'acme', 'acme', 'globex', 'nobody', 'nobody', 'nothing'])
    statuses.push((await relay.get(`/f/${path}/contact`)).status);
  expect(statuses).toEqual([200, 200, 429, 200, 404, 404, 429]);
});

test('a client with a slow server leaves room for the submissions and uploads of others', async () => {
  const hanging: (() => void)[] = [];
  const sink = await startHttpSink({
    answer: ({ url }) => (url === '/acme' ? new Promise((end) => hanging.push(() => end({}))) : {}),
  });
  ended.push(() => sink.close());
  const of = (client: string) =>
    formTo(`${sink.origin}/${client}`).replace('email, type: email,', 'cv, type: file,');
  const folder = folderOf({ 'acme.yaml': of('acme'), 'globex.yaml': of('globex') });
  const relay = await serve(folder, { env: { SUBMISSION_LIMIT: '6', UPLOAD_BUDGET: '10MB' } });
  const send = async (client: string, bytes: number) =>
    (
      await relay.request(`/api/v1/submit/${client}/contact`, {
        ...{ method: 'POST', body: upload(bytes), headers: { 'content-type': multipartType } },
      })
    ).status;
  const holding = async (...sizes: readonly number[]) => {
    const sent = sizes.map((bytes) => send('acme', bytes));
    await vi.waitFor(() => expect(hanging).toHaveLength(sizes.length));
    return async () => {
      for (const end of hanging.splice(0)) end();
      expect(await Promise.all(sent)).toEqual(sizes.map(() => 200));
    };
  };
  const few = await holding(10, 10, 10);
  expect([await send('acme', 10), await send('globex', 10)]).toEqual([503, 200]);
  await few();
  const large = await holding(4_000_000);
  expect([await send('acme', 4_000_000), await send('globex', 4_000_000)]).toEqual([503, 200]);
  await large();
});

/** A relay with the clients acme and globex that queues the deliveries that `answer` rejects, and its folder. */
async function keeping(answer: (request: SunkRequest) => SinkAnswer) {
  const sink = await startHttpSink({ answer });
  ended.push(() => sink.close());
  const of = (client: string) => `${formTo(`${sink.origin}/${client}`)}    keep: failed\n`;
  const folder = folderOf({
    '_relay.yaml': `
keep: {in: ${tempFolder()}, for: 2h}
alerts: {outputs: [{type: webhook, url: '${sink.origin}/alerts'}]}
inbox:
  url: http://127.0.0.1:8090
  people: [{email: ada@example.org, may: [read], forms: ['acme/*', other]}]`,
    'acme.yaml': of('acme'),
    'globex.yaml': of('globex'),
  });
  const relay = await serve(folder);
  const sentTo = (path: string) => sink.requests.filter(({ url }) => url === path);
  const send = async (client: string) =>
    expect((await relay.post(`/api/v1/submit/${client}/contact`, { email: 'a@example.org' })).status).toBe(
      200,
    );
  return { relay, folder, of, sentTo, send, alerts: () => sentTo('/alerts').map(({ body }) => body) };
}

test('only rights to forms that no client has are warned about', async () => {
  const { relay } = await keeping(() => ({ status: 200 }));
  const warnings = await relay.relay.config.current?.warnings();
  expect(warnings?.flatMap(({ message }) => /has no form "(.*)"/.exec(message)?.[1] ?? [])).toEqual([
    'other',
  ]);
});

test('a server that fails for one client is still tried for others', async () => {
  let isUp = false;
  const { relay, sentTo, send } = await keeping(({ url }) => ({
    status: url === '/globex' && isUp ? 200 : 503,
  }));
  for (let count = 0; count < 12; count += 1) await send('acme');
  await send('globex');
  const before = sentTo('/globex').length;
  isUp = true;
  relay.advance(600_000);
  const delivered = { event: 'kept_delivery', form: 'globex/contact', outcome: 'delivered' };
  await untilLogged(relay, delivered);
  expect(sentTo('/globex').length).toBe(before + 1);
}, 20_000);

test('deliveries of a removed client wait for its return, and later for the operator; alerts report broken configs', async () => {
  let isUp = false;
  const { relay, folder, of, sentTo, send, alerts } = await keeping(({ url }) => ({
    status: url === '/alerts' || isUp ? 200 : 503,
  }));
  const people = relay.relay.config.current?.shared.get('inbox')?.people;
  expect(people?.[0]?.forms).toEqual(['acme/contact', 'other']);
  await send('acme');
  isUp = true;
  rmSync(join(folder, 'acme.yaml'));
  await until(relay, async () => expect((await relay.get('/f/acme/contact')).status).toBe(404));
  relay.advance(600_000);
  const gone = {
    form: 'acme/contact',
    reason: expect.stringContaining('no longer has a form with this name'),
  };
  await untilLogged(relay, { event: 'kept_put_off', ...gone });
  const before = sentTo('/acme').length;
  write(folder, 'acme.yaml', of('acme'));
  await until(relay, async () => expect((await relay.get('/f/acme/contact')).status).toBe(200));
  relay.advance(3_600_000);
  await vi.waitFor(() => expect(sentTo('/acme').length).toBe(before + 1));
  isUp = false;
  await send('acme');
  rmSync(join(folder, 'acme.yaml'));
  await until(relay, async () => expect((await relay.get('/f/acme/contact')).status).toBe(404));
  relay.advance(3 * 3_600_000);
  const lost = { event: 'kept_delivery', level: 'error', outcome: 'aside', ...gone };
  await untilLogged(relay, lost);
  write(folder, 'globex.yaml', 'forms: [');
  await expect.poll(() => alerts().join()).toContain('globex: the config of this client does not load');
  write(folder, 'globex.yaml', of('globex'));
  await expect.poll(() => alerts().join()).toContain('globex: the config of this client loads again');
}, 60_000);

test('changes under load lose no submission', async () => {
  const sink = await startHttpSink();
  ended.push(() => sink.close());
  const folder = folderOf({ 'acme.yaml': formTo(sink.origin), 'globex.yaml': formTo(sink.origin) });
  const relay = await serve(folder);
  const statuses: number[] = [];
  let isOver = false;
  const load = Array.from({ length: 8 }, async (_, index) => {
    const path = `/api/v1/submit/${index % 2 ? 'acme' : 'globex'}/contact`;
    while (!isOver) statuses.push((await relay.post(path, { email: 'a@example.org' })).status);
  });
  for (let round = 0; round < 8; round += 1) {
    write(folder, 'acme.yaml', formTo(sink.origin).replace('Write to us', `Round ${round}`));
    await until(relay, async () =>
      expect((await relay.get('/f/acme/contact')).text).toContain(`Round ${round}`),
    );
  }
  isOver = true;
  await Promise.all(load);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(sink.requests).toHaveLength(statuses.length);
}, 30_000);

test('commands accept the folder, and skip clients that do not load', async () => {
  const { run } = await openTerminal({
    files: {
      'clients/acme.yaml': nowhere,
      'clients/globex/webform.yaml': nowhere,
      'clients/broken.yaml': 'forms: [',
    },
    env: { CONFIG_DIR: 'clients' },
  });
  const listed = await run('relay clients');
  expect(listed.code).toBe(1);
  expect(listed.stdout).toMatch(
    /^acme {4}1 form {2}clients\/acme\.yaml\nbroken {2}does not load {2}clients\/broken\.yaml\nclients\/broken\.yaml:1:/,
  );
  const { stdout } = await run('relay clients --json');
  expect(JSON.parse(stdout)).toMatchObject([
    { client: 'acme', state: 'ok', forms: ['acme/contact'], problems: [] },
    { client: 'broken', state: 'broken', forms: [], problems: [{ file: 'clients/broken.yaml' }] },
    { client: 'globex', state: 'ok', forms: ['globex/contact'] },
  ]);
  const forms = await run('relay form list');
  expect(forms.stdout).toBe('acme/contact\nglobex/contact\n');
  expect(forms.stderr).toContain('clients/broken.yaml:1:');
  expect((await run('relay explain acme/contact email=a@example.org')).stdout).toContain('acme/contact: ');
  expect((await run('relay config validate')).code).toBe(1);
  expect((await run('rm clients/broken.yaml && relay config validate')).code).toBe(0);
  expect((await run('CONFIG_DIR= relay --config clients/acme.yaml clients')).stderr).toContain(
    'this is a single config',
  );
});
