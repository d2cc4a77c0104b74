/** The data of one person in all places that a config names. */

import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sources } from '@form-relay/inbox/entry_index';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { createPeople } from '../../../apps/inbox/src/actions/index.ts';
import { openIndex } from '../../../apps/inbox/src/index/open_index.ts';
import { openStage, type Stage, slow, sourcesIn } from '../../../apps/inbox/test/actions_stage.ts';
import { spellings } from '../../../test/support/spellings.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { fillStore } from '../../cli/test/kept_store.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { writeEntry } from './entries.ts';
import '../../../test/support/sqlite.ts';

const config = `keep: {in: kept}
forms:
  contact:
    fields: [{name: email}, {name: message}]
    outputs:
      - {type: folder, path: whole}
      - {type: folder, path: part, mapping: {message: message}}
      - {type: http_post, url: https://crm.example.com/}
`;
const idOf = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
const at = '2026-11-21T10:00:00.000Z';

async function openSite() {
  const { cwd, run } = await openTerminal({ files: { 'webform.yaml': config } });
  for (const [nth, email] of ['Ada@example.org', 'grace@example.org'].entries()) {
    const one = { id: idOf(nth + 1), at, form: 'contact' };
    await writeEntry(join(cwd, 'whole'), { ...one, values: { email: [email], message: ['Hello'] } });
    const message = nth === 0 ? 'Hello from ada@example.org' : 'Hello';
    await writeEntry(join(cwd, 'part'), { ...one, output: 1, values: { message: [message] } });
    await writeEntry(join(cwd, 'part'), { ...one, output: 2, values: { message: ['Hello'] } });
  }
  const queued = (nth: number, email: string) =>
    ({ form: 'contact', id: idOf(nth), at: Date.parse(at), values: { email, message: 'Hi' } }) as const;
  await fillStore(join(cwd, 'kept'), config, [queued(3, 'ada@example.org'), queued(4, 'grace@example.org')]);
  return { cwd, run };
}

test('is erased from every archive and store of the config', async () => {
  const { run, cwd } = await openSite();
  const { stdout, stderr, code } = await run('relay archive erase --email ada@example.org --yes');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  // Mappings left her address out of two copies, except for a mention.
  expect(stdout).toContain('removed 3 stored submissions and 3 queued deliveries');
  const left = await run('find whole part -name "*.json"; relay kept export --format jsonl; relay kept list');
  expect(left.stdout).not.toContain(idOf(1));
  expect(left.stdout).not.toContain(idOf(3));
  expect(left.stdout.split(idOf(2)).length).toBeGreaterThan(2);
  expect(left.stdout).toContain(idOf(4));
  expect(await readFile(join(cwd, 'whole.erased.jsonl'), 'utf8')).not.toMatch(/ada|7d0f/);
});

test('a document planted under the id of another submission does not erase that submission', async () => {
  const { run, cwd } = await openSite();
  const planted = { id: idOf(2), at: '2026-11-20T10:00:00.000Z', form: 'contact' };
  await writeEntry(join(cwd, 'part'), { ...planted, values: { email: ['ada@example.org'] } });
  const { stderr } = await run('relay archive erase --email ada@example.org --yes');
  expect(stderr).toContain('is from another address; ignored');
  expect((await run('find whole -name "*.json"')).stdout).toContain(idOf(2));
});

test('is exported as JSON Lines, without other people’s data', async () => {
  const { run } = await openSite();
  const { stdout, stderr, code } = await run('relay archive export --email ada@example.org');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id, stored_in }) => `${id.slice(-1)} ${stored_in}`).sort()).toEqual([
    ...['1 part', '1 part', '1 whole', '3 kept', '3 kept', '3 kept'],
  ]);
  expect(stdout).not.toContain('grace');
  expect((await run('relay archive export --from a --from b')).code).toBe(2);
});

/** The inbox's actions on people, with the archives of a stage and these stores. */
async function openPeople({ root, context }: Stage, stores: Sources['stores'] = []) {
  const sources = { archives: sourcesIn(root), stores };
  const program = new URL('../../../dist/cli/index_worker.cjs', import.meta.url);
  const index = await openIndex({ sources, folder: join(tempFolder(), 'index'), program });
  onTestFinished(() => index.close());
  return { index, people: createPeople({ ...context, index }) };
}

/** Each address in all its spellings, each with an id. */
const spelled = spellings.map((row, nth) =>
  row.map((email, index) => ({ email, id: idOf((nth + 1) * 100 + index) })),
);
const idsIn = (text: string) => [...new Set(text.match(/7d0f6d0e[\w-]{28}/g))].sort();

test('is found under every spelling of an address that the form accepts, and under no other address', {
  timeout: 300_000,
}, async () => {
  const { run, cwd } = await openTerminal({ files: { 'webform.yaml': config } });
  const queued = [];
  await mkdir(join(cwd, 'part'));
  for (const { email, id } of spelled.flat()) {
    await writeEntry(join(cwd, 'whole'), { id, at, form: 'contact', values: { email: [email] } });
    queued.push({ form: 'contact', id, at: Date.parse(at), values: { email, message: 'Hi' } });
  }
  await fillStore(join(cwd, 'kept'), config, queued);
  // Searches under every spelling of the first address, and under the last spelling of each other one.
  for (const [nth, row] of spelled.entries())
    for (const { email } of nth === 0 ? row : row.slice(-1)) {
      const quoted = `'${email.replaceAll("'", `'\\''`)}'`;
      const { stdout, stderr } = await run(`relay archive export --email ${quoted}`);
      expect({ email, ids: idsIn(stdout), stderr }).toEqual({
        email,
        ids: row.map(({ id }) => id),
        stderr: '',
      });
      expect(stdout.split('\n').filter((line) => line.includes('"stored_in":"kept"'))).toHaveLength(
        3 * row.length,
      );
    }
  const found = await run(`relay archive erase --yes --email 'INFO@xn--bcher-kva.example'`);
  expect(found.stdout).toContain('removed 7 stored submissions and 21 queued deliveries');
  expect(await run('relay archive erase --email nobody')).toMatchObject({ code: 2 });
});

test('is found if others mention the address in any spelling', async () => {
  const { run, cwd } = await openTerminal();
  const mentioned = spelled.map((row) => row.filter(({ email }) => !/["<]/.test(email) || row.length === 1));
  for (const { email, id } of mentioned.flat()) {
    const message = [`Please write to ${email.trim()}, or call.`];
    await writeEntry(join(cwd, 'whole'), { id, at, form: 'contact', values: { message } });
  }
  for (const row of mentioned) {
    const email = `'${row.at(-1)?.email.replaceAll("'", `'\\''`)}'`;
    const { stdout } = await run(`relay archive export --from whole --mentions --email ${email}`);
    expect([email, idsIn(stdout)]).toEqual([email, row.map(({ id }) => id)]);
  }
});

test('is found by the inbox under every spelling', async () => {
  const stage = await openStage({});
  const values = (email: string) => ({ email: [email] });
  for (const { email, id } of spelled.flat()) await writeEntry(stage.root, { id, at, values: values(email) });
  const { index, people } = await openPeople(stage);
  await expect.poll(() => index.get(idOf(spelled.length * 100)), { timeout: slow }).toBeDefined();
  for (const row of spelled)
    for (const { email } of row) {
      const { entries } = await people.find(email, undefined);
      expect([email, entries.map(({ id }) => id).sort()]).toEqual([email, row.map(({ id }) => id)]);
    }
});

test('is found, exported and erased from the inbox, limited to what was listed', async () => {
  const stage = await openStage({});
  const hers = await stage.send('name=Ada&email=ada%40example.org');
  const other = await stage.send('name=Grace&email=grace%40example.org');
  const mention = await stage.send('name=Ask+ada%40example.org&email=x%40example.org');
  const { index, people } = await openPeople(stage, [{ name: 'kept' }]);
  await expect.poll(() => index.get(mention), { timeout: slow }).toBeDefined();
  const found = await people.find('ADA@example.org', undefined);
  expect(found).toMatchObject({ entries: [{ id: hers, form: 'contact', places: [stage.root] }], sealed: 0 });
  expect(await people.find('ada@example.org', new Set(['jobs']))).toEqual({ entries: [], sealed: 0 });
  const lines = [];
  for await (const line of people.export('ada@example.org', undefined)) lines.push(JSON.parse(line));
  expect(lines).toMatchObject([{ id: hers, stored_in: stage.root }]);
  await rename(stage.root, `${stage.root}.away`);
  expect(await people.erase('ada@example.org', [hers], undefined)).toEqual({
    entries: 0,
    left: [expect.stringContaining(hers)],
  });
  await rename(`${stage.root}.away`, stage.root);
  expect(await people.erase('ada@example.org', [hers, other], undefined)).toEqual({ entries: 1, left: [] });
  expect(await stage.paths(hers)).toEqual([]);
  expect(await stage.paths(other)).toHaveLength(1);
  expect(await stage.paths(mention)).toHaveLength(1);
});

test('stays if it is sealed, also under an id that was not listed', async () => {
  const stage = await openStage({});
  const sealTo = [await identityToRecipient(await generateX25519Identity())];
  const values = { email: ['ada@example.org'] };
  await writeEntry(stage.root, { id: 'sealed', at, values, sealTo });
  const { index, people } = await openPeople(stage);
  await expect.poll(() => index.get('sealed'), { timeout: slow }).toBeDefined();
  expect(await people.find('ada@example.org', undefined)).toEqual({ entries: [], sealed: 1 });
  expect(await people.erase('ada@example.org', ['sealed'], undefined)).toEqual({ entries: 0, left: [] });
  expect(await stage.paths('sealed')).toHaveLength(1);
});
