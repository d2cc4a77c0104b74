/** Sends submissions with files to archives, while the relay is killed at random moments; then checks what is stored of each. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveDocument, readDocumentPath } from '../../packages/more-outputs/src/archive_layout.ts';
import { tempFolder } from '../../scripts/machine.ts';
import { between, chance } from './chance.ts';
import { eachNumber, type RunOptions } from './loop.ts';
import { faultsOf, startFleet } from './relays.ts';

interface ArchiveOptions extends RunOptions {
  readonly submissions: number;
  /** The relay is killed after about this many submissions. */
  readonly killAfter: number;
}

export async function runArchive(options: ArchiveOptions) {
  const { submissions, seed } = options;
  const folder = tempFolder('archive');
  const env = {
    CONFIG_INLINE: `forms:
  plain:
    fields: [{name: n}, {name: file, type: file, accept: [pdf]}]
    outputs: [{type: folder, path: "${folder}"}]
`,
  };
  const fleet = await startFleet({ ...options, relays: 1 }, env);
  const outcomes = { acknowledged: 0, refused: 0, unanswered: 0 };
  const acknowledged = new Set<number>();
  await eachNumber(submissions, options, async (n) => {
    const { status } = await fleet.send(n, await requestOf(n, seed));
    if (status === 200) acknowledged.add(n);
    const isAnswered = typeof status === 'number';
    outcomes[status === 200 ? 'acknowledged' : isAnswered ? 'refused' : 'unanswered'] += 1;
  });
  const { SIGKILL: kills } = await fleet.calm();
  const lives = await fleet.end();

  const { found, violations, leftovers } = await readEntries(folder, seed);
  await rm(folder, { recursive: true });
  const missing = [...acknowledged].filter((n) => !found.has(n)).map((n) => `${n} is missing`);
  return {
    outcomes,
    kills,
    entries: found.size,
    leftovers,
    violations: [...faultsOf(lives), ...violations, ...missing],
  };
}

/** From 0 to about 100 KB. */
const fileOf = (n: number, seed: number): Buffer =>
  Buffer.from(`%PDF-1.4\n${`${n} `.repeat(Math.floor(between(0, 20_000, chance(seed, n, 2) ** 3)))}`);

async function requestOf(n: number, seed: number) {
  const form = new FormData();
  form.append('n', String(n));
  form.append('file', new File([new Uint8Array(fileOf(n, seed))], `${n}.pdf`, { type: 'application/pdf' }));
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { path: '/api/v1/submit/plain', headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

/** Checks that documents and their files are complete, byte for byte; returns which submissions have one. */
async function readEntries(folder: string, seed: number) {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Set(
    all.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name).slice(folder.length + 1)),
  );
  const found = new Set<number>();
  const violations: string[] = [];
  const claimed = new Set<string>();
  for (const path of files) {
    if (!readDocumentPath(path)) continue;
    claimed.add(path);
    try {
      const document = JSON.parse((await readFile(join(folder, path))).toString()) as ArchiveDocument;
      const n = Number(document.fields.find(({ name }) => name === 'n')?.values[0]);
      if (document.files.length !== 1) throw new Error(`the folder has ${document.files.length} files`);
      for (const file of document.files) {
        const filePath = `${path.slice(0, path.lastIndexOf('/'))}/${file.path}`;
        claimed.add(filePath);
        if (!files.has(filePath)) throw new Error('the file is missing');
        const bytes = await readFile(join(folder, filePath));
        if (!bytes.equals(fileOf(n, seed))) throw new Error('the file differs from what was sent');
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        if (sha256 !== file.sha256) throw new Error('the hash is wrong');
      }
      if (found.has(n)) throw new Error('stored twice');
      found.add(n);
    } catch (error) {
      violations.push(`${path}: ${error}`);
    }
  }
  return { found, violations, leftovers: files.size - claimed.size };
}
