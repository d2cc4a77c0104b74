/** Servers that try each submission under one `Idempotency-Key` until it is acknowledged, while relays are killed: see README.md. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { between, chance } from './chance.ts';
import { listenLow } from './listener.ts';
import { type CountIn, killAll, stores } from './places.ts';
import { Copy } from './relays.ts';

export interface KeysOptions {
  readonly in: CountIn;
  readonly submissions: number;
  readonly relays: number;
  readonly connections: number;
  /** A relay is killed after about as many answers. */
  readonly killAfter: number;
  readonly seed: number;
}

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));
const run = promisify(execFile);

const senders = ['KEY_BILLING', 'KEY_SHOP'] as const;
const keyOf = (sender: string) => `frk_${sender}_0123456789abcdefghijklmnopqrstuvwxyz`;

/** A try that is cut off holds its key for half a minute; for longer than this, something is wrong. */
const patienceMs = 120_000;

export async function runKeys(options: KeysOptions) {
  const { submissions, seed } = options;
  const folder = mkdtempSync(join(tmpdir(), 'relay-keys-'));
  const store = await stores[options.in](folder, seed);
  const sink = await startSink(seed);
  const config = join(folder, 'webform.yaml');
  writeFileSync(config, configOf(store.name, sink.port));
  const env = {
    ...store.env,
    ...Object.fromEntries(senders.map((sender) => [sender, keyOf(sender)])),
    RELAY_CONFIG: config,
  };
  if (options.in === 'nats')
    await run(process.execPath, [program, 'keep', 'setup', '--in', store.name], {
      env: { ...process.env, ...env },
    });
  const copies = await Promise.all(Array.from({ length: options.relays }, () => Copy.start(env)));
  const killing = killAll(copies, options);
  let isOver = false;
  const troubling = (async () => {
    for (let troubles = 0; !isOver; troubles += 1) {
      await sleep(between(2_000, 6_000, chance(seed, 7, troubles)));
      if (!isOver) await store.trouble();
    }
  })();

  const violations: string[] = [];
  const claim = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  const statuses = new Map<string, number>();
  /** The answers that acknowledged each submission. */
  const acknowledged = new Map<number, string[]>();
  let tries = 0;
  /** Tries until it is acknowledged, at one relay after the other. */
  const send = async (number: number, first: number) => {
    const until = performance.now() + patienceMs;
    for (let at = first; performance.now() < until; at += 1) {
      const { relay } = copies[at % copies.length] as Copy;
      const answer = await post(relay.port, number);
      tries += 1;
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
      if (answer.status === 200) {
        acknowledged.set(number, [...(acknowledged.get(number) ?? []), answer.body]);
        return;
      }
      await sleep(answer.status === 409 ? 1_000 : 50);
    }
    violations.push(`submission ${number} was never acknowledged`);
  };
  let next = 0;
  const work = async () => {
    while (next < submissions) {
      const number = next;
      next += 1;
      // Two servers have some of them.
      const isTwice = chance(seed, 11, number) < 0.2;
      await Promise.all([send(number, number), ...(isTwice ? [send(number, number + 1)] : [])]);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, work));
  isOver = true;
  await troubling;
  const kills = await killing.end();

  let outbound = 0;
  for (let number = 0; number < submissions; number += 1) {
    const keys = sink.seen.get(number) ?? [];
    outbound += keys.length;
    claim(sink.taken.has(number), `submission ${number} was acknowledged, and has not arrived`);
    claim(
      new Set(keys).size <= 1,
      `submission ${number} was sent under ${new Set(keys).size} Idempotency-Keys`,
    );
    const again = await post((copies[0] as Copy).relay.port, number);
    const answers = new Set([...(acknowledged.get(number) ?? []), again.body]);
    claim(again.isReplayed && answers.size === 1, `submission ${number} has ${answers.size} answers`);
    claim(
      (sink.seen.get(number) ?? []).length === keys.length,
      `submission ${number} was sent after its answer`,
    );
  }
  for (const copy of copies) {
    await copy.end('SIGTERM');
    violations.push(...copy.ended.flatMap(({ faults }) => faults));
  }
  await store.close();
  await sink.close();
  rmSync(folder, { recursive: true });
  return {
    violations,
    tries,
    /** Posts to the sink beyond the first, each under the same key. */
    repeated: outbound - submissions,
    kills,
    statuses: Object.fromEntries([...statuses].toSorted()),
  };
}

const configOf = (store: string, port: number) => `
counted_in: ${store}
forms:
  order:
    fields: [{name: number, type: number, required: true}]
    keys_env: [${senders.join(', ')}]
    keys_limit: off
    outputs:
      - {type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*", retries: 0, timeout: 5s}
`;

/** Takes most, after a while, and then hangs up or fails now and then. */
async function startSink(seed: number) {
  /** The `Idempotency-Key`s under which each submission came, in order. */
  const seen = new Map<number, string[]>();
  const taken = new Set<number>();
  let asked = 0;
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const number = Number(new URLSearchParams(body).get('number'));
    seen.set(number, [...(seen.get(number) ?? []), String(request.headers['idempotency-key'])]);
    asked += 1;
    await sleep(between(0, 40, chance(seed, 4, asked)));
    const at = chance(seed, 3, asked);
    if (at < 0.1) return response.writeHead(503).end();
    taken.add(number);
    await sleep(between(0, 40, chance(seed, 5, asked)));
    return at < 0.2 ? request.socket.destroy() : response.end();
  });
  const port = await listenLow(server);
  return {
    port,
    seen: seen as ReadonlyMap<number, readonly string[]>,
    taken: taken as ReadonlySet<number>,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

interface Answered {
  /** Or why there is none. */
  readonly status: number | 'refused' | 'cut';
  readonly body: string;
  readonly isReplayed: boolean;
}

const post = (port: number, number: number): Promise<Answered> =>
  new Promise((resolve) => {
    const none = (status: 'refused' | 'cut') => resolve({ status, body: '', isReplayed: false });
    const body = JSON.stringify({ number });
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/v1/submit/order',
        agent: false,
        headers: {
          authorization: `Bearer ${keyOf(senders[number % 2] as string)}`,
          'idempotency-key': `"submission-${number >> 1}"`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      async (response) => {
        let text = '';
        response.on('error', () => none('cut'));
        response.on('close', () => none('cut'));
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 'cut',
            body: text,
            isReplayed: response.headers['idempotency-replayed'] === 'true',
          }),
        );
      },
    );
    request.setTimeout(40_000, () => request.destroy());
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      none(code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    request.end(body);
  });
