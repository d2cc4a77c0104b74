/** Submissions with files into archives, by a relay that is killed at any instant; then, what is there of each. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import S3rver from 's3rver';
import {
  type ArchiveDocument,
  readDocumentPath,
} from '../../packages/relay/src/transports/archive/archive_entry.ts';
import { between, chance } from './chance.ts';
import { listenLow } from './listener.ts';
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

const bucket = 'archive';

export async function runArchive(run: ArchiveRun) {
  const { submissions, seed, connections } = run;
  const directory = await mkdtemp(join(tmpdir(), 'relay-chaos-'));
  const folder = await mkdtemp(join(directory, 'folder-'));
  const identity = await generateX25519Identity();
  const s3 = await startBucket(directory, seed);
  const output = `{type: folder, path: "${folder}"`;
  const keys = 'fields: [{name: n}, {name: file, type: file, accept: [pdf]}]';
  const env = {
    CONFIG_INLINE: `forms:
  plain: {${keys}, outputs: [${output}}, {type: s3, bucket: ${bucket}, prefix: forms}]}
  sealed: {${keys}, outputs: [${output}, seal_to: ${await identityToRecipient(identity)}}]}
`,
    AWS_ENDPOINT_URL_S3: s3.origin,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
  const copies = await Copy.startAll(1, env);
  const { port } = (copies[0] as Copy).relay;
  const killing = restartAll(copies, run);
  const outcomes = { acknowledged: 0, refused: 0, unanswered: 0 };
  const acknowledged = new Set<number>();
  let next = 0;
  const visitor = async () => {
    for (let n = next++; n < submissions; n = next++) {
      const status = await submit(port, n, seed);
      if (status === 200) acknowledged.add(n);
      outcomes[status === 200 ? 'acknowledged' : status === undefined ? 'unanswered' : 'refused'] += 1;
      if (n % 1_000 === 0) run.onProgress?.(n);
    }
  };
  await Promise.all(Array.from({ length: connections }, visitor));
  const { SIGKILL: kills } = await killing.end();
  const lives = await Copy.endAll(copies);

  const inFolder = await readEntries(await folderFiles(folder), identity, seed);
  const inBucket = await readEntries(await s3.files(), identity, seed);
  await s3.close();
  await rm(directory, { recursive: true });
  const missing = (name: string, found: ReadonlySet<number>, isIn: (n: number) => boolean) =>
    [...acknowledged].filter((n) => isIn(n) && !found.has(n)).map((n) => `${n} is missing in the ${name}`);
  return {
    outcomes,
    kills,
    entries: { folder: inFolder.found.size, bucket: inBucket.found.size },
    leftovers: { folder: inFolder.leftovers, bucket: inBucket.leftovers },
    violations: [
      ...faultsOf(lives),
      ...inFolder.violations,
      ...inBucket.violations,
      ...missing('folder', inFolder.found, () => true),
      ...missing('bucket', inBucket.found, (n) => !isSealed(n)),
    ],
  };
}

const isSealed = (n: number) => n % 3 === 0;

/** From nothing to some 100 KB. */
const fileOf = (n: number, seed: number): Buffer =>
  Buffer.from(`%PDF-1.4\n${`${n} `.repeat(Math.floor(between(0, 20_000, chance(seed, n, 2) ** 3)))}`);

/** Its status; `undefined` where it is not known whether the relay has it. */
async function submit(port: number, n: number, seed: number): Promise<number | undefined> {
  const body = new FormData();
  body.append('n', String(n));
  body.append('file', new File([new Uint8Array(fileOf(n, seed))], `${n}.pdf`, { type: 'application/pdf' }));
  const url = `http://127.0.0.1:${port}/api/v1/submit/${isSealed(n) ? 'sealed' : 'plain'}`;
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

/**
 * s3rver, which keeps what it has got of a request that was cut off, and knows no `If-None-Match`: a server before it
 * passes on whole requests, refuses what is there, and now and then takes an object and says nothing.
 */
async function startBucket(directory: string, seed: number) {
  const configureBuckets = [{ name: bucket }];
  const s3 = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
  const { port } = await s3.run();
  const there = new Set<string>();
  let count = 0;
  const front = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return;
    }
    const { url = '', headers } = request;
    count += 1;
    if (there.has(url)) return response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
    const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': hash = '' } = headers;
    const { status } = await fetch(`http://127.0.0.1:${port}${url}`, {
      method: 'PUT',
      headers: { authorization, 'x-amz-date': String(date), 'x-amz-content-sha256': String(hash) },
      body: Buffer.concat(pieces),
    });
    if (status === 200) there.add(url);
    if (chance(seed, count, 3) < 0.01) return request.socket.destroy();
    response.writeHead(status).end();
  });
  await listenLow(front);
  return {
    origin: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    files: async (): Promise<Files> =>
      new Map(
        [...there].map((url) => {
          const path = decodeURIComponent(url.slice(`/${bucket}/forms/`.length));
          const read = async () =>
            Buffer.from(await (await fetch(`http://127.0.0.1:${port}${url}`)).arrayBuffer());
          return [path, read];
        }),
      ),
    close: async () => {
      front.closeAllConnections();
      front.close();
      s3.httpServer.closeAllConnections();
      await s3.close();
    },
  };
}

/** What is in an archive, by path. */
type Files = ReadonlyMap<string, () => Promise<Buffer>>;

async function folderFiles(folder: string): Promise<Files> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Map(
    all
      .filter((one) => one.isFile())
      .map((one) => {
        const path = join(one.parentPath, one.name);
        return [path.slice(folder.length + 1), () => readFile(path)];
      }),
  );
}

/** Each document is whole, and so are its files, byte for byte; of which submissions there is one. */
async function readEntries(files: Files, identity: string, seed: number) {
  const found = new Set<number>();
  const violations: string[] = [];
  const claimed = new Set<string>();
  for (const [path, read] of files) {
    const place = readDocumentPath(path);
    if (!place) continue;
    claimed.add(path);
    const open = async (bytes: Buffer) => {
      if (!place.isSealed) return bytes;
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      return Buffer.from(await decrypter.decrypt(bytes));
    };
    try {
      const document = JSON.parse((await open(await read())).toString()) as ArchiveDocument;
      const n = Number(document.fields.find(({ name }) => name === 'n')?.values[0]);
      if (document.files.length !== 1) throw new Error(`it has ${document.files.length} files`);
      for (const file of document.files) {
        const filePath = `${path.slice(0, path.lastIndexOf('/'))}/${file.path}`;
        claimed.add(filePath);
        const readFile = files.get(filePath);
        if (!readFile) throw new Error('its file is missing');
        const bytes = await open(await readFile());
        if (!bytes.equals(fileOf(n, seed))) throw new Error('its file is not what was sent');
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        if (sha256 !== file.sha256) throw new Error('its hash is wrong');
      }
      if (found.has(n)) throw new Error('it is there twice');
      found.add(n);
    } catch (error) {
      violations.push(`${path}: ${error}`);
    }
  }
  return { found, violations, leftovers: files.size - claimed.size };
}
