/** Requests to relays, whatever their result. */
import http from 'node:http';

export interface Answer {
  /** Or why there is no status: no listener, connection closed, or timeout. */
  readonly status: number | 'refused' | 'cut' | 'silence';
  readonly hasBegun: boolean;
  readonly body: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface Asked {
  readonly port: number;
  readonly path: string;
  /** Default: POST with a body, GET without one. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default: a new connection. */
  readonly agent?: http.Agent;
  /** Sends the body in two halves with a pause between. */
  readonly pauseMs?: number | undefined;
  /** Disconnects before the answer. */
  readonly leaves?: boolean;
  readonly patienceMs?: number;
}

export const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

export const ask = ({ port, path, headers = {}, body = '', ...more }: Asked): Promise<Answer> =>
  new Promise((resolve) => {
    const {
      method = body === '' ? 'GET' : 'POST',
      agent = false,
      pauseMs,
      leaves,
      patienceMs = 40_000,
    } = more;
    const bytes = Buffer.from(body);
    const length = method === 'POST' && { 'content-length': bytes.length };
    const options = { host: '127.0.0.1', port, path, method, agent, headers: { ...headers, ...length } };
    let answer: http.IncomingMessage | undefined;
    let text = '';
    const end = (status: Answer['status']) =>
      resolve({ status, hasBegun: answer !== undefined, body: text, headers: answer?.headers ?? {} });
    const request = http.request(options, (response) => {
      answer = response;
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => end(response.statusCode ?? 'cut'));
      response.on('error', () => {}).on('close', () => end('cut'));
    });
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    request.setTimeout(patienceMs, () => {
      end('silence');
      request.destroy();
    });
    const finish = (rest: Buffer) => {
      request.end(rest);
      if (leaves) setTimeout(() => request.destroy(), 5);
    };
    if (pauseMs === undefined) return finish(bytes);
    const half = Math.floor(bytes.length / 2);
    request.write(bytes.subarray(0, half));
    setTimeout(finish, pauseMs, bytes.subarray(half));
  });
