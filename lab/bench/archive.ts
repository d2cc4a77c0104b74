/** What it takes to keep a submission: a sealed text in memory, and 5 MB in a bucket, beside the bare client. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Entry } from '../../packages/relay/src/transports/archive/archive_entry.ts';
import { storeEntry } from '../../packages/relay/src/transports/archive/store_entry.ts';
import { awsAccount } from '../../packages/relay/src/transports/aws/account.ts';
import { createPutObject } from '../../packages/relay/src/transports/aws/s3_request.ts';
import { createNodeHttp } from '../../packages/relay/src/transports/http/node_client.ts';
import { middle, pinThisProcess } from './process.ts';

const rounds = 15;
const now = Date.now;
const noFile = async () => {
  throw new Error('nobody reads one');
};
const effects = { now, readFile: noFile };

const entry: Entry = {
  id: '4f1c9a54-6a0f-4c3e-9d0e-7a1f0f8f3c11',
  jobId: '4f1c9a54-6a0f-4c3e-9d0e-7a1f0f8f3c11-0',
  form: 'contact',
  receivedAt: 1_900_000_000_000,
  page: undefined,
  fields: [
    { name: 'name', label: 'Name', values: ['Zoë'] },
    { name: 'email', label: 'Email', values: ['zoe@example.org'] },
    { name: 'topics', label: 'Topics', values: ['sales', 'press'] },
    { name: 'message', label: 'Message', values: ['Hello there. '.repeat(80)] },
  ],
  files: [],
};
const bytes = randomBytes(5 * 1_048_576);
const withFile: Entry = {
  ...entry,
  files: [{ field: 'cv', file: { name: 'cv.pdf', type: 'application/pdf', bytes } }],
};

/** It has what it is told, and forgets it. */
const sink = spawn(
  process.execPath,
  [
    '-e',
    `const server = require('node:http').createServer((q, s) => { q.resume(); q.on('end', () => s.end()); });
     server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [line] = await once(sink.stdout, 'data');
const origin = `http://127.0.0.1:${Number(line)}`;
const env: Record<string, string> = {
  AWS_ENDPOINT_URL_S3: origin,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const aws = { account: awsAccount((name) => env[name]), http: createNodeHttp(now), now };
const putObject = createPutObject(aws);
const recipients = [await identityToRecipient(await generateX25519Identity())];
const sealFor = { recipients };

const inBucket = (entry: Entry, sealFor: { readonly recipients: readonly string[] } | undefined) =>
  storeEntry({ entry, sealFor }, 60_000, effects, (object, timeoutMs) =>
    putObject({ bucket: 'b', key: object.path, object, timeoutMs }),
  );
const inMemory = (entry: Entry, sealFor: { readonly recipients: readonly string[] } | undefined) =>
  storeEntry({ entry, sealFor }, 60_000, effects, async ({ content }) => {
    for (const piece of content.pieces()) if (piece.length < 0) throw new Error();
  });

const agent = new Agent({ keepAlive: true });
const bare = (hashes: boolean) =>
  new Promise<void>((resolve, reject) => {
    const hash = hashes ? createHash('sha256').update(bytes).digest('hex') : 'UNSIGNED-PAYLOAD';
    const headers = { 'content-length': bytes.length, 'x-amz-content-sha256': hash };
    const outgoing = request(`${origin}/b/cv.pdf`, { method: 'PUT', agent, headers }, (incoming) => {
      incoming.resume();
      incoming.on('end', resolve);
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });

const isPinned = pinThisProcess();
const contestants: readonly (readonly [name: string, times: number, call: () => Promise<unknown>])[] = [
  ['text, sealed, in memory', 200, () => inMemory(entry, sealFor)],
  ['text, in memory', 200, () => inMemory(entry, undefined)],
  ['5 MB to a bucket: bare client', 10, () => bare(false)],
  ['5 MB to a bucket: bare client that signs the bytes', 10, () => bare(true)],
  ['5 MB to a bucket: relay', 10, () => inBucket(withFile, undefined)],
  ['5 MB to a bucket: relay, sealed', 10, () => inBucket(withFile, sealFor)],
];
const took = contestants.map((): number[] => []);
for (let round = 0; round <= rounds; round += 1) {
  for (const [index, [, times, call]] of contestants.entries()) {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i += 1) await call();
    const { user, system } = process.cpuUsage(before);
    // The first is for warming up.
    if (round > 0) took[index]?.push((user + system) / 1_000 / times);
  }
}
console.log(`\nArchives: Node ${process.version}, CPU time, medians of ${rounds} rounds`);
if (!isPinned) console.log('NOT pinned: taskset is missing.');
console.table(
  Object.fromEntries(
    contestants.map(([name], index) => [name, { ms: middle(took[index] ?? []).toFixed(3) }]),
  ),
);
sink.kill();
