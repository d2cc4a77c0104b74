/** The plug-ins in examples/plugins, in a relay that receives submissions. */

import { EventEmitter, once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Clock, Copy, faultsOf } from '../../lab/chaos/relays.ts';
import { blocksOf } from '../docs/papers.ts';
import {
  type HttpSink,
  httpSink,
  relayWith,
  startHttpSink,
  startRelay,
  suiteFolder,
  type TestRelay,
} from '../support/index.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const folder = suiteFolder();
cpSync('examples/plugins', folder, { recursive: true });
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

/** Only a config in a file can name plug-ins, relative to its folder. */
function fileOf(text: string): string {
  const file = join(folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(file, text);
  return file;
}

let receiver: HttpSink;
let relay: TestRelay;

beforeAll(async () => {
  receiver = await startHttpSink();
  const config = readFileSync('examples/plugins/paint.yaml', 'utf8').replace(
    'https://home.example.com',
    receiver.origin,
  );
  relay = await startRelay({ env: { CONFIG_FILE: fileOf(config), HOME_ASSISTANT_TOKEN: 'AbC.dEf' } });
});
afterAll(async () => {
  await relay.close();
  await receiver.close();
});

test('the output sends the submission in the service’s format', async () => {
  const answer = await relay.submit('paint', 'email=ada%40example.org&color=%230066cc');
  expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
  const [request] = receiver.requests;
  expect(request?.url).toBe('/api/services/notify/notify');
  expect(request?.headers.authorization).toBe('Bearer AbC.dEf');
  expect(JSON.parse(request?.body ?? '')).toEqual({
    title: 'paint',
    message: 'color: #0066cc\nemail: ada@example.org',
  });
});

test('the field has its control, and rejects anything but a colour, with its own message', async () => {
  const form = await relay.get('/api/v1/form/paint');
  expect(form.text).toMatch(
    /<input[^>]* type="color"[^>]* name="color"|<input[^>]* name="color"[^>]* type="color"/,
  );
  const answer = await relay.submit('paint', 'email=ada%40example.org&color=blue');
  expect([answer.status, answer.json]).toEqual([422, { error: 'color: Choose a colour.' }]);
});

test('the check rejects, and the log names the check without the address', async () => {
  const answer = await relay.submit('paint', 'email=ada%40Mailinator.com');
  expect([answer.status, answer.json]).toEqual([422, { error: 'Please use another address.' }]);
  expect(JSON.stringify(relay.logged)).not.toContain('ailinator');
  expect(relay.logged.at(-1)).toMatchObject({ event: 'submission', outcome: 'domain_blocked' });
});

test('the page shows the output unchanged, and its config loads', async () => {
  const blocks = blocksOf('docs/plugins.md');
  const code = blocks.find(({ language }) => language === 'js');
  const config = blocks.find(({ language }) => language === 'yaml');
  const [, ...lines] = readFileSync('examples/plugins/home_assistant.mjs', 'utf8').split('\n');
  expect(code?.text).toBe(lines.join('\n'));
  const file = fileOf(config?.text ?? '');
  const shown = await relayWith({ env: { CONFIG_FILE: file, HOME_ASSISTANT_TOKEN: 'AbC.dEf' } });
  expect((await shown.get('/api/v1/form/contact')).status).toBe(200);
});

test('the page’s language is used if a config names it, and English otherwise', async () => {
  const blocks = blocksOf('docs/plugins/languages.md');
  const textOf = (name: string) => blocks.find(({ language }) => language === name)?.text ?? '';
  writeFileSync(join(folder, 'esperanto.mjs'), textOf('js'));
  const file = fileOf(
    `${textOf('yaml')}  other: {language: en, fields: [], outputs: [{type: folder, path: .}]}\n`,
  );
  const shown = await relayWith({ env: { CONFIG_FILE: file } });
  const form = await shown.get('/api/v1/form/contact');
  expect(form.text).toContain('lang="eo"');
  expect(form.text).toContain('>Sendi</button>');
  expect((await shown.submit('contact', 'name=')).json).toEqual({ error: 'name: Enigu valoron.' });
  expect((await shown.get('/api/v1/form/other')).text).not.toContain('Sendi');
});

describe.skipIf(!hasRedis)('the store', () => {
  const configFor = (url: string, port: number, more = '') =>
    `plugins: [./redis.mjs]
keep: {in: "redis://127.0.0.1:${port}/forms"}
forms: {contact: {keep: failed, ${more}fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*"}]}}`;

  test('keeps queued deliveries when the relay and the server restart, and delivers them', async () => {
    const server = await startRedis();
    let isUp = false;
    const crm = await httpSink({ answer: () => ({ status: isUp ? 200 : 503 }) });
    const config = configFor(crm.origin, server.port);
    const first = await startRelay({ env: { CONFIG_FILE: fileOf(config) } });
    expect((await first.submit('contact', 'name=Ada')).status).toBe(200);
    expect(JSON.stringify(first.logged)).not.toContain('Ada');
    await first.close();
    await server.kill();
    await server.start();
    isUp = true;
    const second = await relayWith({ env: { CONFIG_FILE: fileOf(config) } });
    await second.get('/readyz');
    second.advance(3_600_000);
    await expect.poll(() => crm.requests.at(-1)?.body, { timeout: 30_000 }).toBe('name=Ada');
    await expect
      .poll(() => second.logged.some(({ event }) => event === 'kept_delivery'), { timeout: 30_000 })
      .toBe(true);
    await server.close();
  });

  test('is down: the visitor reads that the submission was not accepted, and the log says why', async () => {
    const server = await startRedis();
    const down = await httpSink({ answer: () => ({ status: 503 }) });
    const away = await relayWith({ env: { CONFIG_FILE: fileOf(configFor(down.origin, server.port)) } });
    await server.kill();
    expect((await away.submit('contact', 'name=Ada')).status).toBe(500);
    expect(JSON.stringify(away.logged)).toMatch(/the store failed: [^"]*ECONNREFUSED/);
    await server.close();
  });

  test('is a config mistake if its address is malformed, or no plug-in handles it', async () => {
    for (const [config, says] of [
      [configFor('https://a.example', 1).replace('/forms"', '"'), 'keep.in: expected redis://host:6379/name'],
      [configFor('https://a.example', 1).replace('redis.mjs', 'color.mjs'), 'expected a folder such as'],
      [configFor('https://a.example', 1, 'places: 5, '), 'counted_in'],
    ] as const) {
      const wrong = await relayWith({ env: { CONFIG_FILE: fileOf(config) } });
      await wrong.get('/readyz');
      expect(JSON.stringify(wrong.logged[0]?.problems)).toContain(says);
    }
  });
});

test.skipIf(!hasPostgres)(
  'two relays on postgres.mjs, killed 20 times, deliver every submission that they accepted',
  async () => {
    const server = await startPostgres();
    const tries = new Map<string, number>();
    const delivered = new Set<string>();
    const retries = new EventEmitter();
    const crm = await httpSink({
      answer: ({ body }) => {
        const before = tries.get(body) ?? 0;
        tries.set(body, before + 1);
        // The first attempt fails, so the delivery is queued; every other retry also fails. A relay that delivers holds the lease.
        if (before > 0) retries.emit('begun');
        if (before % 2 === 0) return { status: 503 };
        delivered.add(body);
        return { status: 200 };
      },
    });
    const config = `plugins: [./postgres.mjs]
keep: {in: "${server.url}/forms"}
forms: {contact: {keep: failed, places: 1000, fields: [{name: n}], outputs: [{type: http_post, url: "${crm.origin}", mapping: "*", retries: 0}]}}`;
    const clock = new Clock();
    const copies = await Copy.startAll(2, { RELAY_CONFIG: fileOf(config), PGUSER: 'relay' }, clock);
    const accepted = new Set<string>();
    let sent = 0;
    const submit = async ({ relay: { port } }: Copy) => {
      const body = `n=${sent++}`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = `http://127.0.0.1:${port}/api/v1/submit/contact`;
      // A killed relay gives no answer.
      const status = await fetch(url, { method: 'POST', headers, body }).then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status === 200) accepted.add(body);
    };
    for (let kills = 0; kills < 20; kills += 1) {
      const submissions = [0, 1, 0, 1, 0, 1].map((at) => submit(copies[at] as Copy));
      // Alternates: killed while it answers, and while one of the two delivers from the queue.
      if (kills % 4 < 2) await Promise.race(submissions);
      else {
        await Promise.all(submissions);
        const begun = once(retries, 'begun');
        clock.push(copies, 600_000);
        await begun;
      }
      await copies[kills % 2]?.replace('SIGKILL');
      await Promise.all(submissions);
    }
    await expect
      .poll(
        () => {
          clock.push(copies, 600_000);
          return [...accepted].filter((body) => !delivered.has(body));
        },
        { timeout: 90_000, interval: 1_000 },
      )
      .toEqual([]);
    expect(accepted.size).toBeGreaterThan(60);
    expect(faultsOf(await Copy.endAll(copies))).toEqual([]);
    await server.close();
  },
  200_000,
);
