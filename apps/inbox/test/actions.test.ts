/** Actions on submissions in the inbox, in an archive written by a real relay. */
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { account, startS3 } from '../../../packages/clients/test/aws/aws.ts';
import { writeEntry } from '../../../packages/stored/test/entries.ts';
import { gate, httpSink, relayWith, smtpSink } from '../../../test/support/index.ts';
import { act, deleteEntry } from '../src/actions/index.ts';
import { openInbox, openStage, slow, sourcesIn } from './actions_stage.ts';

/** A server that fails until it is repaired. */
async function brokenSink() {
  let status = 503;
  const sink = await httpSink({ answer: () => ({ status }) });
  return {
    ...sink,
    requests: sink.requests,
    repair: () => {
      status = 200;
    },
  };
}

const post = (origin: string, more = '') =>
  `      - {type: http_post, url: "${origin}/", mapping: "*", retries: 0${more}}`;

const formData = (values: Readonly<Record<string, string>>, cv?: string) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  if (cv !== undefined) body.set('cv', new File([cv], 'cv.txt'));
  return body;
};

test('deliver now: sends what one output has queued, and reports the result', async () => {
  const sink = await brokenSink();
  const stage = await openStage({ outputs: post(sink.origin), keys: 'keep: failed' });
  const id = await stage.send('name=Ada');
  await expect.poll(async () => (await stage.entry(id)).kept.length, { timeout: slow }).toBe(1);
  expect(await stage.act(id, { action: 'deliver', output: 1 })).toEqual({
    isDone: false,
    isUntaken: true,
    words: expect.stringMatching(
      /^Http_post to .* did not accept the submission: .*503.*The delivery stays queued\.$/,
    ),
  });
  sink.repair();
  expect(await stage.act(id, { action: 'deliver', output: 1 })).toEqual({
    isDone: true,
    words: expect.stringMatching(/^Delivered: http_post to /),
  });
  expect(sink.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(
    sink.requests.map(() => `${id}-1`),
  );
  expect(await stage.act(id, { action: 'deliver', output: 1 })).toEqual({
    isDone: false,
    words: 'The delivery is no longer queued, or is being delivered right now.',
  });
});

describe('deliver again', () => {
  test('sends values and files to one output under a new key', async () => {
    const [sink, mails] = [await httpSink(), await smtpSink()];
    const smtp = `      - {type: smtp, host: 127.0.0.1, port: ${mails.port}, from: a@example.com, to: b@example.com, mapping: "*", files: attach}`;
    const stage = await openStage({
      outputs: `${post(sink.origin)}\n${smtp.replace(', files: attach', '')}`,
    });
    const id = await stage.send(formData({ name: 'Ada\nLovelace' }, 'my cv'));
    expect(await stage.act(id, { action: 'again', output: 2 })).toEqual({
      isDone: true,
      words: expect.stringContaining('Delivered again: smtp to'),
    });
    expect(mails.mails).toHaveLength(2);
    expect(mails.mails[1]?.raw).toContain(Buffer.from('my cv').toString('base64'));
    expect(await stage.act(id, { action: 'again', output: 1 })).toMatchObject({ isDone: true });
    const [first, second] = sink.requests;
    expect(second?.body).toBe(first?.body);
    expect(first?.headers['idempotency-key']).toBe(`${id}-1`);
    expect(second?.headers['idempotency-key']).toMatch(new RegExp(`^${id}-1-again-[0-9a-z]+$`));
    // Delivering to the archive again adds another document of the same submission.
    expect(await stage.act(id, { action: 'again', output: 0 })).toMatchObject({ isDone: true });
    expect(await stage.paths(id)).toHaveLength(2);
  });

  test('needs the values, which the server cannot read in a sealed submission', async () => {
    const sink = await httpSink();
    const stage = await openStage({ outputs: post(sink.origin) });
    const seal = async (id: string, folder: string) => {
      const [path = ''] = await stage.paths(id);
      await rename(join(folder, path), join(folder, `${path}.age`));
    };
    const words = 'The document is sealed, and the server has no key for it.';
    const sent = await stage.send(formData({ name: 'Ada' }, 'my cv'));
    await seal(sent, stage.root);
    expect(await stage.act(sent, { action: 'again', output: 1 })).toEqual({ isDone: false, words });
    const turnedAway = await stage.send(formData({ name: 'Ada', website: 'x' }));
    await seal(turnedAway, join(stage.root, '.dropped'));
    expect(await stage.act(turnedAway, { action: 'restore' })).toEqual({ isDone: false, words });
    expect(sink.requests).toHaveLength(1);
  });

  test('takes only values of the form from a forged document', async () => {
    const sink = await httpSink();
    const stage = await openStage({ outputs: post(sink.origin) });
    const id = await stage.send('name=Ada');
    const [path = ''] = await stage.paths(id);
    const file = join(stage.root, path);
    const document = JSON.parse(await readFile(file, 'utf8'));
    const forged = {
      ...document,
      id: 'another',
      fields: [
        ...document.fields,
        { name: '_aside', label: '', values: ['1'] },
        { name: 'x', label: '', values: ['y'] },
      ],
      page: { url: 'javascript:alert(1)', title: '\r\nBcc: x' },
    };
    await writeFile(file, JSON.stringify(forged));
    expect(await stage.act(id, { action: 'again', output: 1 })).toMatchObject({ isDone: true });
    expect(sink.requests[1]?.body).toBe(sink.requests[0]?.body);
    const outside = {
      field: 'cv',
      name: 'a',
      type: 't',
      size: 1,
      sha256: '',
      path: '../../../../../../etc/passwd',
    };
    await writeFile(file, JSON.stringify({ ...document, files: [outside] }));
    expect(await stage.act(id, { action: 'again', output: 1 })).toEqual({
      isDone: false,
      words: 'The document cannot be read: a file is not a file of this submission.',
    });
    await writeFile(file, JSON.stringify({ ...document, files: Array(10_000).fill(outside) }));
    expect(await stage.act(id, { action: 'again', output: 1 })).toMatchObject({
      words: 'The document cannot be read: the document lists 10000 files.',
    });
    await writeFile(file, '{"half');
    expect(await stage.act(id, { action: 'again', output: 1 })).toMatchObject({ isDone: false });
    expect(sink.requests).toHaveLength(2);
  });
});

describe('restore', () => {
  const dropped = (cv?: string) => formData({ name: 'Ada', website: 'x' }, cv);

  test('delivers a dropped submission with its files, after which it is no longer dropped', async () => {
    const sink = await httpSink();
    const stage = await openStage({ outputs: post(sink.origin) });
    const id = await stage.send(dropped('my cv'));
    expect((await stage.entry(id)).stored).toMatchObject([{ archive: 1 }]);
    expect(await stage.act(id, { action: 'restore' })).toEqual({
      isDone: true,
      words: expect.stringMatching(/^Restored: delivered: folder to .*; delivered: http_post to /),
    });
    expect(sink.requests).toHaveLength(1);
    expect(sink.requests[0]?.headers['idempotency-key']).toBe(`${id}-1`);
    expect(sink.requests[0]?.body).toContain('name=Ada');
    expect(sink.requests[0]?.body).not.toContain('website');
    expect((await stage.entry(id)).stored).toMatchObject([{ archive: 0 }]);
    const [path = ''] = await stage.paths(id);
    const document = JSON.parse(await readFile(join(stage.root, path), 'utf8'));
    expect(document).not.toHaveProperty('dropped');
    expect(document.files).toMatchObject([{ field: 'cv', name: 'cv.txt', size: 5 }]);
    expect(await readdir(join(stage.root, '.dropped', dirname(path)))).toEqual([]);
    expect(await stage.act(id, { action: 'restore' })).toEqual({
      isDone: false,
      words: 'This submission was not dropped.',
    });
  });

  test('skips email verification, because the owner vouches for the submission', async () => {
    const stage = await openStage({
      fields: '[{name: name}, {name: email, type: email, verify: code}]',
      outputs:
        '      - {type: smtp, host: 127.0.0.1, port: 9, from: a@acme.example, to: a@acme.example, mapping: "*", when: {field: name, is: nobody}}',
    });
    const id = await stage.send('name=Ada&email=ada@acme.example&website=x');
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({ isDone: true });
  });

  test('queues it if an output fails and the form queues deliveries', async () => {
    const sink = await brokenSink();
    const stage = await openStage({ outputs: post(sink.origin), keys: 'keep: failed' });
    const id = await stage.send(dropped());
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({
      isDone: true,
      words: expect.stringContaining('kept: http_post'),
    });
    const { stored, kept } = await stage.entry(id);
    expect(stored).toMatchObject([{ archive: 0 }]);
    expect(kept).toMatchObject([{ id: `${id}-1` }]);
  });

  test('leaves it dropped if an output fails, and retries under the same keys', async () => {
    const [good, bad] = [await httpSink(), await brokenSink()];
    const stage = await openStage({
      outputs: `${post(good.origin)}\n${post(bad.origin, ', on_error: continue')}`,
    });
    const id = await stage.send(dropped());
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({
      isDone: false,
      words: expect.stringMatching(
        /http_post .* did not accept the submission.*The submission was not restored\.$/i,
      ),
    });
    expect((await stage.entry(id)).stored).toHaveLength(2);
    bad.repair();
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({ isDone: true });
    expect(good.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([`${id}-1`, `${id}-1`]);
    expect((await stage.entry(id)).stored).toMatchObject([{ archive: 0 }]);
  });

  test("asks for the visitor's confirmation first if the form does", async () => {
    const [sink, mails] = [await httpSink(), await smtpSink()];
    const optIn = 'double_opt_in: {to: email, subject: Confirm, text: Please click.}';
    const outputs = `${post(sink.origin)}\n      - {type: smtp, host: 127.0.0.1, port: ${mails.port}, from: a@example.com, to: b@example.com, mapping: "*"}`;
    const fields =
      '[{name: name, max_length: 50}, {name: email, type: email, required: true, max_length: 100}]';
    const stage = await openStage({
      outputs,
      keys: optIn,
      fields,
      env: { PUBLIC_URL: 'https://forms.example.com' },
    });
    const id = await stage.send('name=Ada&email=ada@visitor.example&website=x');
    expect(await stage.act(id, { action: 'restore' })).toEqual({
      isDone: false,
      words: 'The visitor gets a confirmation mail first. The submission was not restored.',
    });
    expect(mails.mails.map(({ envelope }) => envelope.to)).toEqual([['ada@visitor.example']]);
    expect(sink.requests).toEqual([]);
  });

  test('delivers once if two requests race, in one inbox or in two', async () => {
    const { open: release, opened: held } = gate();
    const sink = await httpSink({
      answer: async () => {
        await held;
        return {};
      },
    });
    const stage = await openStage({ outputs: post(sink.origin) });
    const other = await openInbox({ config: stage.config, sources: sourcesIn(stage.root) });
    const id = await stage.send(dropped());
    const entry = await other.entry(id);
    const first = stage.act(id, { action: 'restore' });
    await expect.poll(() => sink.requests.length, { timeout: slow }).toBe(1);
    const busy = { isDone: false, words: 'Someone else is restoring it right now.' };
    expect(await stage.act(id, { action: 'restore' }, { stored: entry.stored })).toEqual(busy);
    release();
    expect(await first).toMatchObject({ isDone: true });
    const late = await act(entry, { action: 'restore' }, other.context);
    expect(late).toMatchObject({
      isDone: false,
      words: expect.stringContaining('The document cannot be read'),
    });
    expect(sink.requests).toHaveLength(1);
  });

  test('waits for another process that holds the lock, unless that process was killed', async () => {
    const sink = await httpSink();
    const stage = await openStage({ outputs: post(sink.origin) });
    const id = await stage.send(dropped());
    const [path = ''] = await stage.paths(id);
    const document = join(stage.root, '.dropped', path);
    const lock = join(dirname(document), `.${basename(path, '.json')}.restoring.tmp`);
    await writeFile(lock, 'another process');
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({ isDone: false });
    expect(sink.requests).toEqual([]);
    const before = new Date(Date.now() - 11 * 60_000);
    await utimes(lock, before, before);
    expect(await stage.act(id, { action: 'restore' })).toMatchObject({ isDone: true });
    expect(sink.requests).toHaveLength(1);
    expect(await readdir(dirname(document))).toEqual([]);
  });
});

test('mark: writes the same lines as relay rules mark; for a dropped submission, next to its archive', async () => {
  const stage = await openStage({ outputs: '' });
  onTestFinished(() => rm(`${stage.root}.verdicts.jsonl`, { force: true }));
  const id = await stage.send('name=Ada');
  const bad = await stage.send('name=Ada&website=x');
  expect(await stage.act(id, { action: 'mark', mark: 'ham' })).toEqual({
    isDone: true,
    words: 'Marked as not spam.',
  });
  expect(await stage.act(bad, { action: 'mark', mark: 'spam' })).toMatchObject({ isDone: true });
  const lines = (await readFile(`${stage.root}.verdicts.jsonl`, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { id, verdict: 'ham' },
    { id: bad, verdict: 'spam' },
  ]);
});

describe('delete', () => {
  test('removes documents, files and queued deliveries, and leaves other submissions alone', async () => {
    const sink = await brokenSink();
    const stage = await openStage({ outputs: post(sink.origin), keys: 'keep: failed' });
    const id = await stage.send(formData({ name: 'Ada' }, 'my cv'));
    const other = await stage.send(formData({ name: 'Grace' }, 'another cv'));
    const dropped = await stage.send(formData({ name: 'Ada', website: 'x' }, 'cv'));
    await expect.poll(async () => (await stage.entry(other)).kept.length, { timeout: slow }).toBe(1);
    expect(await stage.remove(id)).toEqual({ isDone: true, words: 'Deleted.' });
    expect(await stage.remove(dropped)).toEqual({ isDone: true, words: 'Deleted.' });
    for (const one of [id, dropped]) expect(await stage.entry(one)).toMatchObject({ stored: [], kept: [] });
    const names = await readdir(stage.root, { recursive: true });
    expect(names.filter((name) => name.includes(id) || name.includes(dropped))).toEqual([]);
    expect(await stage.entry(other)).toMatchObject({
      stored: [{ archive: 0 }],
      kept: [{ id: `${other}-1` }],
    });
    expect(names.filter((name) => name.includes(other))).toHaveLength(3);
    // Removes it again, as from a stale index.
    expect(await stage.remove(id)).toMatchObject({ isDone: true });
  });

  test('removes no file that a forged document, a stale path or a link points to', async () => {
    const stage = await openStage({ outputs: '' });
    const id = '7d0f6d0e-3c1a-4a53-9c0e-000000000001';
    const victim = await stage.send(formData({ name: 'Grace' }, 'cv'));
    await writeEntry(stage.root, { id, at: '2026-11-21T10:00:00.000Z', values: { name: ['x'] } });
    const [path = ''] = await stage.paths(id);
    const [kept = ''] = await stage.paths(victim);
    const document = JSON.parse(await readFile(join(stage.root, path), 'utf8'));
    const pointing = { field: 'cv', name: 'a', type: 't', size: 1, sha256: '', path: `../../../../${kept}` };
    await writeFile(join(stage.root, path), JSON.stringify({ ...document, id: victim, files: [pointing] }));
    // The submission's own folder, with a foreign file in it, and a link.
    const own = join(stage.root, path.replace('.json', ''));
    await mkdir(own);
    await writeFile(join(own, 'notes.txt'), 'mine');
    await symlink(join(stage.root, kept), join(own, '1-link.txt'));
    expect(await stage.remove(id)).toMatchObject({ isDone: true });
    expect((await readdir(own)).toSorted()).toEqual(['1-link.txt', 'notes.txt']);
    const stale = await stage.entry(id, {
      stored: [
        { archive: 0, path: kept },
        { archive: 0, path: '../../etc/passwd' },
        { archive: 7, path },
      ],
    });
    expect(await deleteEntry(stale, stage.context)).toMatchObject({ isDone: true });
    expect(await stage.paths(victim)).toEqual([kept]);
    // A planted twin, which shares the folder of files.
    await writeFile(join(stage.root, `${kept}.age`), '');
    const twin = await stage.entry(victim, { stored: [{ archive: 0, path: `${kept}.age` }] });
    expect(await deleteEntry(twin, stage.context)).toMatchObject({ isDone: true });
    expect(await readdir(join(stage.root, kept.replace('.json', '')))).toHaveLength(1);
    // A link replaces the day's folder and leads out of the archive.
    const day = dirname(dirname(kept));
    await rename(join(stage.root, day), join(stage.root, 'contact', 'moved'));
    await symlink(join(stage.root, 'contact', 'moved'), join(stage.root, day));
    const linked = await stage.entry(victim, { stored: [{ archive: 0, path: kept }] });
    expect(await deleteEntry(linked, stage.context)).toMatchObject({
      isDone: false,
      words: expect.stringContaining('is a link or a file; nothing was removed'),
    });
    expect(await readdir(join(stage.root, 'contact', 'moved', basename(dirname(kept))))).toHaveLength(2);
  });
});

test('a bucket: dropped, restored, and deleted with its files', async () => {
  const s3 = await startS3();
  const env = { ...account, AWS_ENDPOINT_URL_S3: s3.origin };
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
  const sink = await httpSink();
  const config = `
forms:
  contact:
    fields: [{name: name}, {name: cv, type: file}]
    spam: {honeypot: website, keep_dropped: 30d}
    outputs:
      - {type: s3, bucket: configs, prefix: forms}
${post(sink.origin)}
`;
  const relay = await relayWith({ config, env });
  const source = (url: string, isDropped: boolean) => ({ place: url, name: url, isDropped }) as const;
  const sources = [source('s3://configs/forms', false), source('s3://configs/forms/.dropped', true)];
  const inbox = await openInbox({ config, sources, env });
  const send = async (values: Readonly<Record<string, string>>) => {
    const body = formData(values, 'my cv');
    const { headers } = await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body });
    const id = headers.get('x-request-id') ?? '';
    await expect.poll(() => inbox.paths(id), { timeout: slow }).toHaveLength(1);
    return id;
  };
  const id = await send({ name: 'Ada', website: 'x' });
  const other = await send({ name: 'Grace' });
  expect(await inbox.act(id, { action: 'restore' })).toMatchObject({ isDone: true });
  expect((await inbox.entry(id)).stored).toMatchObject([{ archive: 0 }]);
  expect(sink.requests).toHaveLength(2);
  expect(await inbox.act(id, { action: 'again', output: 1 })).toMatchObject({ isDone: true });
  expect(await inbox.act(id, { action: 'mark', mark: 'ham' })).toMatchObject({ isDone: false });
  expect(await inbox.remove(id)).toEqual({ isDone: true, words: 'Deleted.' });
  const listed = await (await fetch(`${s3.origin}/configs?list-type=2`)).text();
  expect(listed).not.toContain(id);
  expect(listed.match(new RegExp(`<Key>[^<]*${other}[^<]*</Key>`, 'g'))).toHaveLength(2);
});
