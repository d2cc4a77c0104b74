/** Submissions with files into archives, by a relay that is killed at any instant; then, what is there of each. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ArchiveDocument, readDocumentPath } from '../../packages/more-outputs/src/archive_layout.ts';
import { between, chance } from './chance.ts';
import { eachNumber } from './loop.ts';
import { Copy, faultsOf, restartAll } from './relays.ts';

interface ArchiveRun {
  readonly submissions: number;
  readonly seed: number;
  /** Submissions under way at once. */
  readonly connections: number;
  /** The relay is killed after about as many. */
  readonly killAfter: number;
  readonly onProgress?: (sent: number) => void;
}

export async function runArchive(run: ArchiveRun) {
  const { submissions, seed, connections } = run;
  const directory = await mkdtemp(join(tmpdir(), 'relay-chaos-'));
  const folder = await mkdtemp(join(directory, 'folder-'));
  const env = {
    CONFIG_INLINE: `forms:
  plain:
    fields: [{name: n}, {name: file, type: file, accept: [pdf]}]
    outputs: [{type: folder, path: "${folder}"}]
`,
  };
  const copies = await Copy.startAll(1, env);
  const { port } = (copies[0] as Copy).relay;
  const killing = restartAll(copies, run);
  const outcomes = { acknowledged: 0, refused: 0, unanswered: 0 };
  const acknowledged = new Set<number>();
  await eachNumber({ ...run, count: submissions, atOnce: connections }, async (n) => {
    const status = await submit(port, n, seed);
    if (status === 200) acknowledged.add(n);
    outcomes[status === 200 ? 'acknowledged' : status === undefined ? 'unanswered' : 'refused'] += 1;
  });
  const { SIGKILL: kills } = await killing.end();
  const lives = await Copy.endAll(copies);

  const { found, violations, leftovers } = await readEntries(folder, seed);
  await rm(directory, { recursive: true });
  const missing = [...acknowledged].filter((n) => !found.has(n)).map((n) => `${n} is missing`);
  return {
    outcomes,
    kills,
    entries: found.size,
    leftovers,
    violations: [...faultsOf(lives), ...violations, ...missing],
  };
}

/** From nothing to some 100 KB. */
const fileOf = (n: number, seed: number): Buffer =>
  Buffer.from(`%PDF-1.4\n${`${n} `.repeat(Math.floor(between(0, 20_000, chance(seed, n, 2) ** 3)))}`);

/** The status of the answer; `undefined` if the relay may or may not have it. */
async function submit(port: number, n: number, seed: number): Promise<number | undefined> {
  const body = new FormData();
  body.append('n', String(n));
  body.append('file', new File([new Uint8Array(fileOf(n, seed))], `${n}.pdf`, { type: 'application/pdf' }));
  const url = `http://127.0.0.1:${port}/api/v1/submit/plain`;
  for (;;) {
    try {
      const { status } = await fetch(url, { method: 'POST', body });
      return status;
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') return undefined;
      await sleep(20);
    }
  }
}

/** Each document is whole, and so are its files, byte for byte; of which submissions there is one. */
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
