/** Config sources that are broken, truncated or slow: every answer still comes from one valid config. */
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from '../../lab/chaos/chance.ts';
import { readTextFile } from '../../packages/base/src/text_file.ts';
import { type HttpSink, httpSink, listen, relayWith, type TestRelay, tempFolder } from '../support/index.ts';

type Mark = 'oak' | 'elm';

/** Two versions of a config that share only the form's name and the honeypot. */
const version = (mark: Mark, sink: HttpSink) => `
forms:
  ${mark}-only: {fields: [{name: ${mark}}], outputs: [{type: http_post, url: "${sink.origin}/${mark}/only"}]}
  contact:
    title: The ${mark} form
    confirmation: Thanks from ${mark}
    spam: {honeypot: website}
    fields:
      - {name: ${mark}_name, label: The ${mark} name, required: true}
      - {name: ${mark}_topic, type: select, options: [${mark} one, ${mark} two]}
      - name: ${mark}_text
        type: textarea
        help: What ${mark} wants to know
    outputs:
      - type: http_post
        url: ${sink.origin}/${mark}/first
        headers: {X-Version: ${mark}}
        mapping: {${mark}_key: ${mark}_name}
        static: {form: "${mark} {{ .form.id }}"}
      - type: crm_web2lead
        url: ${sink.origin}/${mark}/second
        headers: {X-Version: ${mark}}
        mapping: {${mark}_key: ${mark}_name}
        static: {form: "${mark} {{ .form.id }}"}
`;

/** Reproducible randomness: which version is next, and numbers from 0 to 1. */
function step(seed: number, count: number) {
  const at = (question: number) => chance(seed, count, question);
  const mark: Mark = at(0) < 0.5 ? 'oak' : 'elm';
  return { mark, at };
}

/** The number of POSTs so far, and the versions that accepted them. */
interface Visits {
  posts: number;
  taken: Set<string>;
}

/** Eight visitors submit and load the form until `isOver`. */
async function visit(relay: TestRelay, visits: Visits, isOver: () => boolean): Promise<void> {
  const visitor = async () => {
    while (!isOver()) {
      const shown = await relay.get('/api/v1/form/contact');
      expect(shown.status).toBe(200);
      expect(['oak', 'elm']).toContain(marksIn(shown.text));
      const refused = await relay.submit('contact', [], { 'hx-request': 'true' });
      expect(refused.status).toBe(422);
      expect(['oak', 'elm']).toContain(marksIn(refused.text));
      const both = [
        ['oak_name', 'Ada'],
        ['elm_name', 'Ada'],
      ] as [string, string][];
      const taken = await relay.submit('contact', both, { 'hx-request': 'true' });
      expect(taken.status).toBe(200);
      visits.posts += 1;
      visits.taken.add(marksIn(taken.text));
    }
  };
  await Promise.all(Array.from({ length: 8 }, visitor));
}

/** `oak`, `elm`, or both, which must not happen. */
const marksIn = (text: string) => [...new Set(text.match(/oak|elm/g))].sort().join(' and ');

/** Both outputs of each submission must come from one version, byte for byte. */
function expectWhole(sink: HttpSink, posts: number): void {
  const bySubmission = new Map<string, string[]>();
  for (const { url, headers, body } of sink.requests) {
    const key = String(headers['idempotency-key']).slice(0, 36);
    const seen = [url, headers['x-version'], body].join(' ');
    bySubmission.set(key, [...(bySubmission.get(key) ?? []), seen].sort());
  }
  const whole = (mark: Mark) => {
    const body = [`form=${mark}+contact`, `${mark}_key=Ada`].sort().join('&');
    return ['first', 'second'].map((name) => `/${mark}/${name} ${mark} ${body}`).join('\n');
  };
  const kinds = new Set([...bySubmission.values()].map((seen) => seen.join('\n')));
  expect([...kinds].sort()).toEqual([whole('elm'), whole('oak')]);
  expect(bySubmission.size).toBe(posts);
}

test('a config file that is truncated, emptied, broken, removed and replaced', async () => {
  const file = join(tempFolder(), 'webform.yaml');
  const sink = await httpSink();
  await writeFile(file, version('oak', sink));
  let reads = 0;
  const slowly = async (path: string) => {
    reads += 1;
    await sleep((reads * 7) % 10);
    return readTextFile(path);
  };
  const relay = await relayWith({
    env: { CONFIG_FILE: file, CACHE_TTL: '1ms' },
    effects: { readFile: slowly, sleep },
  });
  expect(await relay.get('/api/v1/form/contact')).toMatchObject({ status: 200 });

  let isOver = false;
  const visits: Visits = { posts: 0, taken: new Set() };
  const visitors = visit(relay, visits, () => isOver);
  const troubles = [
    (text: string, at: number) => writeInPlace(file, text, at, 'w'),
    () => writeFile(file, 'forms: ['),
    (text: string, at: number) => writeInPlace(file, text, at, 'r+'),
    () => writeFile(file, ''),
    (text: string, at: number) => writeInPlace(file, text, at, 'w'),
    () => rm(file),
    (text: string, at: number) => writeInPlace(file, text, at, 'w'),
    () => writeFile(file, Buffer.from([0xff, 0xfe, 0, 1])),
  ];
  for (let count = 0; count < 2 * troubles.length; count += 1) {
    const { mark, at } = step(1, count);
    const text = version(mark, sink);
    await troubles[count % troubles.length]?.(text, at(1));
    await sleep(30 * at(2));
    // Writes a new file, then renames it, as owners should.
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
    await expect.poll(async () => marksIn((await relay.get('/api/v1/form/contact')).text)).toBe(mark);
    await expect.poll(() => visits.taken.has(mark)).toBe(true);
    await sleep(120 * at(3));
  }
  isOver = true;
  await visitors;
  expectWhole(sink, visits.posts);
});

/** As an editor or a network copy does: some lines, a pause, the rest. `r+` overwrites existing content. */
async function writeInPlace(file: string, text: string, at: number, flags: 'w' | 'r+'): Promise<void> {
  const handle = await open(file, flags);
  const half = text.indexOf('\n', text.length * at) + 1;
  await handle.write(text.slice(0, half), 0);
  await sleep(15);
  await handle.write(text.slice(half), half);
  await handle.truncate(text.length);
  await handle.close();
}

test('a bucket that is slow, disconnects, fails, and says "not modified" although it is', async () => {
  const sink = await httpSink();
  let mark: Mark = 'oak';
  let reads = 0;
  const s3 = createServer(async (request, response) => {
    reads += 1;
    const { at, mark: next } = step(2, reads);
    if (reads > 1 && at(1) < 0.2) mark = next;
    await sleep(20 * at(2));
    const text = version(mark, sink);
    const half = text.slice(0, text.indexOf('\n', text.length * at(3)) + 1);
    const troubles: ((response: ServerResponse) => unknown)[] = [
      (it) => it.writeHead(304).end(),
      (it) => {
        it.writeHead(200, { 'content-length': text.length }).write(half);
        setTimeout(() => it.destroy(), 5);
      },
      // Without a length, only the missing last chunk shows that the body is incomplete.
      (it) => {
        it.writeHead(200, { etag: '"torn"' }).write(half);
        setTimeout(() => it.destroy(), 5);
      },
      (it) => it.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>'),
      (it) => it.writeHead(200, { etag: '"empty"' }).end(),
      (it) => it.writeHead(200, { etag: '"html"' }).end('<html>Sign in to the Wi-Fi</html>'),
      (it) => it.destroy(),
    ];
    const isTroubled = reads > 1 && at(4) < 0.5;
    const trouble = isTroubled ? troubles[reads % troubles.length] : undefined;
    if (trouble) return trouble(response);
    const etag = `"${mark}"`;
    const isKnown = request.headers['if-none-match'] === etag;
    return isKnown ? response.writeHead(304).end() : response.writeHead(200, { etag }).end(text);
  });
  const relay = await relayWith({
    env: {
      CONFIG_BUCKET: 'configs',
      CACHE_TTL: '1ms',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await listen(s3)}`,
    },
  });
  onTestFinished(() => void s3.close().closeAllConnections());
  expect(await relay.get('/api/v1/form/contact')).toMatchObject({ status: 200 });

  const visits: Visits = { posts: 0, taken: new Set() };
  await visit(relay, visits, () => reads > 120 && visits.taken.size === 2);
  expectWhole(sink, visits.posts);
});
