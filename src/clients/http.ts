import type { Agent, Dispatcher } from 'undici';
import { ClientError, type HttpAnswer, type HttpClient, type HttpPost } from '../effects.ts';
import { connectionFailure, connectionRemedy } from './failure.ts';

/**
 * POSTs through undici, one pool of keep-alive connections an origin, for as long as one of them
 * is open: the fast client, for a process that lives on. The first POST loads undici.
 *
 * Nothing is ever sent twice. undici closes an idle connection 2 s before the server's
 * `Keep-Alive: timeout` says it will, or after 4 s where it says nothing, and looks for a FIN
 * before it uses one again. What remains is a server that closes while the POST is on its way:
 * that POST fails, because nobody knows whether it was taken.
 *
 * `close` resolves when every POST under way has ended.
 */
export function createUndiciClient(): HttpClient & { close(): Promise<void> } {
  let agent: Agent | undefined;

  const dispatch = (through: Agent, { url, headers, body, timeoutMs }: HttpPost) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      const { origin, pathname, search } = url;
      const exchange = new Exchange(timeoutMs, resolve, reject);
      through.dispatch({ origin, method: 'POST', path: pathname + search, headers, body }, exchange);
    });

  const post: HttpClient = (request) => {
    if (agent !== undefined) return dispatch(agent, request);
    return import('undici').then(({ Agent }) => {
      agent ??= new Agent(agentOptions);
      return dispatch(agent, request);
    });
  };
  return Object.assign(post, {
    close: async () => {
      if (agent && !agent.destroyed) await agent.close();
    },
  });
}

const agentOptions: Agent.Options = {
  pipelining: 1,
  // A server that hangs must not take every file descriptor: beyond this, POSTs wait in line.
  connections: 256,
  // No submission lasts longer (D15). This ends a connect that no POST waits for any more.
  connectTimeout: 25_000,
  // The exchange has its own timer: undici's are up to a second late.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/**
 * One POST: undici's handler, with one timer over everything. It speaks undici's older handler
 * interface (`onConnect`, `onHeaders`, ...), because the newer one parses every answer's headers:
 * an eighth of a POST's CPU time, for headers that only a redirect needs.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly timeoutMs: number;
  private readonly resolve: (answer: HttpAnswer) => void;
  private readonly reject: (error: ClientError) => void;
  private readonly timer: NodeJS.Timeout;
  private expired = false;
  private abort: ((error: Error) => void) | undefined;
  private status = 0;
  private rawHeaders: readonly Buffer[] = [];
  private readonly chunks: Buffer[] = [];
  private sizeBytes = 0;

  constructor(
    timeoutMs: number,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: ClientError) => void,
  ) {
    this.timeoutMs = timeoutMs;
    this.resolve = resolve;
    this.reject = reject;
    this.timer = setTimeout(expire, timeoutMs, this);
  }

  /** A connection is free, and undici is about to write the POST to it. */
  onConnect(abort: (error: Error) => void): void {
    // Throwing withholds the POST and keeps the connection; `abort` would close it.
    if (this.expired) throw new ClientError('expired');
    this.abort = abort;
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    // The last call is the answer's; the ones before are 1xx.
    this.status = status;
    this.rawHeaders = rawHeaders;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > bodyLimitBytes) {
      this.onComplete();
      this.abort?.(new ClientError('read enough'));
    }
    return true;
  }

  onComplete(): void {
    clearTimeout(this.timer);
    const { chunks, status, rawHeaders } = this;
    const bytes = chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
    this.resolve(new Answer(status, rawHeaders, bytes?.toString('utf8', 0, bodyLimitBytes) ?? ''));
  }

  /** An abort comes here too; the promise is settled by then. */
  onError(error: Error): void {
    clearTimeout(this.timer);
    this.reject(failure(error, this.status >= 200));
  }

  expire(): void {
    this.expired = true;
    const error = new ClientError(`no complete answer within ${this.timeoutMs} ms`);
    this.reject(error);
    this.abort?.(error);
  }
}

const bodyLimitBytes = 65_536;

function expire(exchange: Exchange): void {
  exchange.expire();
}

/** Reads its headers when somebody asks. */
class Answer implements HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly #rawHeaders: readonly Buffer[];

  constructor(status: number, rawHeaders: readonly Buffer[], body: string) {
    this.status = status;
    this.#rawHeaders = rawHeaders;
    this.body = body;
  }

  get headers(): HttpAnswer['headers'] {
    const headers: Record<string, string> = Object.create(null);
    const texts = this.#rawHeaders.map((bytes) => bytes.toString('latin1'));
    for (let i = 0; i < texts.length; i += 2) {
      const name = texts[i]?.toLowerCase() ?? '';
      const value = texts[i + 1] ?? '';
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return headers;
  }
}

/** With the operator's reason. Of undici's own messages, only those about the request's form are safe to repeat. */
function failure(error: NodeJS.ErrnoException, answering: boolean): ClientError {
  const closed = answering
    ? 'the connection closed before the answer was complete'
    : 'the connection closed before an answer came';
  const code = error.code ?? '';
  // Its code is missing more often than not.
  if (error.name === 'HTTPParserError') return new ClientError('the answer is not HTTP');
  switch (code) {
    case 'UND_ERR_SOCKET':
      // RFC 9110, 15.2 allows an unasked-for 100, undici does not.
      return error.message.startsWith('bad ')
        ? new ClientError('the answer is an unexpected 100 or 101')
        : new ClientError(closed, { retryAfterMs: 0 });
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new ClientError(closed, { retryAfterMs: 0 });
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new ClientError("the answer's headers are too long");
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new ClientError('connect ETIMEDOUT', { retryAfterMs: 0, isUnsent: true });
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
      return new ClientError(`the request cannot be sent: ${error.message}`);
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return new ClientError('the client is closed');
    default:
      return new ClientError(connectionFailure(error, closed), connectionRemedy(error));
  }
}
