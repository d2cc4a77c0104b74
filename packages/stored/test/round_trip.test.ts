import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { relayWith } from '../../../test/support/index.ts';
import { openTerminal, type Terminal } from '../../cli/test/terminal.ts';
import { entryFiles, writeEntry } from './entries.ts';
import { startBucket } from './places.ts';

const text = `%PDF-1.4\n${'x'.repeat(200_000)}\n%%EOF\n`;

/** A form with this output only, and a visitor's submission with a file. */
async function submitTo(output: string, env: Readonly<Record<string, string>> = {}) {
  const config = `
forms:
  "Grüße/1":
    page: true
    fields:
      - {name: name, label: Your name}
      - {name: topics, type: checkboxes, options: [roof, wall]}
      - {name: cv, type: file, accept: [pdf]}
    outputs: [${output}]`;
  const relay = await relayWith({ config, env });
  const body = new FormData();
  body.append('name', '=1+1');
  for (const topic of ['roof', 'wall']) body.append('topics', topic);
  body.append('cv', new File([text], 'my cv.pdf', { type: 'application/pdf' }));
  const path = `/api/v1/submit/${encodeURIComponent('Grüße/1')}`;
  const answer = await relay.request(path, { method: 'POST', body });
  expect(answer.status).toBe(200);
  return answer.headers.get('x-request-id') ?? '';
}

async function expectWhole(terminal: Terminal, id: string, options: string) {
  const listed = await terminal.run(`relay archive list ${options}`);
  expect(listed.stdout).toMatch(/Z {2}\S+ {2}Grüße\/1 {2}=1\+1; roof; wall; my cv\.pdf\n$/);
  expect(listed).toMatchObject({ stderr: '', code: 0 });
  const shown = await terminal.run(`relay archive show ${id} ${options} --files out`);
  expect(JSON.parse(shown.stdout)).toMatchObject({ version: 1, id, form: 'Grüße/1' });
  expect(await readFile(join(terminal.cwd, 'out/my cv.pdf'), 'latin1')).toBe(text);
  const exported = await terminal.run(`relay archive export ${options} --form 'Grüße/1'`);
  expect(exported.stdout).toMatch(
    /^\ufeff"received_at","form","id","page","name","topics","cv"\r\n"[^"]+","Grüße\/1","[^"]+","","'=1\+1","roof; wall","[^"]+"\r\n$/,
  );
}

describe('a relay’s entries are found again', () => {
  test('in a folder', async () => {
    const terminal = await openTerminal();
    const folder = join(terminal.cwd, 'archive');
    await mkdir(folder);
    const id = await submitTo(`{type: folder, path: "${folder}"}`);
    await expectWhole(terminal, id, '--from archive');
  });

  test('in a bucket', async () => {
    const { env } = await startBucket();
    const terminal = await openTerminal({ env });
    const id = await submitTo('{type: s3, bucket: configs, prefix: forms}', env);
    await expectWhole(terminal, id, '--from s3://configs/forms');
  });
});

const entry = { id: 'a', at: '2020-02-29T10:00:00.000Z', values: { name: ['Ada'] } } as const;
const files = [['cv', 'cv.txt', 'my cv']] as const;

/** An archive whose documents were tampered with: that of `a`, and more. */
async function openForged(...changes: ((text: string) => string)[]) {
  const terminal = await openTerminal({ files: { 'secret.txt': 'secret' } });
  for (const [nth, change] of changes.entries()) {
    for (const [path, bytes] of await entryFiles({ ...entry, id: idOf(nth), files })) {
      const target = join(terminal.cwd, 'archive', path);
      await mkdir(join(target, '..'), { recursive: true });
      await writeFile(target, path.endsWith('.json') ? change(bytes.toString()) : bytes);
    }
  }
  return terminal;
}

const idOf = (nth: number) => String.fromCharCode(97 + nth);

describe('nothing in an archive is trusted', () => {
  test.each([
    ...['../../../../../secret.txt', '20200229T100000000Z-a-0/../../../../../../secret.txt', '/etc/passwd'],
    ...['20200229T100000000Z-b-0/1-cv.txt', '20200229T100000000Z-a-0', '20200229T100000000Z-a-0/..', ''],
  ])('a document cannot name the file %j', async (path) => {
    const terminal = await openForged((text) =>
      text.replace(/"path":"[^"]*"/, `"path":${JSON.stringify(path)}`),
    );
    const { stderr, code } = await terminal.run('relay archive show a --from archive --files out');
    expect(stderr).toContain('is not a file of this submission\n');
    expect(code).toBe(1);
    expect(await readdir(terminal.cwd)).not.toContain('out');
  });

  test.each([
    ['../cv.txt', 'cv.txt'],
    ['/etc/cv.txt', 'cv.txt'],
    ['..', 'file'],
    ['', 'file'],
    ['a\u0000b\u202etxt.exe', 'abtxt.exe'],
    ['CON', '_CON'],
  ])('a file named %j is written as %j', async (name, written) => {
    const terminal = await openForged((text) =>
      text.replace('"name":"cv.txt"', () => `"name":${JSON.stringify(name)}`),
    );
    expect((await terminal.run('relay archive show a --from archive --files out')).code).toBe(0);
    expect(await readdir(join(terminal.cwd, 'out'))).toEqual([written]);
  });

  test('a changed file is reported, and not written', async () => {
    const terminal = await openForged((text) =>
      text.replace(/"sha256":"[^"]*"/, `"sha256":"${'0'.repeat(64)}"`),
    );
    const { stderr, code } = await terminal.run('relay archive show a --from archive --files out');
    expect(stderr).toContain('was changed: the SHA-256 differs\n');
    expect(code).toBe(1);
  });

  test.each([
    ['null', 'is not a document of an archive'],
    ['{"version":1', 'is not JSON'],
    ['{"version":1}', 'is malformed: `id`'],
    ['\ufffe', 'is not JSON'],
    ['[]', 'is not a document of an archive'],
    ['{"version":"1"}', 'is not a document of an archive'],
    ['{"version":2}', 'has version 2, which needs a newer relay'],
  ])('a document %j is reported', async (content, said) => {
    const terminal = await openForged(() => content);
    const { stdout, stderr, code } = await terminal.run('relay archive export --from archive --format jsonl');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(`a-0.json: ${said}\n`);
  });

  test.each(['id', 'form', 'received_at', 'page', 'fields', 'files'])(
    'a document with an invalid %s is reported',
    async (key) => {
      const values = [7, { a: 1 }, [null], [{ name: 'a' }]];
      const all = ['id', 'form'].includes(key) ? values : [...values, '\u001b[2J'];
      const terminal = await openForged(
        ...all.map((value) => (text: string) => JSON.stringify({ ...JSON.parse(text), [key]: value })),
      );
      const { stdout, stderr, code } = await terminal.run('relay archive export --from archive');
      expect(stdout.split('\r\n')).toHaveLength(2);
      const malformed = stderr
        .split('\n')
        .filter((line) => line.endsWith(`-0.json: is malformed: \`${key}\``));
      expect(malformed).toHaveLength(all.length);
      expect(code).toBe(1);
    },
  );

  test('an oversized document is reported, and not read', async () => {
    const terminal = await openForged((text) => text + ' '.repeat(16 * 1_048_576));
    const { stdout, stderr, code } = await terminal.run('relay archive export --from archive --format jsonl');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('a-0.json: is too large\n');
  });

  test.each(['export --format jsonl', 'show a'])(
    'a document nested too deeply to be written is reported: %s',
    async (command) => {
      const depth = 200_000;
      const terminal = await openForged((text) =>
        text.replace(/}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
      );
      const { stdout, stderr, code } = await terminal.run(`relay archive ${command} --from archive`);
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr).toContain('a-0.json: is nested too deeply\n');
    },
  );

  test.each(['export --format jsonl', 'show a'])(
    'JSON output cannot control the terminal either: %s',
    async (command) => {
      const name = '\u009b2J\u202eAda\u2028\u007f';
      const terminal = await openForged((text) => text.replace('Ada', name));
      const { stdout } = await terminal.run(`relay archive ${command} --from archive`);
      expect(stdout).toMatch(/^[\n\x20-\x7e]+$/);
      expect(JSON.parse(stdout).fields[0].values).toEqual([name]);
    },
  );

  test('the text of an entry cannot control the terminal', async () => {
    const terminal = await openForged((text) => text.replace('Ada', '\\u001b[2J\\u202eAda\\nnext'));
    expect((await terminal.run('relay archive list --from archive')).stdout).toMatch(/^[\x20-\x7e]+\n$/);
  });

  test('no link is followed, and its target is never removed', async () => {
    const terminal = await openTerminal();
    const [archive, outside] = [join(terminal.cwd, 'archive'), join(terminal.cwd, 'outside')];
    await writeEntry(outside, { ...entry, files });
    await writeEntry(archive, { ...entry, id: 'b', files });
    const day = 'contact/2020/02/29';
    const stem = '20200229T100000000Z-a-0';
    await symlink(join(outside, 'contact'), join(archive, 'linked'));
    await symlink(join(outside, day), join(archive, 'contact/2020/02/28'));
    await symlink(join(outside, day, `${stem}.json`), join(archive, day, `${stem}.json`));
    await symlink(join(outside, day, stem), join(archive, day, stem));

    const listed = await terminal.run('relay archive list --from archive');
    expect(listed.stdout.match(/\n/g)).toHaveLength(1);
    expect(listed.stderr).toContain('4 files and folders ignored\n');
    expect(await terminal.run('relay archive prune --from archive --older-than 1d')).toMatchObject({
      stdout: 'removed 1 submission with 1 file\nleft 0 days of newer submissions\n',
      code: 0,
    });
    expect(await readdir(join(archive, day))).toEqual([`${stem}`, `${stem}.json`]);
    expect(await readdir(join(outside, day, stem))).toEqual(['1-cv.txt']);
  });

  test('a folder of files that was replaced by a link is not read', async () => {
    const terminal = await openForged((text) => text);
    const folder = join(terminal.cwd, 'archive/contact/2020/02/29/20200229T100000000Z-a-0');
    await rename(folder, join(terminal.cwd, 'elsewhere'));
    await symlink(join(terminal.cwd, 'elsewhere'), folder);
    const { stderr, code } = await terminal.run('relay archive show a --from archive --files out');
    expect(stderr).toContain('the folder is a symbolic link; not followed\n');
    expect(code).toBe(1);
  });
});

test('if two outputs archived a submission, every file is written', async () => {
  const terminal = await openTerminal();
  const folder = join(terminal.cwd, 'archive');
  await mkdir(folder);
  const output = `{type: folder, path: "${folder}"}`;
  const id = await submitTo(`${output}, ${output}`);
  const { stderr, code } = await terminal.run(`relay archive show ${id} --from archive --files out`);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect((await readdir(join(terminal.cwd, 'out'))).sort()).toEqual(['my cv (2).pdf', 'my cv.pdf']);
});
