/** So many visitors for so many places, while relays and their store are killed: see README.md. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startDynamo } from '../../test/support/aws/dynamodb.ts';
import { account } from '../../test/support/aws/signature.ts';
import { hasNats, startNats } from '../../test/support/nats.ts';
import { between, chance } from './chance.ts';
import { listenLow } from './listener.ts';
import { Copy } from './relays.ts';

export const countIn = ['folder', 'dynamodb', ...(hasNats ? (['nats'] as const) : [])] as const;
export type CountIn = 'folder' | 'dynamodb' | 'nats';

export interface PlacesOptions {
  readonly in: CountIn;
  readonly visitors: number;
  readonly places: number;
  readonly relays: number;
  readonly connections: number;
  /** A relay is killed after about as many answers. */
  readonly killAfter: number;
  readonly seed: number;
}

export interface Store {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Something goes wrong with it for a moment. */
  readonly trouble: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));
const run = promisify(execFile);

export async function runPlaces(options: PlacesOptions) {
  const { visitors, places, seed } = options;
  const folder = mkdtempSync(join(tmpdir(), 'relay-places-'));
  const store = await stores[options.in](folder, seed);
  const sink = await startSink(options);
  const config = join(folder, 'webform.yaml');
  writeFileSync(config, configOf(store.name, places, sink.port));
  const env = {
    ...store.env,
    RELAY_CONFIG: config,
    SMTP_EHLO_NAME: 'chaos',
  };
  if (options.in === 'nats')
    await run(process.execPath, [program, 'keep', 'setup', '--in', store.name], {
      env: { ...process.env, ...env },
    });
  const copies = await Promise.all(Array.from({ length: options.relays }, () => Copy.start(env)));
  const killing = killAll(copies, options);
  let isOver = false;
  let troubles = 0;
  const troubling = (async () => {
    while (!isOver) {
      await sleep(between(2_000, 6_000, chance(seed, 7, troubles)));
      if (isOver) return;
      troubles += 1;
      await store.trouble();
    }
  })();

  const statuses = new Map<string, number>();
  let acknowledged = 0;
  let next = 0;
  const visit = async () => {
    while (next < visitors) {
      const visitor = next;
      next += 1;
      const copy = copies[visitor % copies.length] as Copy;
      let status = await post(copy.relay.port, `visitor=${visitor}`);
      // Nobody listened, so that nothing was sent.
      while (status === 'refused') {
        await sleep(20);
        status = await post(copy.relay.port, `visitor=${visitor}`);
      }
      const named = String(status);
      statuses.set(named, (statuses.get(named) ?? 0) + 1);
      if (status === 200) acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: options.connections }, visit));
  isOver = true;
  await troubling;
  const kills = await killing.end();

  const violations: string[] = [];
  const claim = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  const relay = async (...args: string[]): Promise<Facts> => {
    const { stdout } = await run(
      process.execPath,
      [program, '--config', config, 'places', 'course', ...args, '--json'],
      {
        env: { ...process.env, ...env },
      },
    );
    return JSON.parse(stdout);
  };
  // What is reserved is hidden once it is older than any submission.
  await sleep(61_000);
  const facts = await relay();
  const [all] = facts.places;
  const hidden = new Set(facts.hidden.map(({ id }) => id));
  const settled = (all?.taken ?? 0) - hidden.size;
  const delivered = sink.taken;
  const openDelivered = [...delivered].filter((id) => hidden.has(id)).length;
  claim(acknowledged <= places, `${acknowledged} were acknowledged, of ${places} places`);
  claim(delivered.size <= places, `${delivered.size} were delivered, of ${places} places`);
  claim((all?.taken ?? 0) <= places, `${all?.taken} are taken, of ${places} places`);
  claim(acknowledged <= settled + hidden.size, 'an acknowledged one has no place');
  claim(
    settled === delivered.size - openDelivered,
    `${settled} are settled, and ${delivered.size - openDelivered} of those that arrived are not hidden`,
  );

  // The owner says what became of each, and the rest fills up.
  for (const id of hidden) await relay(delivered.has(id) ? '--settle' : '--release', id);
  const after = await relay();
  const left = after.places[0]?.left ?? 0;
  claim(after.hidden.length === 0, `${after.hidden.length} stay hidden`);
  claim((after.places[0]?.taken ?? 0) === delivered.size, 'what is taken is not what arrived');
  sink.behave();
  let more = 0;
  for (let visitor = 0; visitor < left + 20; visitor += 1) {
    const [copy] = copies;
    if ((await post(copy?.relay.port ?? 0, `visitor=later+${visitor}`)) === 200) more += 1;
  }
  claim(more === left, `${left} places were left, and ${more} were given`);
  claim(delivered.size === places, `${delivered.size} were delivered in the end, of ${places} places`);

  for (const copy of copies) {
    await copy.end('SIGTERM');
    violations.push(...copy.ended.flatMap(({ faults }) => faults));
  }
  await store.close();
  await sink.close();
  rmSync(folder, { recursive: true });
  return {
    violations,
    acknowledged,
    delivered: delivered.size - more,
    hidden: hidden.size,
    hidden_and_delivered: openDelivered,
    later: more,
    troubles,
    kills,
    statuses: Object.fromEntries([...statuses].toSorted()),
  };
}

interface Facts {
  readonly places: readonly { readonly taken: number; readonly left: number }[];
  readonly hidden: readonly { readonly id: string }[];
}

const configOf = (store: string, places: number, port: number) => `
counted_in: ${store}
forms:
  course:
    fields: [{name: visitor, required: true}]
    places: ${places}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*", retries: 0, timeout: 5s}
`;

/** Kills alone: what ends in its own time hides nothing. Each life answers some submissions, however slowly it started. */
export function killAll(
  copies: readonly Copy[],
  { seed, killAfter }: Pick<PlacesOptions, 'seed' | 'killAfter'>,
) {
  const counts = { SIGKILL: 0 };
  let isOver = false;
  const all = Promise.all(
    copies.map(async (copy, number) => {
      for (let count = 0; ; count += 1) {
        const most = killAfter * between(0.3, 1.7, chance(seed, number, count));
        while (!isOver && copy.relay.ended < most) await sleep(5);
        if (isOver) return;
        counts.SIGKILL += 1;
        await copy.replace('SIGKILL');
      }
    }),
  );
  return {
    end: async () => {
      isOver = true;
      await all;
      return counts;
    },
  };
}

/** Takes some, after a while, and refuses the others: places come back all the time. */
async function startSink({ seed, visitors, places }: PlacesOptions) {
  /** Ids of the submissions that it took. */
  const taken = new Set<string>();
  let asked = 0;
  let behaves = false;
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    const key = String(request.headers['idempotency-key']).replace(/-\d+$/, '');
    asked += 1;
    const at = chance(seed, 3, asked);
    const delayMs = behaves ? 0 : between(0, 60, chance(seed, 4, asked));
    await sleep(delayMs);
    // So few that the places last for most of the run.
    const takes = behaves || at < (0.6 * places) / visitors;
    if (takes) taken.add(key);
    // A relay that is killed here hides that the sink has it.
    await sleep(takes ? 5 * delayMs : delayMs);
    response.writeHead(takes ? 200 : 503).end();
  });
  const port = await listenLow(server);
  return {
    port,
    taken: taken as ReadonlySet<string>,
    behave: () => {
      behaves = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** The status, or why there is none. */
const post = (port: number, body: string): Promise<number | 'refused' | 'cut'> =>
  new Promise((resolve) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/v1/submit/course',
        agent: false,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 'cut'));
        response.on('error', () => resolve('cut'));
        response.on('close', () => resolve('cut'));
      },
    );
    request.setTimeout(30_000, () => request.destroy());
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    request.end(body);
  });

export const stores: Readonly<Record<CountIn, (folder: string, seed: number) => Promise<Store>>> = {
  folder: async (folder) => ({ name: folder, env: {}, trouble: async () => {}, close: async () => {} }),
  dynamodb: async (_, seed) => {
    const dynamo = await startDynamo();
    let asked = 0;
    return {
      name: 'dynamodb://places',
      env: { ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin },
      // Errors, and answers that get lost.
      trouble: async () => {
        dynamo.refuse = () => {
          asked += 1;
          const at = chance(seed, 9, asked);
          return at < 0.3 ? 'after' : at < 0.6 ? { status: 500, code: 'InternalServerError' } : undefined;
        };
        await sleep(200);
        dynamo.refuse = undefined;
      },
      close: dynamo.close,
    };
  },
  nats: async () => {
    const server = await startNats();
    return {
      name: `nats://127.0.0.1:${server.port}/relay`,
      env: {},
      trouble: async () => {
        await server.kill();
        await sleep(100);
        await server.start();
      },
      close: server.close,
    };
  },
};
