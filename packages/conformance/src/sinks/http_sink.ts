import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Post {
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  /** Name, value, name, value, as sent. */
  readonly rawHeaders: readonly string[];
  readonly headers: http.IncomingHttpHeaders;
  /** Latin-1: a character for each byte. */
  readonly body: string;
  /** The body's names and values, in order. */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** The status of the sink's answer. */
  readonly answered: number;
}

export interface HttpSink {
  readonly origin: string;
  /** Every complete request, in order. */
  readonly posts: readonly Post[];
  close(): Promise<void>;
}

/** A secret in the answers of the sink at `/tell`. */
export const sinkSecret = 'S3CRET-of-the-receiver';

/**
 * The host of HTTP outputs, and of a captcha's provider. What it does stands in the path's first word: `take` answers 200,
 * `fail-500` that status, `flaky` 503 at the first try of each text, `hang` never, `garbage` no HTTP, `cut` nothing,
 * `endless` without end, `tell` 500 with a secret, `captcha` whether the token begins with `good`, `captcha-garbage` no verdict.
 */
export async function startHttpSink(host: string, port = 0): Promise<HttpSink> {
  const posts: Post[] = [];
  const tried = new Set<string>();
  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { url: path = '/', method = '', rawHeaders, headers } = incoming;
      const body = Buffer.concat(chunks).toString('latin1');
      const kind = path.split('/')[1] ?? '';
      const isFirst = !tried.has(body);
      tried.add(body);
      const answered = statusFor(kind, isFirst);
      const values = valuesIn(headers['content-type'], body);
      posts.push({ path, method, rawHeaders, headers, body, values, answered });
      answer(kind, answered, values, response);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Other products may post JSON: what arrived in it is seen there, too. Some only say that it is. */
function valuesIn(type: string | undefined, body: string): Post['values'] {
  const pairs = [...new URLSearchParams(body)];
  if (!/^application\/json/i.test(type ?? '')) return pairs;
  try {
    const given: unknown = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
    return Object.entries(given ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one): readonly [string, string] => [name, `${one}`]),
    );
  } catch {
    return pairs;
  }
}

function statusFor(kind: string, isFirst: boolean): number {
  const failed = /^fail-(\d{3})$/.exec(kind)?.[1];
  if (failed !== undefined) return Number(failed);
  if (kind === 'flaky') return isFirst ? 503 : 200;
  return kind === 'tell' ? 500 : 200;
}

function answer(kind: string, status: number, values: Post['values'], response: http.ServerResponse): void {
  switch (kind) {
    case 'hang':
      return;
    case 'cut':
      response.socket?.destroy();
      return;
    case 'garbage':
    case 'captcha-garbage':
      response.socket?.end('this is no HTTP\r\n\r\n');
      return;
    case 'endless': {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.writeHead(200).on('drain', more);
      more();
      return;
    }
    case 'tell':
      response
        .writeHead(status, { 'x-told': sinkSecret })
        .end(`${sinkSecret}\n    at deliver (/srv/app.js:1:1)`);
      return;
    case 'captcha': {
      const token = values.find(([name]) => name === 'response')?.[1] ?? '';
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: token.startsWith('good') }));
      return;
    }
    default:
      response.writeHead(status).end();
  }
}
