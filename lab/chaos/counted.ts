/** Relays that count in a store, while they are killed and the store fails: what the runs of places and of keys share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasNats, startNats } from '../../test/support/nats.ts';
import { between, chance } from './chance.ts';
import { listenLow } from './listener.ts';
import { Copy, faultsOf, relayCommand, restartAll } from './relays.ts';

export type CountIn = 'folder' | 'nats';
export const countIn: readonly CountIn[] = hasNats ? ['folder', 'nats'] : ['folder'];

export interface CountedOptions {
  readonly in: CountIn;
  readonly relays: number;
  readonly connections: number;
  /** A relay is killed after about as many answers. */
  readonly killAfter: number;
  readonly seed: number;
}

type Sink = (request: http.IncomingMessage, body: string) => Promise<number | 'hang up'>;

/** @param forms From the sink's output to what stands below `forms` in the config. */
export async function openCounted(
  options: CountedOptions,
  more: Readonly<Record<string, string>>,
  forms: (output: string) => string,
  sink: Sink,
) {
  const { seed } = options;
  const folder = mkdtempSync(join(tmpdir(), 'relay-counted-'));
  const store = await stores[options.in](folder);
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const status = await sink(request, body);
    if (status === 'hang up') request.socket.destroy();
    else response.writeHead(status).end();
  });
  const port = await listenLow(server);
  const url = `http://127.0.0.1:${port}/`;
  const output = `{type: http_post, url: "${url}", mapping: "*", retries: 0, timeout: 5s}`;
  const config = join(folder, 'webform.yaml');
  writeFileSync(config, `counted_in: ${store.name}\nforms:\n${forms(output)}`);
  const env = { ...store.env, ...more, RELAY_CONFIG: config };
  const relay = (...words: readonly string[]) => relayCommand(['--config', config, ...words], env);
  if (options.in === 'nats') await relay('keep', 'setup', '--in', store.name);
  const copies = await Copy.startAll(options.relays, env);
  const killing = restartAll(copies, options);
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
  return {
    ...{ copies, relay, port },
    /** Nothing fails any more. */
    calm: async () => {
      isOver = true;
      await troubling;
      const { SIGKILL } = await killing.end();
      return { kills: { SIGKILL }, troubles };
    },
    /** Ends all of it, and says what went wrong with relays. */
    end: async (): Promise<readonly string[]> => {
      const lives = await Copy.endAll(copies);
      await store.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
      return faultsOf(lives);
    },
  };
}

export interface Answered {
  /** Or why there is none. */
  readonly status: number | 'refused' | 'cut';
  readonly body: string;
  readonly headers: http.IncomingHttpHeaders;
}

/** @param to A form, or a path. An empty body gets it. */
export const post = (
  port: number,
  to: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> =>
  new Promise((resolve) => {
    const none = (status: 'refused' | 'cut') => resolve({ status, body: '', headers: {} });
    const path = to.startsWith('/') ? to : `/api/v1/submit/${to}`;
    const method = body === '' ? 'GET' : 'POST';
    const options = { host: '127.0.0.1', port, method, path, agent: false, headers };
    const request = http.request(options, (response) => {
      let text = '';
      response.on('error', () => none('cut')).on('close', () => none('cut'));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 'cut', body: text, headers: response.headers }),
      );
    });
    request.setTimeout(40_000, () => request.destroy());
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      none(code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    request.end(body);
  });

interface Store {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Something goes wrong with it for a moment. */
  readonly trouble: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const stores: Readonly<Record<CountIn, (folder: string) => Promise<Store>>> = {
  folder: async (folder) => ({ name: folder, env: {}, trouble: async () => {}, close: async () => {} }),
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
