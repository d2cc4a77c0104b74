/** Where the journal is written, and what becomes of it when it cannot be. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownServices } from '../../packages/runtimes/src/inspect.ts';
import { removeFiles } from '../../packages/telemetry/src/journal/folder.ts';
import { openJournal } from '../../packages/telemetry/src/journal/open_journal.ts';
import { account, startS3 } from '../aws/aws.ts';
import { startRelay } from '../support/relay.ts';
import { folder, linesIn, linesOf, relayWith, slow } from './stage.ts';

const outputs = '{type: http_post, url: "https://crm.example/", mapping: "*"}';
const taken = { http: async () => ({ status: 200, headers: {}, body: '' }) };
const day = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test('in a bucket, each group of lines is an object', async () => {
  const s3 = await startS3();
  const env = { ...account, AWS_ENDPOINT_URL_S3: s3.origin };
  const relay = await relayWith({ in: 's3://configs/journals', outputs, env, effects: taken });
  for (const name of ['Ada', 'Bob']) {
    await relay.submit('contact', [['name', name]]);
    await relay.relay.flush();
  }
  const listed = await (await fetch(`${s3.origin}/configs?list-type=2&prefix=journals/`)).text();
  const keys = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  expect(keys).toHaveLength(2);
  for (const [index, key] of keys.entries()) {
    expect(key).toMatch(new RegExp(`^journals/\\d{4}-\\d\\d-\\d\\d/[\\da-f]{12}-00000${index}\\.jsonl$`));
    const text = await (await fetch(`${s3.origin}/configs/${key}`)).text();
    expect(linesOf(text)).toMatchObject([{ kind: 'submission', result: 'delivered' }]);
  }
});

test('a folder that fails costs no submission, and has every line once it is back', async () => {
  const path = await folder();
  const inside = join(path, 'journal');
  const relay = await relayWith({ in: inside, outputs, effects: taken });
  for (const name of ['Ada', 'Bob', 'Eve'])
    expect((await relay.submit('contact', [['name', name]])).status).toBe(200);
  const reports = () =>
    relay.logged.filter(
      ({ event, reason }) => event === 'journal_failed' && !/old files/.test(String(reason)),
    );
  await expect.poll(() => reports().length, { timeout: slow }).toBe(1);
  expect(reports()[0]).toMatchObject({ level: 'error', reason: expect.stringContaining(inside) });
  await mkdir(inside);
  await expect.poll(() => linesIn(inside), { timeout: slow }).toHaveLength(3);
  expect(reports()).toHaveLength(1);
});

test('at most 1 MB waits; lines beyond it are lost, and counted', async () => {
  const logged: object[] = [];
  const path = join(await folder(), 'journal');
  let now = Date.now();
  const services = {
    ...ownServices({}),
    now: () => now,
    log: (_: string, event: string, fields?: object) => void logged.push({ event, ...fields }),
  };
  const journal = openJournal({ kind: 'folder', name: path, path }, services);
  const line = {
    kind: 'submission',
    at: '',
    id: '',
    form: 'x'.repeat(1_000),
    result: 'delivered',
    ms: 1,
  } as const;
  const size = JSON.stringify(line).length + 1;
  for (let sent = 0; sent < 2_000; sent += 1) journal.write(line);
  await expect.poll(() => logged.length, { timeout: slow }).toBeGreaterThan(0);
  await mkdir(path);
  now += 61_000;
  await journal.close();
  const lines = (await linesIn(path)).length;
  expect(lines).toBe(Math.floor(1_048_576 / size));
  const lost = logged.reduce((sum, one) => sum + (('lines_lost' in one && Number(one.lines_lost)) || 0), 0);
  expect(lines + lost).toBe(2_000);
});

test('lines of the last moment are written when the relay closes', async () => {
  const path = await folder();
  const relay = await startRelay({
    config: `journal: {in: "${path}"}\nforms: {contact: {fields: [{name: name}], outputs: [${outputs}]}}`,
    effects: taken,
  });
  await relay.submit('contact', [['name', 'Ada']]);
  await relay.close();
  expect(await linesIn(path)).toHaveLength(1);
});

test('old files are removed once a day, by the day in their name, and no others', async () => {
  const path = await folder();
  const now = Date.now();
  const old = `${dayOf(now - 92 * day)}-c0ffee.jsonl`;
  const young = `${dayOf(now - 89 * day)}-c0ffee.jsonl`;
  const others = [
    '2001-01-01.jsonl',
    '2001-01-01-a b.jsonl',
    '2001-01-01-c0ffee.json',
    'x-2001-01-01-c.jsonl',
    '2001-13-01-c.jsonl',
  ];
  for (const name of [old, young, ...others]) await writeFile(join(path, name), '');
  await mkdir(join(path, '2001-01-02-folder.jsonl'));
  const hourly: (() => void)[] = [];
  const effects = {
    ...taken,
    repeat: (_: number, work: () => void) => {
      hourly.push(work);
      return () => {};
    },
  };
  const relay = await relayWith({ in: path, outputs, effects });
  await relay.submit('contact', [['name', 'Ada']]);
  await relay.relay.flush();
  const left = async () => (await readdir(path)).filter((name) => !name.startsWith(dayOf(Date.now()))).sort();
  await expect.poll(left, { timeout: slow }).toEqual([...others, young, '2001-01-02-folder.jsonl'].sort());
  relay.advance(3 * day);
  for (const work of hourly) work();
  await expect.poll(left, { timeout: slow }).toEqual([...others, '2001-01-02-folder.jsonl'].sort());
});

test('nothing is removed if all of it looks old, as after a jump of the clock', async () => {
  const folderOf = await folder();
  const names = ['2025-01-01-c0ffee.jsonl', '2025-01-02-c0ffee.jsonl'];
  for (const name of names) await writeFile(join(folderOf, name), '');
  await removeFiles(folderOf, Date.UTC(2026, 0, 1));
  expect((await readdir(folderOf)).sort()).toEqual(names);
  await removeFiles(folderOf, Date.UTC(2025, 0, 2));
  expect(await readdir(folderOf)).toEqual(names.slice(1));
});
