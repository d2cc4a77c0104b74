import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { openTerminal } from '../../cli/test/terminal.ts';
import { entryFiles, type Written, writeEntry } from './entries.ts';
import { startBucket } from './places.ts';

const idOf = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
const at = '2026-11-21T10:00:00.000Z';
const erase = 'relay archive erase --email ada@example.org';

/** Five submissions from the person, some of them rejected, and others. */
const entries: readonly Written[] = [
  { id: idOf(1), at, values: { email: ['Ada@Example.org '] }, files: [['cv', 'cv.txt', 'hers']] },
  { id: idOf(2), at, form: 'Grüße & mehr', values: { from: ['Ada <ADA@example.org>'] } },
  { id: idOf(3), at, values: { message: ['Please ask ada@example.org about it.'] } },
  { id: idOf(4), at, values: { email: ['xada@example.org'], note: ['ada@example.org.uk'] } },
  { id: idOf(5), at, values: { email: ['grace@example.org'] }, files: [['cv', 'cv.txt', 'not hers']] },
];
const dropped: Written = { id: idOf(6), at, values: { email: ['ada@example.org'] } };

async function openFolder(written: readonly Written[] = entries) {
  const terminal = await openTerminal();
  const root = join(terminal.cwd, 'archive');
  for (const entry of written) await writeEntry(root, entry);
  await writeEntry(join(root, '.dropped'), dropped);
  const files = async () =>
    (await terminal.run('find archive -type f | LC_ALL=C sort')).stdout.split('\n').filter(Boolean);
  return { ...terminal, root, files };
}

const idsIn = (text: string) => [...new Set(text.match(/7d0f[\w-]{32}/g))].map((id) => Number(id.slice(-12)));

describe('erasing a person', () => {
  test('removes what she sent, rejected or not, with its files and marks, and nothing else', async () => {
    const { run, root, files } = await openFolder();
    const lines = [1, 5].map((nth) => JSON.stringify({ id: idOf(nth), verdict: 'ham', at }));
    await writeFile(`${root}.verdicts.jsonl`, `${lines.join('\n')}\n`);
    const { stdout, stderr, code } = await run(`${erase} --from archive --yes`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('found 3 stored submissions and 0 queued deliveries');
    expect(stdout).toContain('1 other only mentions the address');
    expect(stdout).toContain('removed 3 stored submissions and 0 queued deliveries');
    expect(idsIn((await files()).join('\n'))).toEqual([3, 4, 5]);
    expect((await files()).filter((file) => file.endsWith('1-cv.txt'))).toHaveLength(1);
    expect(await readFile(`${root}.verdicts.jsonl`, 'utf8')).toBe(`${lines[1]}\n`);
  });

  test('removes all changes of what she sent, under any address', async () => {
    const hers = (nth: number, email: string, of?: number, mark = '_change_of') => ({
      ...{ id: idOf(nth), at: `2026-11-21T10:00:0${nth}.000Z` },
      values: { email: [email], ...(of && { [mark]: [idOf(of)] }) },
    });
    const { run, files } = await openFolder([
      hers(1, 'ada@exmaple.org'),
      hers(2, 'ada@example.org', 1),
      hers(3, 'countess@example.org', 1),
      hers(4, 'countess@example.org', 1, '_withdrawn'),
      hers(5, 'grace@example.org'),
      hers(7, 'hopper@example.org', 5),
    ]);
    const { stdout } = await run(`${erase} --from archive --yes`);
    expect(stdout).toContain('removed 5 stored submissions');
    expect(idsIn((await files()).join('\n'))).toEqual([5, 7]);
  });

  test('leaves a record that does not identify the person', async () => {
    const { run, root } = await openFolder();
    await run(`${erase} --from archive --yes`);
    const record = await readFile(`${root}.erased.jsonl`, 'utf8');
    expect(record).not.toMatch(/ada|7d0f|example/i);
    const lines = record
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { state: 'begun', found: 2 },
      { state: 'ended', found: 2, removed: 2 },
      { state: 'begun', found: 1 },
      { state: 'ended', found: 1, removed: 1 },
    ]);
  });

  test('removes mentions, too, with --mentions, and only those of a form with --form', async () => {
    const { run, files } = await openFolder();
    await run(`${erase} --from archive --yes --mentions --form contact`);
    expect(idsIn((await files()).join('\n'))).toEqual([2, 4, 5]);
  });

  test('removes nothing without confirmation or with --dry-run, and finds nothing a second time', async () => {
    const { run, files } = await openFolder();
    const before = await files();
    expect(await run(`${erase} --from archive`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'nothing was removed; add --yes to remove these submissions permanently',
      ),
    });
    expect(await run(`${erase} --from archive --dry-run`)).toMatchObject({ code: 0, stderr: '' });
    expect(await files()).toEqual(before);
    await run(`${erase} --from archive --yes`);
    const again = await run(`${erase} --from archive --yes`);
    expect(again.stdout).toContain('no submission is from this address');
    expect(again.code).toBe(0);
  });

  test('opens sealed submissions with their key, and counts them without it', async () => {
    const secret = await generateX25519Identity();
    const sealTo = [await identityToRecipient(secret)];
    const { run, root, files } = await openFolder(entries.map((entry) => ({ ...entry, sealTo })));
    await writeFile(join(root, '../key.txt'), secret);
    const shut = await run(`${erase} --from archive --yes`);
    expect(shut.stderr).toContain('5 sealed submissions not searched');
    expect(shut.code).toBe(1);
    expect(idsIn((await files()).join('\n'))).toHaveLength(5);
    expect(await run(`${erase} --from archive --yes --identity key.txt`)).toMatchObject({ code: 0 });
    expect(idsIn((await files()).join('\n')).sort()).toEqual([3, 4, 5]);
  });

  test('does not touch forged documents, links and foreign files, and reports them', async () => {
    const { run, root, files } = await openFolder();
    const day = join(root, 'contact/2026/11/21');
    const own = await entryFiles({ id: idOf(8), at, values: { email: ['ada@example.org'] } });
    const [[, forged] = []] = [...own];
    await writeFile(join(day, `20261121T100000000Z-${idOf(9)}-0.json`), forged ?? '');
    const outside = join(root, '../outside');
    await mkdir(outside);
    await writeFile(join(outside, '1-mine.txt'), 'mine');
    await symlink(outside, join(day, `20261121T100000000Z-${idOf(8)}-0`));
    await writeFile(join(day, `20261121T100000000Z-${idOf(8)}-0.json`), forged ?? '');
    await writeFile(join(day, 'notes-ada@example.org.txt'), 'mine');
    await symlink(outside, join(root, 'linked'));
    const { stderr, code } = await run(`${erase} --from archive --yes`);
    expect(code).toBe(1);
    expect(stderr).toContain('has the id of another submission; ignored');
    expect(stderr).toContain('notes-ada@example.org.txt: is not part of an archive; ignored');
    expect(stderr).toContain('linked: is a link or a device; ignored');
    expect(await readFile(join(outside, '1-mine.txt'), 'utf8')).toBe('mine');
    expect((await files()).filter((file) => file.includes('notes-'))).toHaveLength(1);
    expect(idsIn((await files()).join('\n')).sort()).toEqual([3, 4, 5, 9]);
  });

  test('says what it could not remove, and removes it the next time', async () => {
    const { run, root, files } = await openFolder();
    const before = await files();
    await mkdir(`${root}.erased.jsonl`);
    const failed = await run(`${erase} --from archive --yes`);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('archive.erased.jsonl: the operation failed (EISDIR)');
    expect(failed.stderr).not.toContain('ada@');
    expect(await files()).toEqual(before);
    await run('rmdir archive.erased.jsonl');
    expect(await run(`${erase} --from archive --yes`)).toMatchObject({ code: 0 });
    expect(idsIn((await files()).join('\n'))).toEqual([3, 4, 5]);
  });

  test('that was killed is completed by the next run', async () => {
    const many = Array.from({ length: 400 }, (_, nth) => ({
      id: idOf(100 + nth),
      at,
      values: { email: ['ada@example.org'] },
      files: [['cv', 'cv.txt', 'hers']] as const,
    }));
    const { run, files } = await openFolder(many);
    const first = (await files()).length;
    await run(
      `STARTED=1 ${erase} --from archive --yes & pid=$!; while [ "$(find archive -type f | wc -l)" -ge ${first} ] && kill -0 $pid; do :; done; kill -9 $pid`,
    );
    await run(`${erase} --from archive --yes`);
    expect(await files()).toEqual([]);
  });
});

test('a person is erased from a bucket, and the record is in a file', async () => {
  const { env } = await startBucket({ forms: entries, 'forms/.dropped': [dropped] });
  const { run, cwd } = await openTerminal({ env });
  const erased = await run(`${erase} --from s3://configs/forms --yes --record erased.jsonl`);
  expect({ ...erased, stdout: '' }).toEqual({ stdout: '', stderr: '', code: 0 });
  expect(erased.stdout).toContain('removed 3 stored submissions');
  expect(await readFile(join(cwd, 'erased.jsonl'), 'utf8')).toContain('"removed":2');
  const { stdout } = await run('relay archive list --from s3://configs/forms');
  expect(idsIn(stdout)).toEqual([3, 4, 5]);
});
