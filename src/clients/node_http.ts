import http from 'node:http';
import https from 'node:https';
import { ClientError, type HttpClient } from '../effects.ts';
import { connectionFailure } from './failure.ts';

export interface NodeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The whole exchange, from connecting to the end of the answer. */
  readonly timeoutMs: number;
  /** How much of the answer's body is read. */
  readonly limitBytes: number;
}

export interface NodeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Whether the answer's body was longer than `limitBytes`. */
  readonly isCut: boolean;
}

/** Sends one request and follows no redirect. Rejects with a `ClientError` when no complete answer came. */
export type NodeHttp = (request: NodeRequest) => Promise<NodeAnswer>;

/** Servers close idle connections after 5 s and more; a connection that rested shorter can be trusted. */
const trustedIdleMs = 4_000;

/**
 * HTTP over Node's own client: slower than undici, but loaded in a tenth of the time, which counts where every cold
 * start is somebody's wait (docs/decisions). A function that was frozen finds its connections dead when it thaws,
 * so connections that rested too long are not used again.
 */
export function createNodeHttp(now: () => number): NodeHttp {
  let agents = newAgents();
  let usedAt = now();
  return (request) => {
    if (now() - usedAt > trustedIdleMs) {
      agents.http.destroy();
      agents.https.destroy();
      agents = newAgents();
    }
    usedAt = now();
    return exchange(request, request.url.protocol === 'https:' ? agents.https : agents.http).finally(() => {
      usedAt = now();
    });
  };
}

const newAgents = () => ({
  http: new http.Agent({ keepAlive: true }),
  https: new https.Agent({ keepAlive: true }),
});

function exchange(request: NodeRequest, agent: http.Agent): Promise<NodeAnswer> {
  const { method, url, headers, body, timeoutMs, limitBytes } = request;
  const { request: send } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = send(url, { method, agent, headers: { ...headers, ...length } });
    const timer = setTimeout(() => {
      outgoing.destroy(new ClientError(`no complete answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const fail = (error: Error, closed: string) => {
      clearTimeout(timer);
      reject(error instanceof ClientError ? error : new ClientError(connectionFailure(error, closed)));
    };
    outgoing.on('error', (error) => fail(error, 'the connection closed before an answer came'));
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      const finish = (isCut: boolean) => {
        clearTimeout(timer);
        const status = incoming.statusCode ?? 0;
        resolve({
          status,
          headers: joined(incoming.headers),
          body: Buffer.concat(chunks).subarray(0, limitBytes),
          isCut,
        });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        sizeBytes += chunk.length;
        if (sizeBytes <= limitBytes) return;
        finish(true);
        outgoing.destroy();
      });
      incoming.on('end', () => finish(false));
      incoming.on('error', (error) => fail(error, 'the connection closed before the answer was complete'));
    });
    outgoing.end(method === 'GET' ? undefined : body);
  });
}

const joined = (headers: http.IncomingHttpHeaders): NodeAnswer['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

/** The same, as the outputs and captchas use it. */
export function createNodeHttpClient(now: () => number): HttpClient {
  const send = createNodeHttp(now);
  return async ({ url, headers, body, timeoutMs }) => {
    const answer = await send({ method: 'POST', url, headers, body, timeoutMs, limitBytes: 65_536 });
    return { status: answer.status, headers: answer.headers, body: answer.body.toString('utf8') };
  };
}
