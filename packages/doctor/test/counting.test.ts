import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startDynamo } from '../../../test/support/aws/dynamodb.ts';
import { account } from '../../../test/support/aws/signature.ts';
import { failed } from '../../../test/support/failed.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { Counter } from '../../capacity/src/counters/counter.ts';
import { createMemoryCounts } from '../../capacity/src/counters/memory.ts';
import { openCounterStore } from '../../capacity/src/counters/place.ts';
import { registrationOf } from '../../capacity/src/places/claims.ts';
import { damage, openCourse } from '../../capacity/test/stage.ts';
import { ownAws } from '../../clients/src/aws/account.ts';
import { FolderCounts } from '../../stores/src/folder/counts.ts';
import { systemDisk } from '../../stores/src/folder/disk.ts';
import { examineCounting } from '../src/counting.ts';
import { diagnose } from './stage.ts';

const form = (keys: string) =>
  `{${keys}, fields: [{name: email, required: true}], outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*"}]}`;
const counting = (top: string, keys = 'places: 1') => `${top}\nforms: {course: ${form(keys)}}`;

const lookAt = (
  config: string,
  { env = {}, writes = false }: { env?: Record<string, string>; writes?: boolean } = {},
) => {
  const readEnv = (name: string) => env[name];
  const stores = { env: readEnv, aws: async () => ownAws(readEnv, Date.now), now: Date.now };
  return diagnose(examineCounting, config, {
    env,
    writes,
    openCounts: (place) => openCounterStore(place, stores),
  });
};

describe('where forms count', () => {
  test('a config that counts nothing has nothing to look at', async () => {
    expect(await diagnose(examineCounting, counting(`counted_in: ${tempFolder()}`, 'title: x'))).toEqual([]);
    expect(await diagnose(examineCounting, counting('', 'links: optional'))).toEqual([]);
  });

  test('a folder is read, and written only with --write', async () => {
    const place = tempFolder();
    const config = counting(`counted_in: ${place}`);
    const read = `ok ${place}: the counts of "course" can be read`;
    expect(await lookAt(config)).toEqual([read]);
    expect(readdirSync(place)).toEqual([]);
    for (let times = 0; times < 3; times += 1)
      expect(await lookAt(config, { writes: true })).toEqual([
        read,
        `ok ${place}: wrote a count of its own, and removed it`,
      ]);
    expect(readdirSync(place)).toEqual([]);
  });

  test('where nothing can be counted, it says what becomes of submissions', async () => {
    const place = tempFolder();
    const config = `counted_in: ${place}\nforms: {course: ${form('places: 1')}, other: ${form('places: 2')}}`;
    rmSync(place, { recursive: true });
    expect(await lookAt(config)).toEqual([
      expect.stringMatching(
        /^failure .*; until this works, "course" and 1 more cannot count, and submissions are answered 503 -> Make the folder/,
      ),
    ]);
    // A file stands where the counts are to go.
    mkdirSync(place);
    writeFileSync(join(place, 'counted'), '');
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
      `failure ${place}: the count ${file} is damaged, so that nobody knows what is left (docs/places.md); submissions to "course" that it counts are answered 503 -> Stop the relay, and remove the folder of this file. Write the number of places with relay places --set; registrations in it can then come again.`;
    const [registered = ''] = readdirSync(join(place, 'counted/once/course'));
    const registration = await damage(join(place, 'counted/once/course', registered));
    const read = `ok ${place}: the counts of "other" can be read`;
    expect(await lookAt(config, { env })).toEqual([damaged(registration), read]);
    const file = await damage(join(place, 'counted/places/course'));
    expect(await lookAt(config, { env })).toEqual([damaged(file), damaged(registration), read]);
  });

  test('entries that a crash hid are listed: places and registrations', async () => {
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
      ...{ key: '', hash: '' },
    };
    await hide('one', 'places/course', '');
    await hide('one', key, hash);
    await hide('two', 'places/course', 'day=sat');
    const config = counting(`counted_in: ${place}`, 'places: 2, once: {by: email, reveal: true}');
    const hidden = [
      'warning PLACE: a crash hid what became of 2 submissions to "course":',
      'one, since 1970-01-01T00:00:00.000Z, registration',
      `two, since 1970-01-01T00:00:00.000Z, day=sat -> Look whether each one arrived, then run relay places course --settle ID or --release ID.`,
    ].join('\n');
    expect(await lookAt(config, { env })).toEqual([
      hidden.replace('PLACE', place),
      `ok ${place}: the counts of "course" can be read`,
    ]);
  });

  test.each([
    ['folder_full', 'there is no room left where /srv/counts is', 'Make room on its disk,'],
    ['folder_read_only', 'mounted read-only', 'Mount it so that the relay may write into it;'],
  ] as const)(
    'a folder that is there needs something else than to be made (%s)',
    async (code, says, remedy) => {
      const config = counting('counted_in: /srv/counts');
      const write = () => Promise.reject(failed(code, { path: '/srv/counts' }));
      const openCounts = async () => ({ ...createMemoryCounts(), write });
      const found = await diagnose(examineCounting, config, { writes: true, openCounts });
      expect(found.at(-1)).toContain(says);
      expect(found.at(-1)).toContain(` -> ${remedy}`);
    },
  );

  test('a table of DynamoDB is there, has the right key, and may be used', async () => {
    const dynamo = await startDynamo();
    onTestFinished(dynamo.close);
    const env = { ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin };
    const at = (table: string, writes = false) =>
      lookAt(counting(`counted_in: dynamodb://${table}`), { env, writes });
    expect(await at('places', true)).toEqual([
      'ok dynamodb://places: the counts of "course" can be read',
      'ok dynamodb://places: wrote a count of its own, and removed it',
    ]);
    expect(dynamo.tables.get('places')?.size).toBe(0);
    expect(await at('nowhere')).toEqual([expect.stringMatching(/^failure .*there is no table "nowhere"/)]);
    // The real server's answer to a key that is not the table's.
    dynamo.refuse = () => ({ status: 400, code: 'ValidationException' });
    expect(await at('places')).toEqual([
      expect.stringMatching(/^failure .*ValidationException.* -> .*partition key has to be `id`, a string/),
    ]);
    const denied = { status: 400, code: 'AccessDeniedException' };
    dynamo.refuse = (action) => (action === 'DeleteItem' ? denied : undefined);
    expect((await at('places', true))[1]).toMatch(
      /^warning .*wrote a count of its own, `doctor`, and could not remove it: .*dynamodb:DeleteItem/,
    );
    dynamo.refuse = (action) => (action === 'PutItem' ? denied : undefined);
    expect(await at('places')).toHaveLength(1);
    expect(await at('places', true)).toEqual([expect.stringMatching(/^failure .*needs dynamodb:PutItem/)]);
  });
});
