/** The servers that the sites talk to: the built relay, and the sink of its deliveries. */
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort, listenLow } from '../../scripts/machine.ts';
import { RelayProcess } from '../chaos/relays.ts';

/** A server whose port stays reserved while the server is down. */
export async function listener(handle: http.RequestListener) {
  const server = http.createServer(handle);
  const port = await listenLow(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    start: () => listenLow(server, port),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function startSink() {
  /** Accepted submissions, in order. */
  const taken: URLSearchParams[] = [];
  const one = await listener(async (request, response) => {
    taken.push(new URLSearchParams(await text(request)));
    // Long enough for a second click.
    setTimeout(() => response.end(), 50);
  });
  return { ...one, taken };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

interface Change {
  readonly formTtl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const usualTtl = '2h';

export async function startWorld(template: string) {
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
  /** Stops the relay if it is running, then starts it. */
  const restart = async ({ formTtl = usualTtl, env = {} }: Change = {}) => {
    await stopRelay();
    const secret = { FORM_TOKEN_SECRET: 'not so secret' };
    running = new RelayProcess(port, { CONFIG_INLINE: config(formTtl), ...secret, ...env });
    await running.listening;
  };
  await restart();
  return {
    relay: `http://127.0.0.1:${port}`,
    sink,
    /** The relay's config when nothing is wrong. */
    config: config(usualTtl),
    restart,
    stopRelay,
    close: async () => {
      await stopRelay();
      await sink.stop();
    },
  };
}
