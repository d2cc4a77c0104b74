/** `relay places`, and what the log says about places with an unknown outcome. */
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { httpSink, relayWith } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { FolderCounts } from '../../stores/src/folder/counts.ts';
import { systemDisk } from '../../stores/src/folder/disk.ts';
import { Counter } from '../src/counters/counter.ts';
import type { Registration } from '../src/counters/registration.ts';
import { registrationOf } from '../src/places/claims.ts';
import { damage, settled } from './stage.ts';

const id = '5d0c3e5e-6a2b-4a9c-9a6e-8f1f0a5d3c11';
const secret = '3d1d0f6dd1f34c2b8a5e';

/**
 * A form with two of four places taken, and another one reserved two minutes ago and then left open, like the
 * reservations of `hide`.
 */
async function open(contact = '', hide: (counter: Counter) => Promise<unknown> = async () => {}) {
  const sink = await httpSink();
  const config = `
counted_in: counts
forms:
  course:
    fields: [{name: email, type: email, required: true}, {name: day, type: select, options: [sat, sun]}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]
    places: 4
    option_places: {day: {sat: 3}}
    once: {by: email, reveal: true}
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]
    ${contact}
`;
  const terminal = await openTerminal({
    files: { 'webform.yaml': config },
    env: { FORM_TOKEN_SECRET: secret },
  });
  const counts = join(terminal.cwd, 'counts');
  mkdirSync(counts);
  const counter = new Counter(new FolderCounts(counts, systemDisk()), () => Date.now() - 120_000);
  const claims = [
    { key: '', limit: 4 },
    { key: 'day=sat', limit: 3 },
  ];
  await counter.reserve('places/course', { id, claims, isRemembered: false });
  await hide(counter);
  const relay = await relayWith({
    config: config.replace('counted_in: counts', `counted_in: ${counts}`),
    env: { FORM_TOKEN_SECRET: secret },
  });
  const send = async (name: string, day: string) =>
    (await relay.submit('course', { email: `${name}@visitor.example`, day })).status;
  expect(await send('ada', 'sat')).toBe(200);
  expect(await send('grace', 'sun')).toBe(200);
  // Registrations are settled first.
  await settled(join(counts, 'counts/places/course.log'), 1);
  const run = async (line: string) => {
    const { stdout, stderr, code } = await terminal.run(`relay places ${line}`);
    return { stdout: stdout.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'), stderr, code };
  };
  return { relay, send, run, counts: join(counts, 'counts') };
}

const registered = (name: string) =>
  registrationOf(
    secret,
    { id: 'course', fields: [] },
    { by: 'email' },
    `${name}@visitor.example`,
  ) as Registration;
const hide = (counter: Counter, { key, hash }: Registration, by = id) =>
  counter.reserve(key, { id: by, claims: [{ key: hash, limit: 1 }], isRemembered: true });

const shown = (all: string, sat: string, registered: number | string, hidden = '') =>
  `course, counted in counts\n  all places: ${all}\n  day=sat: ${sat}\n  registered: ${registered}\n${hidden}`;
const hidden = `  unresolved after a crash: ${id}, since TIME, day=sat; use --settle or --release\n`;

test('shows what is taken, left and unresolved, and releases an unresolved place', async () => {
  const { run, send } = await open();
  const before = shown('3 of 4 taken, 1 left', '2 of 3 taken, 1 left', 2, hidden);
  expect(await run('')).toEqual({ stdout: before, stderr: '', code: 0 });
  expect(await run(`course --release ${id}`)).toMatchObject({
    stdout: shown('2 of 4 taken, 2 left', '1 of 3 taken, 2 left', 2),
  });
  expect(await send('x', 'sun')).toBe(200);
  expect(await send('y', 'sun')).toBe(200);
  expect(await send('z', 'sun')).toBe(403);
});

test('settles an unresolved place', async () => {
  const { run, send } = await open();
  expect(await run(`course --settle ${id}`)).toMatchObject({
    stdout: shown('3 of 4 taken, 1 left', '2 of 3 taken, 1 left', 2),
  });
  expect(await send('x', 'sun')).toBe(200);
  expect(await send('y', 'sun')).toBe(403);
  expect(await run(`course --settle ${id}`)).toMatchObject({ code: 1, stdout: '' });
});

test('sets the number taken, and lets a value register again', async () => {
  const { run, send } = await open();
  expect(JSON.parse((await run('course --set day=sat=0 --json')).stdout).places).toEqual([
    { of: '', most: 4, taken: 3, left: 1 },
    { of: 'day=sat', most: 3, taken: 1, left: 2 },
  ]);
  expect(await send('ada', 'sun')).toBe(403);
  expect((await run('course --forget " ADA@visitor.example"')).stdout).toContain('registered: 1');
  expect(await send('ada', 'sun')).toBe(200);
  expect(await send('linus', 'sun')).toBe(403);
  await run('course --set 0');
  expect(await send('linus', 'sun')).toBe(200);
});

test('shows an unresolved registration next to the place of the same submission', async () => {
  const { run, send } = await open('', (counter) => hide(counter, registered('linus')));
  const row = hidden.replace('day=sat', 'day=sat, registration');
  expect((await run('course')).stdout).toBe(
    shown('3 of 4 taken, 1 left', '2 of 3 taken, 1 left', '2, hidden: 1', row),
  );
  expect((await run(`course --settle ${id}`)).stdout).toBe(
    shown('3 of 4 taken, 1 left', '2 of 3 taken, 1 left', 3),
  );
  expect(await send('linus', 'sun')).toBe(403);
});

test.runIf(process.getuid?.() === 0)('files written by root belong to the owner of the folder', async () => {
  const { run, counts } = await open('places: 2');
  chownSync(dirname(counts), 12_345, 12_346);
  chownSync(counts, 12_345, 12_346);
  chownSync(join(counts, 'places'), 12_345, 12_346);
  expect((await run('contact --set 1')).code).toBe(0);
  const made = join(counts, 'places/contact.log');
  for (const path of [made, ...readdirSync(made).map((name) => join(made, name))]) {
    const { uid, gid } = statSync(path);
    expect([uid, gid], path).toEqual([12_345, 12_346]);
  }
});

const remedy = 'Stop the relay, and remove the folder of this file.';

test('if part of the count is damaged, the rest is shown, and the other forms', async () => {
  const { run, counts } = await open('places: 2');
  const file = await damage(join(counts, 'places/course.log'), 1);
  const { stdout, stderr, code } = await run('');
  expect(stdout).toBe(
    'course, counted in counts\n  registered: at least 2\ncontact, counted in counts\n  all places: 0 of 2 taken, 2 left\n',
  );
  expect(stderr).toContain(`course, counted in counts: the count ${file} is damaged`);
  expect(stderr).toContain(remedy);
  expect(code).toBe(1);
  const [course] = (await run('--json')).stdout.split('\n');
  expect(JSON.parse(course ?? '')).toEqual({
    form: 'course',
    counted_in: 'counts',
    registered: 2,
    hidden: [],
    damaged: [expect.stringContaining(file)],
  });
  const failed = await run('course --set 3');
  expect(failed).toMatchObject({ stdout: '', code: 1 });
  expect(failed.stderr).toContain(file);
  expect(failed.stderr).toContain(remedy);
  expect(failed.stderr).not.toContain('is written');
});
