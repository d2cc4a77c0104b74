/** Form Relay in this process, and what can be made wrong with it. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Adapter, Asked } from '../../packages/conformance/src/adapter.ts';
import type { Effects, HttpRequest } from '../../packages/relay/src/base/effects.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { createNodeServer } from '../../packages/relay/src/runtimes/node/server.ts';
import { createHttpClient } from '../../packages/relay/src/transports/http/http_client.ts';
import { createSmtpClient } from '../../packages/relay/src/transports/smtp/smtp_client.ts';

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Each changes what it is given, and passes it on. */
export interface Faults {
  /** What the product is told about its forms and settings. */
  readonly asked?: (asked: Asked) => Asked;
  /** What reaches the relay of a request. */
  readonly request?: (request: Passing) => Passing;
  /** What reaches the visitor of an answer. */
  readonly answer?: (answer: Came, request: Passing) => Came | Promise<Came>;
  /** What reaches an output's host; `undefined`: nothing. */
  readonly post?: (request: HttpRequest) => HttpRequest | undefined;
  readonly mail?: (message: Parameters<Effects['smtp']>[0]) => Parameters<Effects['smtp']>[0] | undefined;
  /** Lets go whoever is slow after half a second. */
  readonly isImpatient?: boolean;
}

/** The relay with faults, which may be none. */
export const relayProduct = (faults: Faults = {}): Adapter => ({
  name: 'Form Relay with faults',
  async start(given) {
    const asked = faults.asked?.(given) ?? given;
    const [http, mail] = [createHttpClient(), createSmtpClient()];
    const { post = (request) => request, mail: letter = (message) => message } = faults;
    const relay = createRelay({
      config: JSON.stringify({ forms: asked.forms }),
      env: {
        ...asked.env,
        FORM_TOKEN_SECRET: asked.tokenSecret,
        ALLOWED_ORIGINS: asked.allowedOrigins.join(','),
        THROTTLE_RATE_LIMIT: `${asked.throttle.rate}`,
        THROTTLE_BURST_LIMIT: `${asked.throttle.burst}`,
        TRUSTED_PROXIES: 'none',
      },
      effects: {
        log: () => {},
        http: async (request) => {
          const changed = post(request);
          return changed ? http(changed) : { status: 200, headers: {}, body: '' };
        },
        smtp: async (message) => {
          const changed = letter(message);
          if (changed) await mail(changed);
        },
      },
    });
    const server = createNodeServer(relay.handle, { log: relay.effects.log, limits: relay.settings });
    if (faults.isImpatient) {
      server.headersTimeout = 500;
      server.requestTimeout = 500;
    }
    const inner = await listen(server);
    const front = faults.request || faults.answer ? proxy(inner, faults) : undefined;
    return {
      url: `http://127.0.0.1:${front ? await listen(front) : inner}`,
      stop: async () => {
        for (const one of [front, server]) {
          one?.close();
          one?.closeAllConnections();
        }
        await relay.close();
      },
    };
  },
});

const listen = async (server: http.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** Whole requests in, whole answers out. */
const proxy = (port: number, { request = (same) => same, answer = (same) => same }: Faults) =>
  http.createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      // It was cut.
      return;
    }
    const given: Passing = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
      ),
      body: Buffer.concat(chunks).toString('latin1'),
    };
    const { method, path, headers, body } = request(given);
    const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...own } = headers;
    const asked = http.request({
      port,
      method,
      path,
      headers: { ...own, ...(body !== '' && { 'content-length': `${body.length}` }) },
    });
    asked.on('error', () => outgoing.destroy());
    asked.on('response', async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      const came = await answer(
        {
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, `${value}`]),
          ),
          text: Buffer.concat(parts).toString('utf8'),
        },
        given,
      );
      const { 'content-length': ____, connection: _____, ...kept } = came.headers;
      outgoing.writeHead(came.status, kept).end(came.text);
    });
    asked.end(Buffer.from(body, 'latin1'));
  });
