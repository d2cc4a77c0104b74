import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDynamo } from '../../../test/support/aws/dynamodb.ts';
import { account as accountCounting } from '../../../test/support/aws/signature.ts';
import { createMemoryStore, failed, httpSink, tempFolder, untilEnd } from '../../../test/support/index.ts';
import { Counter } from '../../capacity/src/counters/counter.ts';
import { registrationOf } from '../../capacity/src/places/claims.ts';
import { damage, openCourse } from '../../capacity/test/stage.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import type { Finding } from '../../core/src/command.ts';
import type { DeliveryStore } from '../../queue/src/open_stores.ts';
import { foreignEntry } from '../../stores/src/entry.ts';
import { FolderCounts } from '../../stores/src/folder/counts.ts';
import { systemDisk } from '../../stores/src/folder/disk.ts';
import { folderRemedies } from '../../stores/src/folder/index.ts';
import { storeFailure } from '../../stores/src/index.ts';
import type { Queued } from '../../stores/src/store.ts';
import { asLine, diagnose, formWith, like } from './stage.ts';

async function lookAtFolder(path: string, writes = false) {
  const lines = await diagnose('Archives', formWith(`[{type: folder, path: "${path}"}]`), {
    writes,
  });
  return lines.map((line) => line.replaceAll(path, '…'));
}

test('a folder is examined, and nothing is written', async () => {
  const folder = tempFolder();
  expect(await lookAtFolder(folder)).toEqual([
    'ok …: exists, and this user may write to it; nothing was written',
  ]);
});

test('with --write, a file is written into the folder and deleted', async () => {
  const folder = tempFolder();
  expect(await lookAtFolder(folder, true)).toEqual([
    'ok …: accepts files: a test file was written and deleted',
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a missing folder is a failure', async () => {
  const [missing] = await lookAtFolder(join(tempFolder(), 'none'));
  expect(missing).toMatch(/^failure …: there is no folder …; .* \(forms\.contact\.outputs\[0\]\) -> /);
});

async function lookAtBucket(origin: string, writes: boolean, bucket = 'configs') {
  const env: Record<string, string> = { ...account, AWS_ENDPOINT_URL_S3: origin };
  const [line] = await diagnose('Archives', formWith(`[{type: s3, bucket: ${bucket}, prefix: a b}]`), {
    env,
    writes,
  });
  return line;
}

test('a bucket is examined, and with --write an object is written into it and deleted', async () => {
  const s3 = await startS3();
  expect(await lookAtBucket(s3.origin, false)).toBe('ok s3://configs/a b/: exists; nothing was written');
  expect(await lookAtBucket(s3.origin, true)).toBe(
    'ok s3://configs/a b/: accepts objects: a test object was written and deleted',
  );
  expect(await (await fetch(`${s3.origin}/configs?list-type=2`)).text()).toContain('<KeyCount>0<');
  for (const writes of [false, true]) {
    expect(await lookAtBucket(s3.origin, writes, 'none')).toMatch(
      /^failure s3:\/\/none\/a b\/: there is no bucket "none" \(NoSuchBucket\)/,
    );
  }
});

const form = (keys: string) =>
  `{${keys}, fields: [{name: email, required: true}], outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*"}]}`;
const counting = (top: string, keys = 'places: 1') => `${top}\nforms: {course: ${form(keys)}}`;

const lookAt = (
  config: string,
  { env = {}, writes = false }: { env?: Record<string, string>; writes?: boolean } = {},
) => diagnose('Places', config, { env, writes });

describe('where forms count', () => {
  test('a config without counts has nothing to examine', async () => {
    expect(await diagnose('Places', counting(`counted_in: ${tempFolder()}`, 'title: x'))).toEqual([]);
    expect(await diagnose('Places', counting('', 'links: optional'))).toEqual([]);
  });

  test('a folder is read, and written to only with --write', async () => {
    const place = tempFolder();
    const config = counting(`counted_in: ${place}`);
    const read = `ok ${place}: the counts of "course" can be read`;
    expect(await lookAt(config)).toEqual([read]);
    expect(readdirSync(place)).toEqual([]);
    for (let times = 0; times < 3; times += 1)
      expect(await lookAt(config, { writes: true })).toEqual([
        read,
        `ok ${place}: wrote a test count, and removed it`,
      ]);
    expect(readdirSync(place)).toEqual([]);
  });

  test('if nothing can be counted, the finding says what happens to submissions', async () => {
    const place = tempFolder();
    const config = `counted_in: ${place}\nforms: {course: ${form('places: 1')}, other: ${form('places: 2')}}`;
    rmSync(place, { recursive: true });
    expect(await lookAt(config)).toEqual(
      like(
        /^failure .*; until this works, "course" and 1 more cannot count, so submissions are answered with 503 -> Create the folder/,
      ),
    );
    // A file is in the way of the folder for the counts.
    mkdirSync(place);
    writeFileSync(join(place, 'counts'), '');
    expect((await lookAt(config, { writes: true })).map((line) => line.slice(0, 7))).toContain('failure');
  });

  test('a damaged count is reported', async () => {
    const place = tempFolder();
    const keys = 'places: 2, once: {by: email, reveal: true}';
    const env = { FORM_TOKEN_SECRET: 'not so secret' };
    const course = await openCourse({
      keys: 'places: 2\nonce: {by: email, reveal: true}',
      fields: '{name: email, required: true}',
      in: place,
      env,
    });
    await course.send({ email: 'ada@acme.example' });
    const config = `counted_in: ${place}\nforms: {course: ${form(keys)}, other: ${form('places: 1')}}`;
    const damaged = (file: string) =>
      `failure ${place}: the count ${file} is damaged (docs/counting.md); submissions to "course" that it counts are answered with 503 -> Stop the relay, and remove the folder of this file. Then set the number taken with relay places --set. Values that \`once\` had registered are accepted again.`;
    const [registered = ''] = readdirSync(join(place, 'counts/once/course'));
    const registration = await damage(join(place, 'counts/once/course', registered));
    const read = `ok ${place}: the counts of "other" can be read`;
    expect(await lookAt(config, { env })).toEqual([damaged(registration), read]);
    const file = await damage(join(place, 'counts/places/course.log'));
    expect(await lookAt(config, { env })).toEqual([damaged(file), damaged(registration), read]);
  });

  test('entries hidden by a crash are listed: places and registrations', async () => {
    const place = tempFolder();
    const env = { FORM_TOKEN_SECRET: 'not so secret' };
    const counter = new Counter(new FolderCounts(place, systemDisk()), () => 0);
    const hide = (id: string, key: string, claim: string) =>
      counter.reserve(key, { id, claims: [{ key: claim, limit: 1 }], isRemembered: true });
    const { key, hash } = registrationOf(
      env.FORM_TOKEN_SECRET,
      { id: 'course', fields: [] },
      { by: 'email' },
      'a@b.example',
    ) ?? {
      key: '',
      hash: '',
    };
    await hide('one', 'places/course', '');
    await hide('one', key, hash);
    await hide('two', 'places/course', 'day=sat');
    const config = counting(`counted_in: ${place}`, 'places: 2, once: {by: email, reveal: true}');
    const hidden = [
      'warning PLACE: after a crash, the outcome of 2 submissions to "course" is unknown:',
      'one, since 1970-01-01T00:00:00.000Z, registration',
      `two, since 1970-01-01T00:00:00.000Z, day=sat -> Check whether each one arrived, then run relay places course --settle ID or --release ID.`,
    ].join('\n');
    expect(await lookAt(config, { env })).toEqual([
      hidden.replace('PLACE', place),
      `ok ${place}: the counts of "course" can be read`,
    ]);
  });

  test.each([
    ['folder_full', 'the disk of /srv/counts is full', 'Free space on its disk,'],
    ['folder_read_only', 'mounted read-only', 'Mount it writable for the relay;'],
  ] as const)('the remedy for a folder that exists is not to create it (%s)', (code, says, remedy) => {
    const place = { name: '/srv/counts', type: { schemes: [], open: () => Promise.reject() } };
    const error = failed(code, { path: '/srv/counts' });
    const found = asLine(storeFailure(place, error, 'nothing is counted', folderRemedies('/srv/counts')));
    expect(found).toContain(says);
    expect(found).toContain(` -> ${remedy}`);
  });

  test('a DynamoDB table exists, has the right key, and is accessible', async () => {
    const dynamo = await untilEnd(startDynamo());
    const env = { ...accountCounting, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin };
    const at = (table: string, writes = false) =>
      lookAt(counting(`counted_in: dynamodb://${table}`), { env, writes });
    expect(await at('places', true)).toEqual([
      'ok dynamodb://places: the counts of "course" can be read',
      'ok dynamodb://places: wrote a test count, and removed it',
    ]);
    expect(dynamo.tables.get('places')?.size).toBe(0);
    expect(await at('nowhere')).toEqual(like(/^failure .*there is no table "nowhere"/));
    // The real server's response to a key that does not fit the table.
    dynamo.refuse = () => ({ status: 400, code: 'ValidationException' });
    expect(await at('places')).toEqual(
      like(/^failure .*ValidationException.* -> .*partition key must be the string `id`/),
    );
    const denied = { status: 400, code: 'AccessDeniedException' };
    dynamo.refuse = (action) => (action === 'DeleteItem' ? denied : undefined);
    expect((await at('places', true))[1]).toMatch(
      /^warning .*wrote a count of its own, `doctor`, and could not remove it: .*dynamodb:DeleteItem/,
    );
    dynamo.refuse = (action) => (action === 'PutItem' ? denied : undefined);
    expect(await at('places')).toHaveLength(1);
    expect(await at('places', true)).toEqual(like(/^failure .*needs dynamodb:PutItem/));
  });
});

const secret = '8b0f3c1d9a7e5f2b4c6d8e0f1a3b5c7d';
const inFolder = 'in: /var/lib/form-relay';
const queue = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
const inQueue = `in: "${queue}"`;

const keeping = (keep: string, more = '') =>
  `${more}keep: {${keep}}\nforms: {contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost/", mapping: "*"}]}}`;

const entry = (id: string, form = 'contact'): Queued => ({
  id,
  form,
  output: { place: 0, of: 1, type: 'http_post', fingerprint: '' },
  receivedAt: 0,
  keptAt: 0,
  tries: 1,
  why: { code: 'timed_out', words: 'no complete response within 1 ms' },
  content: new Uint8Array(),
});

const lookAtKeeping = (config: string, store: DeliveryStore, writes = false) =>
  diagnose('Kept deliveries', config, { openStore: async () => store, writes });

describe('where deliveries are queued', () => {
  test('a config without `keep` has nothing to examine', async () => {
    const config =
      'forms: {contact: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost/", mapping: "*"}]}}';
    expect(await diagnose('Kept deliveries', config)).toEqual([]);
  });

  test('the store is examined, and nothing is written into it', async () => {
    const store = createMemoryStore(Date.now, { keep: () => Promise.reject(new Error('somebody wrote')) });
    expect(await lookAtKeeping(keeping(inFolder), store)).toEqual([
      'ok /var/lib/form-relay: is in memory',
      'ok /var/lib/form-relay: no deliveries are queued',
    ]);
  });

  test('with --write, an entry is kept in a folder and deleted', async () => {
    const store = createMemoryStore(Date.now);
    expect(await lookAtKeeping(keeping(inFolder), store, true)).toContain(
      'ok /var/lib/form-relay: stored a test entry, and removed it',
    );
    expect((await store.leases.count()).forms.size).toBe(0);
  });

  test('a delivery that is retried is fine; one that waits for its owner is reported', async () => {
    const store = createMemoryStore(Date.now);
    const options = { isMine: false, dueAt: 0, timeoutMs: 1_000 };
    await store.leases.keep([entry('a-0'), entry('b-0')], options);
    expect((await lookAtKeeping(keeping(inFolder), store)).at(-1)).toBe(
      'ok /var/lib/form-relay: 2 deliveries are queued and will be retried, the oldest since 1970-01-01T00:00:00.000Z',
    );
    for (const lease of await store.leases.lease(1, 0)) await lease.deadLetter('refused', lease.kept);
    expect((await lookAtKeeping(keeping(inFolder), store)).at(-1)).toBe(
      'warning /var/lib/form-relay: 2 deliveries are queued, the oldest since 1970-01-01T00:00:00.000Z; dead letters: 1 -> relay kept list shows the reason; fix the cause, then run relay kept retry.',
    );
    const removed = { ...entry('d-0'), output: { ...entry('d-0').output, place: 1, of: 2 } };
    await store.leases.keep([entry('c-0', 'jobs'), removed], options);
    expect((await lookAtKeeping(keeping(inFolder), store)).at(-1)).toMatch(
      /^warning .*: 4 deliveries are queued, .*; dead letters: 1; for outputs that this config lacks: 2 -> .*run relay kept retry\. Unless another relay delivers them, add these outputs again, or run relay kept retry --output INDEX\.$/,
    );
  });

  test('entries of a newer relay are reported separately', async () => {
    const store = createMemoryStore(Date.now);
    const known = { id: 'a-0', form: 'contact', keptAt: 0 };
    const kept = [foreignEntry('store_newer', known)];
    await store.leases.keep(kept, { isMine: false, dueAt: 0, timeoutMs: 1_000 });
    expect((await lookAtKeeping(keeping(inFolder), store)).slice(-1)).toEqual(
      like(/^failure .*: 1 delivery is queued: a newer relay wrote the entry.* -> Update this relay/),
    );
  });

  test('settings that may cost the owner something are warnings', async () => {
    const probe = async (): Promise<Finding[]> => [
      { level: 'ok', says: 'is there' },
      { level: 'warning', says: 'forgets all after a day', remedy: 'Set it to 14.' },
    ];
    expect(await lookAtKeeping(keeping(inQueue), { ...createMemoryStore(Date.now), probe })).toEqual([
      `ok ${queue}: is there`,
      `warning ${queue}: forgets all after a day -> Set it to 14.`,
      `ok ${queue}: no deliveries are queued`,
    ]);
  });

  test('an unusable store is a failure, which names the consequences', async () => {
    const store = {
      ...createMemoryStore(Date.now),
      remedies: folderRemedies('/var/lib/form-relay'),
      probe: () => Promise.reject(failed('folder_missing', { path: '/var/lib/form-relay' })),
    };
    expect(await lookAtKeeping(keeping(inFolder), store)).toEqual(
      like(
        /^failure .*there is no folder .*"contact" cannot queue deliveries.* -> Create the folder .* -o USER \/var\/lib\/form-relay$/,
      ),
    );
  });
});

test.each([
  ['a folder without KEEP_SECRET, which only its user reads', keeping(inFolder), {}, []],
  [
    'a queue without KEEP_SECRET',
    keeping(inQueue),
    {},
    [/^warning KEEP_SECRET: not set; .*stored unencrypted/],
  ],
  ['a queue with it', keeping(inQueue), { KEEP_SECRET: secret }, [/^ok KEEP_SECRET: set; encrypts/]],
  ['one that can be guessed', keeping(inFolder), { KEEP_SECRET: 'secret' }, [/^warning KEEP_SECRET: has 6/]],
])('%s', async (_, config, env, expected) => {
  expect(await diagnose('Environment', config, { env })).toEqual(like(...expected));
});

const alerts = (url: string) =>
  keeping(
    inFolder,
    `alerts: {outputs: [{type: webhook, url: "${url}", headers: {X: '{{ env "HOOK" }}'}}]}\n`,
  );

test('recipients of alerts: the outputs of alerts are examined like those of forms, but do not count as a form', async () => {
  const sink = await httpSink({ answer: () => ({ status: 200 }) });
  const config = alerts(sink.origin);
  expect(
    await diagnose('HTTP outputs', config, {
      tryConnect: async () => ({ certificateUntil: undefined }),
    }),
  ).toContain(`ok ${sink.origin}: accepts connections; no request was made`);
  expect(await diagnose('Environment', config)).toEqual([
    'failure HOOK: not set; alerts.outputs[0].headers.X is empty without it -> Set it where the relay runs.',
  ]);
  expect(await diagnose('Config', config)).toEqual(['ok webform.yaml: loads, with 1 form and 1 output']);
});
