/**
 * What it takes to send a file of 5 MB in a webhook, beside the bare client that puts the same bytes together, and beside
 * one that got them ready: CPU time of the sender, and the memory that many at once take.
 *
 *   npx tsx lab/bench/webhook_files.ts
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import type { HttpClient } from '../../packages/relay/src/base/effects.ts';
import { type Streamed, wholeOf } from '../../packages/relay/src/base/streamed.ts';
import { asBase64, asParts } from '../../packages/relay/src/outputs/webhook_body.ts';
import { createHttpClient } from '../../packages/relay/src/transports/http/http_client.ts';
import { type HttpMessage, httpTransport } from '../../packages/relay/src/transports/http/http_transport.ts';
import { createNodeHttpClient } from '../../packages/relay/src/transports/http/node_client.ts';
import { middle, pinThisProcess, spawnNode } from './process.ts';

const rounds = 15;
const sendings = 20;
const underWay = 4;
const many = 50;
const mb = 1_048_576;

const isPinned = pinThisProcess();
const sink = spawnNode(['lab/bench/body_sink.cjs'], {}, isPinned);
const [port] = await once(createInterface({ input: sink.stdout }), 'line');
const url = new URL(`http://127.0.0.1:${port}/hook`);

const file = { name: 'plan.pdf', type: 'application/pdf', bytes: randomBytes(5 * mb) };
const secrets = [`whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`];
const json = asBase64((inJson) => ({ name: 'Ada', plan: inJson(file, 'plan') }));
const parts = asParts((inJson) => ({ name: 'Ada', plan: inJson(file, 'plan') }), 'id-0');

/** Sends what `make` makes, each time anew. */
function bare(contentType: string, make: () => string | Buffer): () => Promise<unknown> {
  const pool = new Pool(url.origin, { pipelining: 1 });
  const headers = { 'content-type': contentType };
  return async () => {
    const answer = await pool.request({ path: url.pathname, method: 'POST', headers, body: make() });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
  };
}

function ready({ contentType, streamed }: Pick<HttpMessage, 'contentType' | 'streamed'>) {
  const body = wholeOf(streamed as Streamed);
  return bare(contentType, () => body);
}

const { name, type, bytes } = file;
const jsonByHand = () =>
  JSON.stringify({
    name: 'Ada',
    plan: { name, type, size: bytes.length, content: bytes.toString('base64') },
  });
const partsByHand = () => {
  const end = partsText.lastIndexOf('\r\n--');
  return Buffer.concat([Buffer.from(partsHead), bytes, Buffer.from(partsText.slice(end))]);
};
const partsText = wholeOf(parts.streamed as Streamed).toString('latin1');
const partsHead = partsText.slice(0, partsText.indexOf('application/pdf\r\n\r\n') + 19);

function relay(
  http: HttpClient,
  content: Pick<HttpMessage, 'contentType' | 'body' | 'streamed'>,
  more: Partial<HttpMessage> = {},
): () => Promise<unknown> {
  const withToken = () => Promise.reject(new Error('nobody asks for tokens'));
  const { send } = httpTransport({ http, now: Date.now, withToken });
  const message: HttpMessage = { via: 'http', url, id: 'id-0', ...content, ...more };
  return () => send(message, 60_000);
}

const contests = [
  {
    title: 'base64',
    senders: {
      'undici, put together': bare(json.contentType, jsonByHand),
      'undici, ready': ready(json),
      relay: relay(createHttpClient(), json),
      'relay, signed': relay(createHttpClient(), json, { signing: { secrets } }),
      'relay on Lambda': relay(createNodeHttpClient(Date.now), json),
    },
  },
  {
    title: 'multipart',
    senders: {
      'undici, put together': bare(parts.contentType, partsByHand),
      'undici, ready': ready(parts),
      relay: relay(createHttpClient(), parts),
    },
  },
];

/** CPU milliseconds for each sending. */
async function cpuMs(send: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = sendings;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: underWay }, one));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / sendings;
}

console.log(
  `A file of 5 MB in a webhook: Node ${process.version}, ${underWay} under way, medians of ${rounds} rounds`,
);
if (!isPinned) console.log('NOT pinned: taskset is missing.');
// First, while the process is as small as it was.
for (const [name, content] of Object.entries({ base64: json, multipart: parts })) {
  const send = relay(createHttpClient(), content);
  await send();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  for (let turn = 0; turn < 3; turn += 1) await Promise.all(Array.from({ length: many }, send));
  clearInterval(timer);
  console.log(`${many} at once, ${name}: ${Math.round((peak - before) / mb)} MB more at the peak`);
}

for (const { title, senders } of contests) {
  const entries = Object.entries(senders).map(([name, send]) => ({ name, send, ms: [] as number[] }));
  for (const { send } of entries) await cpuMs(send);
  for (let round = 0; round < rounds; round += 1) {
    for (const { send, ms } of entries) ms.push(await cpuMs(send));
  }
  const times = (ms: readonly number[], base: number) =>
    middle(ms.map((one, round) => one / (entries[base]?.ms[round] ?? Number.NaN))).toFixed(2);
  console.log(title);
  console.table(
    Object.fromEntries(
      entries.map(({ name, ms }) => [
        name,
        { 'CPU ms': middle(ms).toFixed(1), 'times put together': times(ms, 0), 'times ready': times(ms, 1) },
      ]),
    ),
  );
}

process.exit();
