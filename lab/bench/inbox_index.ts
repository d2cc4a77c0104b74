/**
 * The inbox's index: `npx tsx lab/bench/inbox_index.ts [submissions] [folder]`, with `dist` built. It writes an archive of that
 * many (1,000,000 unless told) into the folder (default: /dev/shm), indexes it, opens it again, searches and scrolls.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openIndex } from '../../packages/inbox/src/index/open_index.ts';
import { documentName, folderOf, stemOf } from '../../packages/relay/src/transports/archive/archive_entry.ts';

const most = Number(process.argv[2] ?? 1_000_000);
const root = mkdtempSync(join(process.argv[3] ?? '/dev/shm', 'relay-inbox-'));
const aDay = 2_000;
const dayMs = 86_400_000;
const begin = Date.now() - Math.ceil(most / aDay) * dayMs - dayMs;

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed / 0x7fffffff;
};
/** 20,000 words: the nth is used about as often as in a language, by Zipf's law. */
const vocabulary = Array.from({ length: 20_000 }, (_, nth) => (nth * 7_919 + 123_457).toString(36));
const word = () => vocabulary[Math.floor(20_000 ** random()) - 1] ?? '';

function write(nth: number, receivedAt: number): void {
  const id = `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
  const place = { form: 'contact', receivedAt, jobId: `${id}-0` };
  const field = (name: string, value: string) => ({ name, label: name, values: [value] });
  const document = {
    version: 1,
    id,
    form: 'contact',
    received_at: new Date(receivedAt).toISOString(),
    fields: [
      field('name', `Ada ${word()}`),
      field('email', `ada${nth}@example.org`),
      field('message', Array.from({ length: 40 }, word).join(' ')),
    ],
    files: [],
  };
  const folder = join(root, 'archive', folderOf(place));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.new.tmp'), JSON.stringify(document));
  renameSync(join(folder, '.new.tmp'), join(folder, documentName(stemOf(place), false)));
}

const mb = () => `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`;
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(2)} s`;
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function open() {
  return openIndex({
    sources: {
      archives: [
        { place: { kind: 'folder', path: join(root, 'archive') }, name: 'archive', isDropped: false },
      ],
      stores: [],
      journal: undefined,
    },
    folder: join(root, 'index'),
    program: new URL('../../dist/cli/index_worker.cjs', import.meta.url),
  });
}

type Index = Awaited<ReturnType<typeof open>>;
const filled = (index: Index) =>
  new Promise<void>((resolve) => {
    index.onProgress((progress) => progress === undefined && resolve());
  });

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

try {
  const written = performance.now();
  for (let nth = 0; nth < most; nth += 1)
    write(nth, begin + Math.floor(nth / aDay) * dayMs + (nth % aDay) * 40_000);
  console.log(`wrote ${most} submissions: ${seconds(written)}`);
  const [start, spent, before] = [performance.now(), cpu(), mb()];
  const first = await open();
  await filled(first);
  console.log(
    `first index: ${seconds(start)}, ${(cpu() - spent).toFixed(1)} s CPU, RSS ${before} before, ${mb()} after`,
  );
  await first.close();
  const again = performance.now();
  const index = await open();
  const { total } = await index.window({}, 0, 100, undefined);
  console.log(`opened again with ${total} entries: ${seconds(again)}; RSS ${mb()}`);
  await filled(index);
  console.log(`all places looked through: ${seconds(again)}`);
  const anyWord = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
  console.log(
    `200 words: ${await timed(200, () => index.window({ search: `${anyWord()} ` }, 0, 100, undefined))}`,
  );
  console.log(
    `200 prefixes: ${await timed(200, () => index.window({ search: anyWord().slice(0, 3) }, 0, 100, undefined))}`,
  );
  console.log(
    `200 words as often as they occur: ${await timed(200, () => index.window({ search: word() }, 0, 100, undefined))}`,
  );
  console.log(`in all entries: ${await timed(1, () => index.window({ search: 'ada' }, 0, 100, undefined))}`);
  console.log(
    `windows: ${await timed(200, () => index.window({}, Math.floor(random() * most), 100, undefined))}`,
  );
  console.log(
    `filters: ${await timed(50, (nth) => index.window({ since: begin + nth }, 0, 100, undefined))}`,
  );
  console.log(
    `new ones appear after: ${await timed(10, async (nth) => {
      const seen = new Promise<void>((resolve) => {
        const stop = index.onChange(({ total }) => {
          if (total < most + nth + 1) return;
          stop();
          resolve();
        });
      });
      write(most + nth, Date.now());
      await seen;
    })}`,
  );
  console.log(
    `RSS ${mb()}, ${cpu().toFixed(1)} s CPU in all; troubles: ${JSON.stringify(await index.troubles())}`,
  );
  await index.close();
} finally {
  rmSync(root, { recursive: true, force: true });
}
