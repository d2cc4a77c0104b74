/** The servers that the sites talk to: the built relay, the sink of its deliveries, and a server for files. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { extname, join, normalize } from 'node:path';
import { freePort } from '../chaos/listener.ts';
import { RelayProcess } from '../chaos/relays.ts';

interface Listener {
  readonly origin: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A server on a port that stays its own while it is down. */
export async function listener(handle: http.RequestListener): Promise<Listener> {
  const port = await freePort();
  let server: http.Server | undefined;
  const one: Listener = {
    origin: `http://127.0.0.1:${port}`,
    start: async () => {
      server = http.createServer(handle).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    stop: async () => {
      if (!server) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      server = undefined;
    },
  };
  await one.start();
  return one;
}

export interface Sink extends Listener {
  /** The submissions that it took, in order. */
  readonly taken: readonly URLSearchParams[];
}

export async function startSink(): Promise<Sink> {
  const taken: URLSearchParams[] = [];
  const one = await listener(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    taken.push(new URLSearchParams(body));
    // Long enough for a second click.
    setTimeout(() => response.end(), 50);
  });
  return { ...one, taken };
}

export interface World {
  readonly relay: string;
  readonly sink: Sink;
  /** As the relay has it when nothing is wrong. */
  readonly config: string;
  /** Stops the relay, if it runs, and starts it. */
  restart(change?: { formTtl?: string; env?: Readonly<Record<string, string>> }): Promise<void>;
  stopRelay(): Promise<void>;
  close(): Promise<void>;
}

const usualTtl = '2h';

export async function startWorld(template: string): Promise<World> {
  const sink = await startSink();
  const port = await freePort();
  let running: RelayProcess | undefined;
  const config = (formTtl: string) =>
    template.replaceAll('$sink', `${sink.origin}/`).replaceAll('$ttl', formTtl);
  const stopRelay = async () => {
    const faults = running?.faults ?? [];
    await running?.end('SIGTERM');
    running = undefined;
    if (faults.length > 0) throw new Error(`the relay: ${faults.join('\n')}`);
  };
  const world: World = {
    relay: `http://127.0.0.1:${port}`,
    sink,
    config: config(usualTtl),
    restart: async ({ formTtl = usualTtl, env } = {}) => {
      await stopRelay();
      const secret = { FORM_TOKEN_SECRET: 'not so secret' };
      running = new RelayProcess(port, { CONFIG_INLINE: config(formTtl), ...secret, ...env });
      await running.listening;
    },
    stopRelay,
    close: async () => {
      await stopRelay();
      await sink.stop();
    },
  };
  await world.restart();
  return world;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** As hosts of static sites do: `/tag/` is `tag/index.html`, and what is not there is the index of an app that has one. */
export function serveFolder(folder: string): Promise<Listener> {
  const read = async (path: string) => ({ path, content: await readFile(join(folder, normalize(path))) });
  return listener(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const isPage = extname(path) === '';
    const found = await read(isPage ? `${path}/index.html` : path)
      .catch(() => (isPage ? read('/index.html') : undefined))
      .catch(() => undefined);
    // A page that takes a form for itself: what is sent there is lost.
    const status = request.method !== 'GET' ? 405 : found ? 200 : 404;
    response.writeHead(status, { 'content-type': types[extname(found?.path ?? '')] ?? 'text/plain' });
    response.end(status === 200 ? found?.content : 'Nothing here.');
  });
}
