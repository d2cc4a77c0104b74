/** Rejected submissions are stored in the archive, and their senders notice nothing. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { contact, tempFolder } from '../../../test/support/index.ts';
import type { Answer, TestRelay, TestRelayOptions } from '../../../test/support/relay.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import type { Entry } from '../../stored/src/archive/archive.ts';
import { archiveInBucket } from '../../stored/src/archive/in_bucket.ts';
import { archiveInFolder } from '../../stored/src/archive/in_folder.ts';
import { type Reading, readEntry, readFile } from '../../stored/src/archive/read_entry.ts';

const slow = 30_000;
const day = 24 * 3_600_000;

interface Options extends Omit<TestRelayOptions, 'config'> {
  readonly spam?: string;
  readonly keys?: string;
  /** A folder for the archive. */
  readonly root?: string;
  readonly output?: string;
}

const relayThat = ({
  spam = 'honeypot: website, keep_dropped: 30d',
  keys = '',
  root = '/nowhere',
  output = `{type: folder, path: ${root}}`,
  ...options
}: Options): Promise<TestRelay> =>
  contact({
    fields: '[{name: name, label: Your name}, {name: text}, {name: cv, type: file}]',
    outputs: `[${output}]`,
    keys: `spam: {${spam}}${keys && `, ${keys}`}`,
    ...options,
    env: { FORM_TOKEN_SECRET: 'a secret that is long enough', ...options.env },
  });

async function entriesIn({ archive }: Pick<Reading, 'archive'>, troubles: string[] = []): Promise<Entry[]> {
  const all: Entry[] = [];
  try {
    for await (const one of archive.entries({}, ({ path, what }) => troubles.push(`${path} ${what}`)))
      all.push(one);
  } catch {}
  return all;
}

async function documentsIn(reading: Reading) {
  const entries = await entriesIn(reading);
  const documents = await Promise.all(entries.map((entry) => readEntry(reading, entry)));
  return documents.map((one) => (one.ok ? one.value : one.error));
}

const droppedIn = (root: string): Reading => ({
  archive: archiveInFolder(join(root, '.dropped')),
  unseal: undefined,
});

const advert = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

const checks = [
  ['honeypot: website', { website: 'x' }, 'honeypot', 'the decoy field was filled'],
  ['min_fill_seconds: 3', {}, 'min_fill', 'the token is missing'],
  ['proof_of_work: true', {}, 'proof', /\w/],
  ['doubt: {drop: 9}, signals: {links: 20}', { text: advert }, 'doubt', /points: drop; links/],
  ['doubt: {challenge: 9}, signals: {links: 20}', { text: advert }, 'doubt', /points: challenge; links/],
] as const;

test.each(checks)('a submission rejected by %s is stored with the reason', async (spam, more, by, reason) => {
  const root = tempFolder();
  const relay = await relayThat({ spam: `${spam}, keep_dropped: 30d`, root });
  const values = { name: 'Ada', text: 'Good morning', ...more };
  const answer = await relay.submit('contact', Object.entries(values));
  await expect.poll(() => documentsIn(droppedIn(root)), { timeout: slow }).toHaveLength(1);
  const [document] = await documentsIn(droppedIn(root));
  expect(document).toMatchObject({
    version: 1,
    id: answer.headers.get('x-request-id'),
    form: 'contact',
    dropped: { by, reason: expect.stringMatching(reason) },
    fields: [
      { name: 'name', label: 'Your name', values: ['Ada'] },
      { name: 'text', values: [values.text] },
    ],
    ...(by === 'doubt' && { doubt: { score: expect.any(Number), signals: { links: expect.any(Number) } } }),
  });
  const schema = JSON.parse(
    readFileSync(new URL('../../../docs/archive.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv2020().compile(schema);
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  // The archive does not list it, and reading the archive reports no trouble.
  const troubles: string[] = [];
  expect(await entriesIn({ archive: archiveInFolder(root) }, troubles)).toEqual([]);
  expect(troubles).toEqual([]);
});

test('the page is stored with it', async () => {
  const root = tempFolder();
  const relay = await relayThat({ keys: 'page: true', root });
  const page = { _page_url: 'https://acme.example/boots?utm=mail', _page_title: 'Boots' };
  await relay.submit('contact', Object.entries({ name: 'Ada', website: 'x', ...page }));
  await expect.poll(() => documentsIn(droppedIn(root)), { timeout: slow }).toHaveLength(1);
  const [document] = await documentsIn(droppedIn(root));
  expect(document).toMatchObject({ page: { url: page._page_url, title: page._page_title } });
});

test('a failed captcha is stored each time it is sent', async () => {
  const root = tempFolder();
  const relay = await relayThat({
    spam: 'keep_dropped: 30d',
    keys: 'captcha: {provider: turnstile, secret: s3cret, site_key: k}',
    root,
    effects: {
      http: async () => ({ status: 200, headers: {}, body: '{"success": false, "error-codes": []}' }),
    },
  });
  const send = (token: string, name = 'Ada') =>
    relay.submit('contact', Object.entries({ name, 'cf-turnstile-response': token }));
  const names = async () =>
    (await documentsIn(droppedIn(root))).map((one) =>
      typeof one === 'string' ? one : one.fields[0]?.values[0],
    );
  await send('1');
  await send('2');
  await send('3', 'Grace');
  await expect.poll(names, { timeout: slow }).toEqual(['Ada', 'Ada', 'Grace']);
});

const whole = ({ status, text, headers }: Answer) => ({
  status,
  // Tokens and puzzles differ each time.
  text: text.replaceAll(/[\w-]{20,}(\.[\w-]+)*/g, 'token').replaceAll(/\d+/g, '0'),
  headers: [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    .map(([name, value]) => [name, value.replace(/(?<=[?&]t=).*/, (sealed) => `${sealed.length}`)]),
});

test.each(
  checks.flatMap(([spam, more]) => [
    [spam, '', {}, more] as const,
    [spam, '?as=page', {}, more] as const,
    [spam, '', { 'hx-request': 'true' }, more] as const,
  ]),
)('with %s, the answer %s %o is the same with the key and without', async (spam, query, headers, more) => {
  const root = tempFolder();
  const answers = [];
  for (const own of ['', ', keep_dropped: 30d']) {
    const now = () => 1_795_000_000_000;
    const relay = await relayThat({ spam: spam + own, root, effects: { now } });
    const answer = await relay.post(
      `/api/v1/submit/contact${query}`,
      { name: 'Ada', text: 'Hello', ...more },
      headers,
    );
    answers.push(whole(answer));
  }
  expect(answers[1]).toEqual(answers[0]);
});

test('the response does not wait for the store, and a store that fails is reported once a second', async () => {
  const release: (() => void)[] = [];
  const relay = await relayThat({
    effects: { storeFile: () => new Promise((_, reject) => release.push(() => reject(new Error('broken')))) },
  });
  expect((await relay.submit('contact', 'name=Ada&website=x')).status).toBe(200);
  await expect.poll(() => release.length, { timeout: slow }).toBe(1);
  release[0]?.();
  await expect
    .poll(() => relay.logged.find(({ event }) => event === 'dropped_unkept'), { timeout: slow })
    .toMatchObject({ level: 'warn', form: 'contact', times: 1, reason: 'internal error' });
});

test('if the process may freeze after the response, it is stored before', async () => {
  const root = tempFolder();
  const relay = await relayThat({ root });
  const { status } = await relay.handle('contact', 'name=Ada&website=x');
  expect(status).toBe(200);
  expect(await documentsIn(droppedIn(root))).toHaveLength(1);
});

test('files are stored with it, as validation would accept them, although the upload is gone by then', async () => {
  const root = tempFolder();
  const relay = await relayThat({ root });
  const body = new FormData();
  body.set('name', 'Ada');
  body.set('website', 'x');
  body.set('cv', new File(['my cv'], '../cv.txt'));
  expect((await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body })).status).toBe(200);
  await expect.poll(() => documentsIn(droppedIn(root)), { timeout: slow }).toHaveLength(1);
  const reading = droppedIn(root);
  const [entry] = await entriesIn(reading);
  const [document] = await documentsIn(reading);
  if (!entry || typeof document !== 'object') throw new Error('nothing was stored');
  expect(document.files).toMatchObject([{ field: 'cv', name: 'cv.txt', type: 'text/plain', size: 5 }]);
  const file = document.files[0] && (await readFile(reading, entry, document.files[0]));
  expect(file?.ok && Buffer.from(file.value).toString()).toBe('my cv');
});

test('files that validation would reject are stored, too, under safe names', async () => {
  const root = tempFolder();
  const relay = await relayThat({ root });
  const body = new FormData();
  body.set('website', 'x');
  // The field accepts one file.
  for (const name of ['../cv.txt', 'cv.txt']) body.append('cv', new File([name], name));
  await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body });
  const stored = async () => {
    const documents = await documentsIn(droppedIn(root));
    return documents.flatMap((one) => (typeof one === 'object' ? one.files : []));
  };
  const type = 'application/octet-stream';
  await expect.poll(stored, { timeout: slow }).toMatchObject([
    { field: 'cv', name: 'cv.txt', type },
    { field: 'cv', name: 'cv (2).txt', type },
  ]);
});

test('a bucket stores it next to delivered ones, and lists them separately', async () => {
  const s3 = await startS3({ pageSize: 2 });
  const env = { ...account, AWS_ENDPOINT_URL_S3: s3.origin };
  const relay = await relayThat({ output: '{type: s3, bucket: configs, prefix: forms}', env });
  for (const name of ['A', 'B', 'C']) await relay.submit('contact', `name=${name}&website=x`);
  await relay.submit('contact', 'name=Ada');
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
  const namesAt = async (url: string, troubles: string[] = []) => {
    const reading = { archive: archiveInBucket(url), unseal: undefined };
    const entries = await entriesIn(reading, troubles);
    const documents = await Promise.all(entries.map((entry) => readEntry(reading, entry)));
    return documents.map((one) => one.ok && one.value.fields[0]?.values[0]);
  };
  await expect
    .poll(() => namesAt('s3://configs/forms/.dropped'), { timeout: slow })
    .toEqual(expect.arrayContaining(['A', 'B', 'C']));
  const troubles: string[] = [];
  expect(await namesAt('s3://configs/forms', troubles)).toEqual(['Ada']);
  expect(troubles).toEqual([]);
});

test('a flood is stored up to the daily limits of a form, and then reported with counts', async () => {
  let stored = 0;
  const relay = await relayThat({
    effects: {
      storeFile: async () => {
        stored += 1;
      },
    },
  });
  const flood = async (from: number, count: number) => {
    for (let nth = from; nth < from + count; nth += 10) {
      const some = Array.from({ length: 10 }, (_, index) => `name=${nth + index}&website=x`);
      await Promise.all(some.map((body) => relay.submit('contact', body)));
    }
  };
  await flood(0, 1_020);
  await expect.poll(() => stored, { timeout: slow }).toBe(1_000);
  relay.advance(1_001);
  await relay.submit('contact', 'name=more&website=x');
  const logged = relay.logged.filter(({ event }) => event === 'dropped_unkept');
  expect(logged[0]).toMatchObject({ form: 'contact', reason: expect.stringMatching('1000 submissions') });
  expect(logged.reduce((sum, { times }) => sum + (times as number), 0)).toBe(21);
  relay.advance(day);
  await relay.submit('contact', 'name=tomorrow&website=x');
  await expect.poll(() => stored, { timeout: slow }).toBe(1_001);
}, 60_000);
