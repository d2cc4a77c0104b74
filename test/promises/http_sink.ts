import http from 'node:http';
import { listen } from '../support/listen.ts';

export interface Post {
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  /** Name, value, name, value, as sent. */
  readonly rawHeaders: readonly string[];
  readonly headers: http.IncomingHttpHeaders;
  /** Latin-1: one character per byte. */
  readonly body: string;
  /** The body's names and values, in order. */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** The status of the sink's answer. */
  readonly answered: number;
}

export type HttpSink = Awaited<ReturnType<typeof startHttpSink>>;

/** A secret in the sink's answers at `/tell`. */
export const sinkSecret = 'S3CRET-of-the-receiver';

/**
 * The host of HTTP outputs, and of a captcha provider. The path's first word decides the answer: `take`
 * answers 200, `fail-500` that status, `flaky` 503 on the first attempt of each text, `hang` never, `garbage`
 * not HTTP, `cut` nothing, `endless` without end, `tell` 500 with a secret, `captcha` success if the token
 * begins with `good`, `captcha-garbage` no verdict.
 */
export async function startHttpSink() {
  /** Every complete request, in order. */
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
      const values = [...new URLSearchParams(body)];
      posts.push({ path, method, rawHeaders, headers, body, values, answered });
      answer(kind, answered, values, response);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    posts: posts as readonly Post[],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function statusFor(kind: string, isFirst: boolean): number {
  const failed = /^fail-(\d{3})$/.exec(kind)?.[1];
  if (failed !== undefined) return Number(failed);
  if (kind === 'flaky') return isFirst ? 503 : 200;
  return kind === 'tell' ? 500 : 200;
}

function answer(kind: string, status: number, values: Post['values'], response: http.ServerResponse): void {
  response.statusCode = status;
  switch (kind) {
    case 'hang':
      return;
    case 'cut':
      return void response.socket?.destroy();
    case 'garbage':
    case 'captcha-garbage':
      return void response.socket?.end('this is no HTTP\r\n\r\n');
    case 'endless': {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
      return;
    }
    case 'tell':
      response.setHeader('x-told', sinkSecret);
      return void response.end(`${sinkSecret}\n    at deliver (/srv/app.js:1:1)`);
    case 'captcha': {
      const token = values.find(([name]) => name === 'response')?.[1] ?? '';
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ success: token.startsWith('good') }));
    }
    default:
      response.end();
  }
}
