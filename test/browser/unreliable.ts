import http from 'node:http';
import { listen } from '../support/listen.ts';
import { passOn } from './pass_on.ts';

/** A proxy between a page and its relay that fails in typical ways. */
export interface Unreliable {
  readonly origin: string;
  /** `down` breaks connections, `lost` breaks them after the relay has answered a POST, `foreign` answers with another page. */
  mode: 'fine' | 'down' | 'lost' | 'foreign';
  /** Applies only to requests whose URL contains this. */
  about: string;
  /** Method and URL of each request. */
  readonly requests: readonly string[];
}

export async function unreliable(relay: string): Promise<Unreliable> {
  const requests: string[] = [];
  const server = http.createServer((incoming, outgoing) => {
    const { url = '', method, headers, socket } = incoming;
    requests.push(`${method} ${url}`);
    const mode = () => (url.includes(way.about) ? way.mode : 'fine');
    if (mode() === 'down') return void socket.destroy();
    if (mode() === 'foreign') {
      outgoing.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      outgoing.end('<!doctype html><title>Hotel Wi-Fi</title><form class="login"><input name="room"></form>');
      return;
    }
    const { host: _, ...sent } = headers;
    passOn(relay, incoming, outgoing, sent, () => {
      const isLost = mode() === 'lost' && method === 'POST';
      if (isLost) socket.destroy();
      return !isLost;
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const way: Unreliable = { origin, requests, mode: 'fine', about: '' };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return way;
}
