/** Attacks on kept submissions: by visitors, by who has the disk, and by a config that is not the one it was kept with. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpSink, startHttpSink } from '../support/http_sink.ts';
import { startRelay, type TestRelay } from '../support/relay.ts';

let root: string;
let folder: string;
const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'relay-attack-'));
  folder = join(root, 'kept');
  mkdirSync(folder);
  cleanups.push(() => rmSync(root, { recursive: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startSink(status: () => number): Promise<HttpSink> {
  // An answer gives back what was sent.
  const sink = await startHttpSink({
    answer: ({ body }) => ({ status: status(), headers: { 'content-type': 'application/json' }, body }),
  });
  cleanups.push(sink.close);
  return sink;
}

async function start(forms: string, env: Record<string, string> = {}): Promise<TestRelay> {
  const relay = await startRelay({ config: `keep: {in: "${folder}"}\nforms:\n${forms}`, env });
  cleanups.push(relay.close);
  return relay;
}

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(path, name)).isFile(),
  );
const entriesIn = (path: string) =>
  filesIn(path).filter((name) => /^(due|leased\/\w+|aside|sealed)\/.*\d-\d/.test(name));
/** The clock is pushed on until something is so. */
async function until(relay: TestRelay, isSo: () => boolean): Promise<void> {
  await expect
    .poll(
      () => {
        relay.advance(600_000);
        return isSo();
      },
      { timeout: 45_000, interval: 300 },
    )
    .toBe(true);
}

const secret = 'a secret that nobody else has, 1234567890';
const marker = 'Zaphod-Beeblebrox-42';

describe('a visitor', () => {
  test('gets nothing into names of files, heads, logs and reasons, and with KEEP_SECRET nothing into the folder', async () => {
    const sink = await startSink(() => 422);
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
      const answer = await relay.submit('contact', [
        ['email', email],
        ['host', marker],
      ]);
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

  test('is in no head where the content lies in clear', async () => {
    const sink = await startSink(() => 500);
    const relay = await start(
      `  contact: {keep: failed, fields: [{name: email}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]}\n`,
    );
    await relay.submit('contact', [['email', marker]]);
    const [file = ''] = entriesIn(folder);
    const heads =
      readFileSync(join(folder, file), 'latin1').match(/\{"id":.*?"words":"[^"]*"\}[^{]*?\}/g) ?? [];
    expect(heads).toHaveLength(1);
    expect(heads[0]).not.toContain(marker);
  });
});

describe('names of forms', () => {
  test('lead nowhere else', async () => {
    const sink = await startSink(() => 503);
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
});

describe('attackers who can write into the folder', () => {
  test('damages no other delivery, and nothing that is damaged is sent', async () => {
    let status = 503;
    const sink = await startSink(() => status);
    const relay = await start(
      `  contact: {keep: failed, fields: [{name: a}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]}\n`,
    );
    for (const value of ['first', 'second']) await relay.submit('contact', [['a', value]]);
    const [first = '', ...others] = entriesIn(folder);
    expect(others).toHaveLength(1);
    const path = join(folder, first);
    const bytes = readFileSync(path);
    const isFirst = bytes.includes('first');
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    writeFileSync(join(folder, 'notes.txt'), 'hello');
    writeFileSync(join(folder, 'due', 'x'), 'hello');
    status = 200;
    const before = sink.requests.length;
    await until(
      relay,
      () =>
        relay.logged.some((line) => line.event === 'kept_delivery' && line.outcome === 'delivered') &&
        relay.logged.some((line) => line.event === 'kept_delivery' && line.aside === 'unreadable'),
    );
    expect(sink.requests.slice(before).map(({ body }) => body)).toEqual([isFirst ? 'a=second' : 'a=first']);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('hello');
  });
});

describe('a config that is not the one it was kept with', () => {
  const form = (origin: string, name = 'contact') =>
    `  ${name}: {keep: failed, fields: [{name: a}], outputs: [{type: http_post, url: "${origin}", mapping: "*", retries: 0}]}\n`;

  test('another relay that shares the folder gets nobody else’s form, and entries that it knows are delivered', async () => {
    let status = 503;
    const [sink, other] = [await startSink(() => status), await startSink(() => 200)];
    const one = await start(form(sink.origin));
    const two = await start(form(other.origin, 'jobs'));
    await two.get('/readyz');
    await one.submit('contact', [['a', 'b']]);
    status = 200;
    await until(two, () =>
      two.logged.some(({ event }) => event === 'kept_put_off' || event === 'kept_delivery'),
    );
    const before = sink.requests.length;
    await until(one, () => sink.requests.length > before);
    expect(other.requests).toHaveLength(0);
    expect(new Set(sink.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('with another KEEP_SECRET delivers nothing, moves entries to the dead letters and reports it', async () => {
    let status = 503;
    const sink = await startSink(() => status);
    const one = await start(form(sink.origin), { KEEP_SECRET: secret });
    await one.submit('contact', [['a', 'b']]);
    await one.close();
    cleanups.pop();
    status = 200;
    const before = sink.requests.length;
    const two = await start(form(sink.origin), { KEEP_SECRET: `${secret}!` });
    await two.get('/readyz');
    await until(two, () => two.logged.some((line) => line.aside === 'unreadable' && line.level === 'error'));
    expect(sink.requests).toHaveLength(before);
    expect(filesIn(join(folder, 'aside'))).toHaveLength(1);
  });
});
