/**
 * Measures PDFs of ten fields: CPU time to load the config, for the first PDF and for each of 50 more, and the memory that a relay
 * without PDFs does not need for the same submissions. Starts the relay as `npm start` and the container do.
 *
 *   npm run build && npx tsx lab/bench/pdf.ts [node ...]
 *
 * With `BEFORE=<the dist folder of another build>` in turn with that. CJK is measured with Noto Sans CJK if it is installed, or in
 * `NOTO_CJK=<its TTC file>`. The aims: 100 ms for the first PDF, and 30 MB at rest without CJK.
 *
 * - busy: the peaks of both, after 3 s of full load without PDFs. V8 lets its young generation grow to the 16 MB that npm start allows.
 * - at rest: what is left when V8 has given back what it does not need, which it does after half a minute without requests.
 * - fresh: the peaks before that load. A relay that has done little keeps a young generation of 2 MB; with PDFs it grows at once.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { load, startSink } from './load.ts';
import { cpuMs, middle, peakRssMb, pinThisProcess, rssMb, spawnCommand } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const further = 50;
const dejavu = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const droid = '/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf';
const noto = process.env.NOTO_CJK ?? '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc';

interface Language {
  readonly language: string;
  readonly labels: readonly string[];
  readonly values: readonly string[];
}

const german: Language = {
  language: 'de',
  labels: 'Name Firma Straße Ort Land Telefon Anliegen Zeitraum Hinweis Nachricht'.split(' '),
  values: [
    'Jürgen Weiß',
    'Möbel & Söhne GmbH',
    'Königsallee 12',
    '40212 Düsseldorf',
    'Deutschland',
    '+49 211 123456',
    'Angebot',
    'im Frühjahr',
    'Bitte nur vormittags anrufen.',
    'Wir möchten für das Büro zwölf Tische und ebenso viele Stühle bestellen, am liebsten aus Eiche. '.repeat(
      3,
    ),
  ],
};
const arabic: Language = {
  language: 'ar',
  labels: 'الاسم|الشركة|الشارع|المدينة|البلد|الهاتف|الموضوع|الفترة|ملاحظة|الرسالة'.split('|'),
  values: [
    'ليلى حداد',
    'شركة الأثاث الحديث',
    'شارع الجامعة 12',
    'القاهرة',
    'مصر',
    '+20 2 12345678',
    'عرض سعر',
    'في الربيع',
    'يرجى الاتصال صباحا فقط.',
    'نود أن نطلب للمكتب اثنتي عشرة طاولة ومثلها من الكراسي، ويفضل أن تكون من خشب البلوط. '.repeat(3),
  ],
};
const japanese: Language = {
  language: 'ja',
  labels: 'お名前|会社名|住所|市区町村|国|電話番号|ご用件|時期|備考|メッセージ'.split('|'),
  values: [
    '山田太郎',
    '現代家具株式会社',
    '大学通り12番地',
    '東京都千代田区',
    '日本',
    '+81 3 1234 5678',
    '見積もり',
    '春ごろ',
    'お電話は午前中にお願いします。',
    '事務所のために机を十二台、椅子も同じ数だけ注文したいと思います。できればオーク材でお願いします。'.repeat(
      3,
    ),
  ],
};

interface Case {
  readonly name: string;
  readonly text: Language;
  readonly fonts: readonly string[];
}

const cases: readonly Case[] = [
  { name: 'German, no font', text: german, fonts: [] },
  { name: 'German, DejaVu', text: german, fonts: [dejavu] },
  { name: 'Arabic, DejaVu', text: arabic, fonts: [dejavu] },
  { name: 'Japanese, DejaVu and Droid', text: japanese, fonts: [dejavu, droid] },
  { name: 'Japanese, Noto CJK', text: japanese, fonts: [`${noto}#NotoSansCJKjp-Regular`] },
].filter(({ fonts }) => fonts.every((font) => existsSync(font.replace(/#.*/, ''))));

const builds = [process.env.BEFORE ?? [], 'dist'].flat();
const isPinned = pinThisProcess();
const sink = await startSink();

for (const node of process.argv.length > 2 ? process.argv.slice(2) : [process.execPath]) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`${version}, medians of ${rounds} rounds; more than without PDFs`);
  const rows: Record<string, object> = {};
  for (const one of cases) {
    const found = builds.map(() => [] as Cost[]);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, build] of builds.entries()) found[index]?.push(await costOf(node, build, one));
    }
    for (const [index, build] of builds.entries()) {
      const name = builds.length > 1 ? `${one.name}, ${build}` : one.name;
      rows[name] = middles(found[index] ?? []);
    }
  }
  console.table(rows);
}
sink.close();

type Cost = Readonly<Record<string, number>>;

function middles(costs: readonly Cost[]): Cost {
  const names = Object.keys(costs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, Math.round(middle(costs.map((one) => one[name] ?? Number.NaN)))]),
  );
}

/** Compares two processes, without PDFs and with them. */
async function costOf(node: string, build: string, one: Case): Promise<Cost> {
  const without = await run(node, build, one, false);
  const withPdfs = await run(node, build, one, true);
  const more = (key: keyof typeof without) => withPdfs[key] - without[key];
  return {
    'load, CPU ms': more('loadMs'),
    'first, CPU ms': more('firstMs'),
    'further, CPU ms': more('furtherMs'),
    'busy, MB': more('busyMb'),
    'at rest, MB': more('restMb'),
    'fresh, MB': more('freshMb'),
    'loaded, MB': more('loadedMb'),
    'size, KB': withPdfs.sizeKb,
  };
}

async function run(node: string, build: string, { text, fonts }: Case, pdf: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  const paper = {
    language: text.language,
    title: text.labels[0],
    fields: text.labels.map((label, index) => ({ name: `field_${index}`, label })),
    outputs: [{ type: 'folder', path: folder, pdf }],
  };
  const config = `
${fonts.length > 0 ? `pdf: ${JSON.stringify({ fonts })}` : ''}
forms:
  paper: ${JSON.stringify(paper)}
  contact:${formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' })}`;
  const body = new URLSearchParams(
    Object.fromEntries(text.values.map((value, index) => [`field_${index}`, value])),
  );
  const relay = spawnCommand(
    [
      ...[node, '--max-semi-space-size=8', '--no-maglev', '--require', resolve('lab/bench/pdf_probe.cjs')],
      ...[join(resolve(build), 'relay.cjs'), 'serve'],
    ],
    { ...environment, CONFIG_INLINE: config },
    isPinned,
    ['ignore', 'pipe', 'ignore', 'ipc'],
  );
  try {
    const [line] = await once(createInterface({ input: relay.stdout }), 'line');
    const [origin = ''] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];
    const ready = await fetch(`${origin}/api/v1/form/paper`);
    if (!ready.ok) throw new Error(`the form answers ${ready.status}`);
    await ready.text();
    const loadMs = cpuMs(relay.pid);
    const loadedMb = rssMb(relay);
    const send = async () => {
      const { status } = await fetch(`${origin}/api/v1/submit/paper`, { method: 'POST', body });
      if (status !== 200) throw new Error(`it answers ${status}`);
    };
    await send();
    const firstMs = cpuMs(relay.pid) - loadMs;
    for (let sent = 0; sent < further; sent += 1) await send();
    const furtherMs = (cpuMs(relay.pid) - loadMs - firstMs) / further;
    const freshMb = peakRssMb(relay);
    const { failures } = await load(origin, request, { connections: 32, seconds: 3 });
    if (failures > 0) throw new Error(`${failures} failures`);
    const busyMb = peakRssMb(relay);
    relay.send('rest');
    await once(relay, 'message');
    const restMb = rssMb(relay);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const pdfs = files.filter((name) => name.endsWith('.pdf'));
    if (pdfs.length !== (pdf ? further + 1 : 0)) throw new Error(`it wrote ${pdfs.length} PDFs`);
    const sizeKb = pdfs[0] === undefined ? 0 : readFileSync(join(folder, pdfs[0])).length / 1_024;
    return { loadMs, firstMs, furtherMs, loadedMb, freshMb, busyMb, restMb, sizeKb };
  } finally {
    const ended = once(relay, 'exit');
    relay.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}
