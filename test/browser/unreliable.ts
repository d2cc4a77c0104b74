import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between a page and its relay that fails as such things do. */
export interface Unreliable {
  readonly origin: string;
  /** `down` breaks connections, `lost` only once the relay has answered a POST, `foreign` answers with a page of its own, `waiting` lets requests wait until it is something else. */
  mode: 'fine' | 'down' | 'lost' | 'foreign' | 'waiting';
  /** Only for requests whose address holds this. */
  about: string;
  /** Headers added to each answer. */
  headers: http.OutgoingHttpHeaders;
  /** Method and address of each request. */
  readonly requests: readonly string[];
}

export async function unreliable(relay: string): Promise<Unreliable> {
  const requests: string[] = [];
  const state: Pick<Unreliable, 'mode' | 'about' | 'headers'> = { mode: 'fine', about: '', headers: {} };
  const server = http.createServer(async (incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    requests.push(`${method} ${url}`);
    const isMeant = () => url.includes(state.about);
    while (state.mode === 'waiting' && isMeant()) await new Promise((then) => setTimeout(then, 20));
    if (state.mode === 'down' && isMeant()) {
      incoming.socket.destroy();
      return;
    }
    if (state.mode === 'foreign' && isMeant()) {
      outgoing.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      outgoing.end('<!doctype html><title>Hotel Wi-Fi</title><form class="login"><input name="room"></form>');
      return;
    }
    const { host, ...sent } = headers;
    const onward = http.request(relay + url, { method, headers: sent }, (answer) => {
      if (state.mode === 'lost' && isMeant() && method === 'POST') {
        answer.resume();
        incoming.socket.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...state.headers });
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    // Leaving a page may abort its requests, and so may the end of a test.
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    state.mode = 'fine';
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    get headers() {
      return state.headers;
    },
    set headers(headers) {
      state.headers = headers;
    },
    get about() {
      return state.about;
    },
    set about(about) {
      state.about = about;
    },
  };
}
