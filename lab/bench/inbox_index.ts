/**
 * The inbox's index: `npx tsx lab/bench/inbox_index.ts [submissions] [folder|journal|bucket]`, after a build. It starts
 * `relay inbox` on an archive of that many submissions (1,000,000 unless told) in /dev/shm, without a journal or with one, or in a
 * bucket; then again; then it searches and scrolls as the page does. Memory is that of the whole process.
 */
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { begin, documentAt, lineAt, randomFrom, vocabulary, wordOf } from './inbox_documents.ts';
import { type Child, cpuSeconds, peakRssMb, rssMb, spawnNode } from './process.ts';

const most = Number(process.argv[2] ?? 1_000_000);
const source = process.argv[3] ?? 'folder';
const root = mkdtempSync('/dev/shm/relay-inbox-');
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
const archive = join(root, 'archive');
const journal = join(root, 'journal');

function write(nth: number, at?: number): void {
  const { folder, name, text } = documentAt(nth, at);
  const into = join(archive, folder);
  if (!existsSync(into)) mkdirSync(into, { recursive: true });
  writeFileSync(join(into, '.new.tmp'), text);
  renameSync(join(into, '.new.tmp'), join(into, name));
}

const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(2)} s`;

const written = performance.now();
let bucket: string | undefined;
if (source === 'bucket') {
  const child = spawnNode(
    ['--import', 'tsx', 'lab/bench/inbox_bucket.ts', String(most)],
    { PATH: process.env.PATH },
    false,
  );
  const [port] = await once(createInterface(child.stdout), 'line');
  bucket = `http://127.0.0.1:${port}`;
} else {
  for (let nth = 0; nth < most; nth += 1) write(nth);
}
if (source === 'journal') {
  mkdirSync(journal);
  const file = join(journal, '2026-01-01-bench.jsonl');
  for (let nth = 0; nth < most; nth += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, most - nth) }, (_, more) => lineAt(nth + more));
    appendFileSync(file, lines.join(''));
  }
}
console.log(`${most} submissions in a ${source}: ${seconds(written)}`);
const output = bucket ? '{type: s3, bucket: archive}' : `{type: folder, path: ${archive}}`;
const config = join(root, 'webform.yaml');
writeFileSync(
  config,
  `${source === 'journal' ? `journal: {in: ${journal}, for: 900d}\n` : ''}forms: {contact: {fields: [], outputs: [${output}]}}`,
);

interface Inbox {
  readonly child: Child;
  ask<T>(path: string): Promise<T>;
  /** Resolves with the number of entries once an event says so. */
  until(isIt: (event: string, data: { total?: number } | null) => boolean): Promise<void>;
}

async function open(): Promise<Inbox> {
  const child = spawnNode(
    ['dist/relay.cjs', 'inbox', '--config', config, '--port', '0'],
    {
      HOME: root,
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_REGION: 'eu-central-1',
      ...(bucket && { AWS_ENDPOINT_URL_S3: bucket }),
    },
    false,
  );
  const lines = createInterface(child.stdout);
  const [line = ''] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (line === '') throw new Error('The inbox did not start');
  const address = line.replace(/^Open /, '');
  const first = await fetch(address, { redirect: 'manual' });
  const headers = { cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  return {
    child,
    ask: async (path) => (await fetch(new URL(path, address), { headers })).json() as never,
    async until(isIt) {
      const stop = new AbortController();
      const { body } = await fetch(new URL('/api/events', address), { headers, signal: stop.signal });
      let text = '';
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const one of events) {
          const [, event = '', data = 'null'] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
          if (!isIt(event, JSON.parse(data))) continue;
          stop.abort();
          return;
        }
      }
    },
  };
}

const isFilled = (event: string, data: unknown) => event === 'progress' && data === null;
const usage = ({ child }: Inbox) =>
  `${cpuSeconds(child).toFixed(1)} s CPU, ${rssMb(child).toFixed(0)} MB, at most ${peakRssMb(child).toFixed(0)} MB`;
const end = async ({ child }: Inbox) => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

async function timed(times: number, work: (nth: number) => Promise<unknown>): Promise<string> {
  const all: number[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    const start = performance.now();
    await work(nth);
    all.push(performance.now() - start);
  }
  all.sort((a, b) => a - b);
  const at = (share: number) => `${(all[Math.floor((all.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
}

const asked = async () => (bucket ? `; ${await (await fetch(`${bucket}/-/asked`)).text()}` : '');

const start = performance.now();
const first = await open();
await first.until(isFilled);
console.log(`first index: ${seconds(start)}; ${usage(first)}${await asked()}`);
await end(first);

const again = performance.now();
const inbox = await open();
const { total } = await inbox.ask<{ total: number }>('/api/entries');
console.log(`opened again with ${total} entries: ${seconds(again)}; ${usage(inbox)}`);
await inbox.until(isFilled);
console.log(`all places looked through: ${seconds(again)}; ${usage(inbox)}${await asked()}`);

const random = randomFrom(-1);
const anyWord = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
const search = (words: string) => inbox.ask(`/api/entries?search=${encodeURIComponent(words)}`);
const figures = {
  '200 words': () => timed(200, () => search(`${anyWord()} `)),
  '200 prefixes': () => timed(200, () => search(anyWord().slice(0, 3))),
  '200 words as often as they occur': () => timed(200, () => search(wordOf(random))),
  'a word of all entries': () => timed(20, () => search('ada')),
  windows: () => timed(200, () => inbox.ask(`/api/entries?from=${Math.floor(random() * most)}&count=100`)),
  filters: () => timed(50, (nth) => inbox.ask(`/api/entries?since=${begin + nth}`)),
  'new ones appear after': () =>
    timed(10, async (nth) => {
      const seen = inbox.until((event, data) => event === 'change' && (data?.total ?? 0) > most + nth);
      if (bucket) await fetch(`${bucket}/-/put?nth=${most + nth}&at=${Date.now()}`);
      else write(most + nth, Date.now());
      await seen;
    }),
};
for (const [name, measure] of Object.entries(figures)) console.log(`${name}: ${await measure()}`);
console.log(`in the end: ${usage(inbox)}${await asked()}`);
await end(inbox);
process.exit();
