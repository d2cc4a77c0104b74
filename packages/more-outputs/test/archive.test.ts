import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { failed } from '../../../test/support/failed.ts';
import { contact, expectLogged, type HttpSinkOptions, httpSink } from '../../../test/support/index.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import type { Services } from '../../core/src/services.ts';
import type { Environment } from '../../core/src/settings.ts';
import { type ArchiveDocument, readDocumentPath } from '../src/archive_layout.ts';

const pdf = Buffer.from(`%PDF-1.4\n${'x'.repeat(200_000)}\n%%EOF\n`);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const schema = new URL('../../../docs/archive.schema.json', import.meta.url);
const isDocument = new Ajv2020().compile(JSON.parse(readFileSync(schema, 'utf8')));

const fields = `[{name: email, type: email, label: Your mail}, {name: topics, type: checkboxes, options: [roof, wall]},
  {name: cv, type: file, accept: [pdf]}, {name: photos, type: file, accept: [image], multiple: true}]`;

async function start(output: string, env: Environment = {}, effects: Partial<Services> = {}) {
  const relay = await contact({ fields, outputs: `[${output}]`, env, effects });
  const send = (parts: Record<string, string | readonly string[] | File | readonly File[]>) => {
    const body = new FormData();
    for (const [name, values] of Object.entries(parts)) {
      for (const value of [values].flat()) body.append(name, value as string);
    }
    return relay.request('/api/v1/submit/contact', { method: 'POST', body });
  };
  return { relay, send };
}

const cv = new File([pdf], 'my cv.pdf', { type: 'application/pdf' });
const photos = ['a.png', 'b.png'].map((name) => new File([png], name, { type: 'image/png' }));

/** Paths of all files, in order. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .sort();

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a folder', () => {
  test('gets a document with its files next to it, readable only for this user', async () => {
    const folder = tempFolder();
    const { send } = await start(`{type: folder, path: "${folder}"}`);
    const before = Date.now();
    const answer = await send({ email: 'a@example.com', topics: ['roof', 'wall'], cv, photos });
    expect(answer.status).toBe(200);
    const paths = filesIn(folder);
    const path = paths.find((one) => one.endsWith('.json')) ?? '';
    const place = readDocumentPath(path);
    expect(place?.form).toBe('contact');
    expect(place?.receivedAt).toBeGreaterThanOrEqual(before);
    const stem = path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
    const day = path.slice(0, path.lastIndexOf('/'));
    const names = ['1-my cv.pdf', '2-a.png', '3-b.png'];
    expect(paths).toEqual([path, ...names.map((name) => `${day}/${stem}/${name}`)]);
    const document: ArchiveDocument = JSON.parse(readFileSync(join(folder, path), 'utf8'));
    expect(isDocument(document)).toBe(true);
    expect(document).toEqual({
      version: 1,
      id: answer.headers.get('x-request-id'),
      form: 'contact',
      received_at: new Date(place?.receivedAt ?? 0).toISOString(),
      fields: [
        { name: 'email', label: 'Your mail', values: ['a@example.com'] },
        { name: 'topics', label: 'Topics', values: ['roof', 'wall'] },
      ],
      files: [
        {
          field: 'cv',
          name: 'my cv.pdf',
          type: 'application/pdf',
          size: pdf.length,
          sha256: sha256(pdf),
          path: `${stem}/1-my cv.pdf`,
        },
        ...['a.png', 'b.png'].map((name, index) => ({
          field: 'photos',
          name,
          type: 'image/png',
          size: png.length,
          sha256: sha256(png),
          path: `${stem}/${index + 2}-${name}`,
        })),
      ],
    });
    for (const { path, sha256: expected } of document.files)
      expect(sha256(readFileSync(join(folder, day, path)))).toBe(expected);
    for (const one of paths) expect(statSync(join(folder, one)).mode & 0o777).toBe(0o600);
    for (const one of ['contact', day, `${day}/${stem}`])
      expect(statSync(join(folder, one)).mode & 0o777).toBe(0o700);
  });

  test('gets the fields in mapping, under its keys, and static values', async () => {
    const folder = tempFolder();
    const { send } = await start(
      `{type: folder, path: "${folder}", mapping: {mail: email, resume: cv}, static: {site: "{{ .form.id }}", none: ""}}`,
    );
    await send({ email: 'a@example.com', topics: 'roof', cv, photos });
    const path = filesIn(folder).find((one) => one.endsWith('.json')) ?? '';
    const { fields, files }: ArchiveDocument = JSON.parse(readFileSync(join(folder, path), 'utf8'));
    expect(fields).toEqual([
      { name: 'mail', label: 'Your mail', values: ['a@example.com'] },
      { name: 'site', label: 'site', values: ['contact'] },
    ]);
    expect(files.map(({ field, name }) => [field, name])).toEqual([['resume', 'my cv.pdf']]);
  });

  test.each(['', ', mapping: "*"'])(
    'gets all fields in the form’s order, with static values in place or after them (%j)',
    async (mapping) => {
      const folder = tempFolder();
      const fixed = 'static: {topics: "all of {{ .form.id }}", email: "", a: first, z: last}';
      const { send } = await start(`{type: folder, path: "${folder}"${mapping}, ${fixed}}`);
      expect((await send({ email: 'a@example.com', topics: 'roof' })).status).toBe(200);
      const path = filesIn(folder)[0] ?? '';
      const { fields }: ArchiveDocument = JSON.parse(readFileSync(join(folder, path), 'utf8'));
      expect(fields).toEqual([
        { name: 'email', label: 'Your mail', values: ['a@example.com'] },
        { name: 'topics', label: 'topics', values: ['all of contact'] },
        { name: 'a', label: 'a', values: ['first'] },
        { name: 'z', label: 'z', values: ['last'] },
      ]);
    },
  );

  test('on another device than the temporary files accepts submissions', async () => {
    const elsewhere = mkdtempSync('/dev/shm/relay-archive-');
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    const link = join(tempFolder(), 'link');
    symlinkSync(elsewhere, link);
    const { send } = await start(`{type: folder, path: "${link}"}`);
    expect((await send({ email: 'a@example.com', cv })).status).toBe(200);
    expect(filesIn(elsewhere)).toHaveLength(2);
  });

  const reasonOf = async (path: string, prepare: (folder: string) => void = () => {}) => {
    const folder = tempFolder();
    prepare(folder);
    const { relay, send } = await start(`{type: folder, path: "${join(folder, path)}", retries: 0}`);
    expect((await send({ email: 'a@example.com', cv })).status).toBe(500);
    expect(filesIn(folder).filter((one) => /\.json$|\.tmp$/.test(one))).toEqual([]);
    const failure = relay.logged.find(({ event }) => event === 'delivery_failed');
    return String(failure?.reason).replaceAll(folder, '…');
  };

  test('is not left through a link that somebody put into it', async () => {
    const outside = tempFolder();
    const reason = await reasonOf('.', (folder) => symlinkSync(outside, join(folder, 'contact')));
    expect(reason).toBe(
      '… contains a link or a file where the relay needs a folder; remove it, or choose another folder',
    );
    expect(readdirSync(outside)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('that is not writable is reported', async () => {
    // Not writable even for root.
    expect(await reasonOf('../../sys')).toBe('this user cannot write to /sys');
  });

  test('that is full fails the submission, which then has no document', async () => {
    const stored: string[] = [];
    const storeFile: Services['storeFile'] = async ({ folder, object }) => {
      stored.push(object.path);
      if (stored.length === 2) throw failed('folder_full', { path: folder });
    };
    const { relay, send } = await start('{type: folder, path: /full}', {}, { storeFile });
    expect((await send({ email: 'a@example.com', photos })).status).toBe(500);
    expect(stored).toHaveLength(2);
    expect(stored.join()).not.toContain('.json');
    expectLogged(relay, { reason: 'the disk of /full is full' });
  });
});

describe('a bucket', () => {
  async function startBucket(more = '', env: Environment = {}) {
    const s3 = await startS3();
    const started = await start(`{type: s3, bucket: configs, prefix: forms, retries: 0${more}}`, {
      ...account,
      AWS_ENDPOINT_URL_S3: s3.origin,
      ...env,
    });
    return { ...started, s3 };
  }

  test('gets a document with its files next to it', async () => {
    const { s3, send } = await startBucket();
    expect((await send({ email: 'a@example.com', cv })).status).toBe(200);
    const listed = await (await fetch(`${s3.origin}/configs?list-type=2`)).text();
    const keys = [...listed.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key).sort();
    expect(keys).toHaveLength(2);
    const [path = '', file = ''] = keys;
    const get = async (key: string) =>
      fetch(`${s3.origin}/configs/${key.split('/').map(encodeURIComponent).join('/')}`);
    const answer = await get(path);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const document = (await answer.json()) as ArchiveDocument;
    expect(isDocument(document)).toBe(true);
    expect(`${path.slice(0, path.lastIndexOf('/'))}/${document.files[0]?.path}`).toBe(file);
    expect(Buffer.from(await (await get(file)).arrayBuffer()).equals(pdf)).toBe(true);
  });

  test.each([
    ['', 'contact/'],
    [', prefix: ""', 'contact/'],
    [', prefix: /', 'contact/'],
    [', prefix: forms', 'forms/contact/'],
    [', prefix: /forms/eu/', 'forms/eu/contact/'],
  ])('is written to below its prefix, however the prefix is written (%j)', async (prefix, begins) => {
    const { send, sink } = await startSink(() => ({}), prefix);
    expect((await send({ email: 'a@example.com' })).status).toBe(200);
    expect(sink.requests.map(({ url }) => url?.slice(0, `/archive/${begins}`.length))).toEqual([
      `/archive/${begins}`,
    ]);
  });

  async function startSink(answer: HttpSinkOptions['answer'], more = '') {
    const sink = await httpSink({ answer });
    const started = await start(`{type: s3, bucket: archive${more}}`, {
      ...account,
      AWS_ENDPOINT_URL_S3: sink.origin,
    });
    return { ...started, sink };
  }
  const error = (status: number, code: string) => ({
    status,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a@example.com</Message></Error>`,
  });

  test('gets requests that only create, and whose signature covers the file’s own hash', async () => {
    const { send, sink } = await startSink(() => ({}));
    expect((await send({ email: 'a@example.com', cv })).status).toBe(200);
    expect(sink.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
    for (const { headers, bytes } of sink.requests) {
      expect(headers).toMatchObject({
        'if-none-match': '*',
        'x-amz-content-sha256': sha256(bytes),
        'content-length': String(bytes.length),
      });
    }
    expect(sink.requests.map(({ headers }) => headers['content-type'])).toEqual([
      'application/pdf',
      'application/json',
    ]);
  });

  test.each([412, 304])(
    'that has the object from an attempt with a lost response responds with %i',
    async (status) => {
      const seen = new Set<string>();
      const { relay, send, sink } = await startSink(({ url }) => {
        if (seen.has(url)) return error(status, 'PreconditionFailed');
        seen.add(url);
        return url.endsWith('.json') ? error(500, 'InternalError') : {};
      });
      expect((await send({ email: 'a@example.com', cv })).status).toBe(200);
      expect(seen.size).toBe(2);
      expect(sink.requests).toHaveLength(4);
      expect(relay.logged.filter(({ event }) => event === 'retrying')).toHaveLength(1);
    },
  );

  test.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [409, 'ConditionalRequestConflict'],
    [409, 'OperationAborted'],
    [400, 'RequestTimeout'],
  ])('that responds with %i %s gets one more request', async (status, code) => {
    let count = 0;
    const { send } = await startSink(() => {
      count += 1;
      return count === 1 ? error(status, code) : {};
    });
    expect((await send({ email: 'a@example.com' })).status).toBe(200);
    expect(count).toBe(2);
  });

  test.each([
    [404, 'NoSuchBucket', 'there is no bucket "archive" (NoSuchBucket)'],
    [403, 'AccessDenied', /^access denied \(AccessDenied\): the role needs s3:PutObject; /],
    [403, 'RequestTimeTooSkewed', /clock is wrong by more than 15 minutes/],
    [403, 'SignatureDoesNotMatch', /check AWS_SECRET_ACCESS_KEY$/],
    [400, 'ExpiredToken', 'the credentials have expired (ExpiredToken)'],
    [507, 'XMinioStorageFull', 'S3 answered 507 (XMinioStorageFull)'],
  ])('that responds with %i %s has no object, and the reason is given', async (status, code, reason) => {
    const { relay, send } = await startSink(() => error(status, code));
    expect((await send({ email: 'a@example.com' })).status).toBe(500);
    const failure = relay.logged.find(({ event }) => event === 'delivery_failed');
    expect(failure?.reason).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
    expect(JSON.stringify(relay.logged)).not.toContain('a@example.com');
  });

  test('that fails at a file gets no document', async () => {
    const { send, sink } = await startSink(
      ({ url }) => (url.endsWith('b.png') ? error(403, 'AccessDenied') : {}),
      ', retries: 0',
    );
    expect((await send({ email: 'a@example.com', photos })).status).toBe(500);
    expect(sink.requests.map(({ url }) => url.replace(/.*\//, ''))).toEqual(['1-a.png', '2-b.png']);
  });
});
