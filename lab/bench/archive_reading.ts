/**
 * The time to read an archive: `npx tsx lab/bench/archive_reading.ts [submissions]`. It writes one of that many
 * (100,000 unless told), and one of a tenth, then lists and exports them; and the same, sealed, of a tenth of each.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { seal } from '../../packages/relay/src/transports/archive/age_seal.ts';
import {
  type ArchiveDocument,
  documentName,
  folderOf,
  stemOf,
} from '../../packages/relay/src/transports/archive/archive_entry.ts';
import { readRecipient } from '../../packages/relay/src/transports/archive/recipient.ts';

const most = Number(process.argv[2] ?? 100_000);
/** Of a form. */
const aDay = 2_000;
const dayMs = 86_400_000;

const root = mkdtempSync(join(tmpdir(), 'relay-archive-'));
const key = await generateX25519Identity();
const recipient = readRecipient(await identityToRecipient(key));
if (!recipient.ok) throw new Error(recipient.error);
writeFileSync(join(root, 'key.txt'), key);

function write(name: string, submissions: number, isSealed: boolean): string {
  let day = '';
  for (let nth = 0; nth < submissions; nth += 1) {
    const id = `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;
    const receivedAt =
      Date.parse('2024-01-01T00:00:00Z') + Math.floor(nth / aDay) * dayMs + (nth % aDay) * 40_000;
    const place = { form: 'contact', receivedAt, jobId: `${id}-0` };
    const document: ArchiveDocument = {
      version: 1,
      id,
      form: 'contact',
      received_at: new Date(receivedAt).toISOString(),
      fields: [
        { name: 'name', label: 'Name', values: [`Ada ${nth}`] },
        { name: 'email', label: 'E-mail', values: [`ada${nth}@example.org`] },
        { name: 'topics', label: 'What about?', values: ['sales', 'support'] },
        { name: 'message', label: 'Message', values: ['Hello, and a few words more. '.repeat(8)] },
      ],
      files: [],
    };
    const folder = join(root, name, folderOf(place));
    if (folder !== day) mkdirSync(folder, { recursive: true });
    day = folder;
    const text = Buffer.from(JSON.stringify(document));
    const bytes =
      isSealed && recipient.ok ? Buffer.concat([...seal(text, [recipient.value]).pieces()]) : text;
    writeFileSync(join(folder, documentName(stemOf(place), isSealed)), bytes);
  }
  return join(root, name);
}

/** What a command took is said on stderr, when it ends. */
const tells = `data:text/javascript,process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write(maxRSS + " " + (userCPUTime + systemCPUTime));
})`;

async function run(archive: string, submissions: number, ...words: readonly string[]): Promise<void> {
  const command = ['--import', tells, 'dist/relay.cjs', 'archive', ...words, '--from', archive];
  const start = performance.now();
  const { stdout, stderr } = await promisify(execFile)('sh', [
    '-c',
    '"$0" "$@" | wc -l',
    process.execPath,
    ...command,
  ]);
  const seconds = (performance.now() - start) / 1_000;
  const [maxRssKb = 0, cpuUs = 0] = stderr.split(' ').map(Number);
  const shown = words.filter((word) => !word.startsWith('--identity') && !word.startsWith(root)).join(' ');
  console.log(
    [
      shown.padEnd(44),
      `${submissions} submissions`.padStart(20),
      `${stdout.trim()} lines`.padStart(15),
      `${seconds.toFixed(1)} s`.padStart(9),
      `${Math.round(cpuUs / submissions)} µs CPU each`.padStart(18),
      `peak RSS ${Math.round(maxRssKb / 1_024)} MB`,
    ].join('  '),
  );
}

try {
  const identity = ['--identity', join(root, 'key.txt')];
  for (const submissions of [most / 10, most]) {
    const archive = write(`clear-${submissions}`, submissions, false);
    await run(archive, submissions, 'list');
    await run(archive, submissions, 'list', '--since', '2024-01-10', '--until', '2024-01-10');
    await run(archive, submissions, 'export', '--format', 'jsonl');
    await run(archive, submissions, 'export', '--format', 'csv');
    rmSync(archive, { recursive: true });
    const fewer = submissions / 10;
    const sealed = write(`sealed-${submissions}`, fewer, true);
    await run(sealed, fewer, 'list');
    await run(sealed, fewer, 'export', '--format', 'jsonl', ...identity);
    await run(sealed, fewer, 'prune', '--older-than', '1d');
  }
} finally {
  rmSync(root, { recursive: true });
}
