/**
 * Attacks on queued submissions: by visitors, by people with access to the disk, and by a config other than
 * the one that queued them.
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { httpSink, relayWith, tempFolder } from '../support/index.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = tempFolder();
  folder = join(root, 'kept');
  mkdirSync(folder);
});

/** The answer quotes what was sent. */
const startSink = (status: number) =>
  httpSink({ answer: ({ body }) => ({ status, headers: { 'content-type': 'application/json' }, body }) });

const start = (forms: string, env: Record<string, string> = {}) =>
  relayWith({ config: `keep: {in: "${folder}"}\nforms:\n${forms}`, env });

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(path, name)).isFile(),
  );
const entriesIn = (path: string) =>
  filesIn(path).filter((name) => /^(due|leased\/\w+|aside)\/.*\d-\d/.test(name));

const secret = 'a secret that nobody else has, 1234567890';
const marker = 'Zaphod-Beeblebrox-42';

describe('a visitor', () => {
  test('cannot affect file names, heads, logs and reasons, and with KEEP_SECRET nothing in the folder is readable', async () => {
    const sink = await startSink(422);
    const output = (more: string) => `{type: http_post, retries: 0, mapping: "*", ${more}}`;
    const relay = await start(
      `  contact:
    keep: failed
    fields: [{name: email}, {name: host}]
    outputs:
      - ${output(`url: "${sink.origin}"`)}
      - ${output(`url: "${sink.origin}", headers: {X-A: "{{ .fields.email }}"}`)}
      - {type: smtp, host: 127.0.0.1, port: 9, to: "a@b.example, x{{ .fields.email }}", from: a@b.example, subject: "{{ .fields.email }}", mapping: "*", retries: 0}
`,
      { KEEP_SECRET: secret },
    );
    const hostile = [
      `${marker}@example.com`,
      `${marker}\r\nX: 1`,
      `../../${marker}`,
      `"${marker}" <`,
      `{{ .${marker} }}`,
    ];
    for (const email of hostile) {
      const answer = await relay.submit('contact', Object.entries({ email, host: marker }));
      expect(answer.status).toBe(200);
    }
    expect(entriesIn(folder).length).toBeGreaterThan(0);
    for (const name of filesIn(folder)) {
      expect(name).not.toContain(marker);
      expect(readFileSync(join(folder, name)).includes(marker)).toBe(false);
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
    expect(JSON.stringify(relay.logged)).not.toContain(marker);
  });

  test('is in no head if the content is stored in clear text', async () => {
    const sink = await startSink(500);
    const relay = await start(
      `  contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]}\n`,
    );
    await relay.submit('contact', [['email', marker]]);
    const [file = ''] = entriesIn(folder);
    const heads = readFileSync(join(folder, file), 'latin1').match(/\{"format":.*\}$/gm) ?? [];
    expect(heads).toHaveLength(1);
    expect(heads[0]).not.toContain(marker);
  });
});

test('names of forms: cannot lead elsewhere', async () => {
  const sink = await startSink(503);
  const names = ['../../escaped', '/etc/passwd', 'a/../../b', '..\\x', '%2e%2e%2fx', 'a'.repeat(200)];
  const relay = await start(
    names
      .map(
        (name) =>
          `  ${JSON.stringify(name)}: {keep: failed, fields: [{name: a}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]}\n`,
      )
      .join(''),
  );
  for (const name of names) expect((await relay.submit(name, [['a', 'b']])).status).toBe(200);
  expect(readdirSync(root)).toEqual(['kept']);
  expect(entriesIn(folder)).toHaveLength(names.length);
});
