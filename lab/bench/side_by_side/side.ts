/** One build: its relay, its sinks, and one connection to it that is opened anew when it was closed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../submission.ts';
import { configFor } from './form_kinds.ts';
import { masked } from './mask.ts';
import type { Sending, Tokens } from './requests.ts';
import { bodyOf, lowered, startSinks } from './sinks.ts';

/** The result of one request, masked. */
export interface Outcome {
  readonly answers: readonly string[];
  readonly deliveries: readonly string[];
  /** The request ids of its answers, by which its log lines are found. */
  readonly requestIds: readonly string[];
}

export interface Side {
  readonly tokens: Tokens;
  send(sending: Sending): Promise<Outcome>;
  /** Ends it. The lines of its log, by request id; those without one under `''`. */
  end(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** An answer that takes longer is written down as none. A delivery may take 10 s. */
const longestMs = 30_000;

const secrets = {
  FORM_TOKEN_SECRET: 'a secret for this run and no other, 1',
  KEEP_SECRET: 'a secret for this run and no other, 2',
  RECEIPT_SECRET: 'a secret for this run and no other, 3',
  HOOK_SECRET: `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`,
  TOKEN: 'token',
};

export async function startSide(build: string): Promise<Side> {
  const sinks = await startSinks();
  const folder = mkdtempSync(join(tmpdir(), 'side-by-side-'));
  const relay = spawn(process.execPath, ['--max-semi-space-size=8', join(build, 'relay.cjs'), 'serve'], {
    env: {
      ...environment,
      ...secrets,
      CONFIG_INLINE: configFor(sinks, folder),
      CACHE_TTL: '24h',
      TRUSTED_PROXIES: 'none',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.on('exit', () => {
    relay.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const log = readLog(relay, (line) => masked(line, sinks));
  const [line] = await once(createInterface({ input: relay.stdout }), 'line');
  const port = Number(/http:\/\/[\w.]+:(\d+)/.exec(line)?.[1]);

  let connection = new Connection(port);
  const send = async (sending: Sending): Promise<Outcome> => {
    if (connection.isClosed) connection = new Connection(port);
    const answers = await connection.exchange(sending);
    const deliveries = sinks.taken().map((text) => masked(text, sinks));
    const requestIds = answers.flatMap((answer) => /^x-request-id: (.*)$/m.exec(answer)?.[1] ?? []);
    return { answers: answers.map((answer) => masked(answer, sinks)), deliveries, requestIds };
  };

  const [page = ''] = await new Connection(port).exchange({
    pieces: ['GET /api/v1/token/timed HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    answers: 1,
  });
  const old = /value="([^"]+)"/.exec(page)?.[1];
  if (old === undefined) throw new Error(`no token: ${page}`);
  return {
    tokens: { old },
    send,
    end: async () => {
      connection.close();
      relay.kill('SIGTERM');
      sinks.close();
      return log;
    },
  };
}

async function readLog(relay: ChildProcess, mask: (line: string) => string) {
  const lines = new Map<string, string[]>();
  for await (const line of createInterface({ input: relay.stderr as NodeJS.ReadableStream })) {
    const event = JSON.parse(line);
    const { request_id: id = '', times, requests, ...rest } = event;
    // How many of them share a line depends on the second in which they came.
    const text = mask(JSON.stringify(rest));
    lines.set(id, [...(lines.get(id) ?? []), text]);
  }
  return lines;
}

class Connection {
  readonly #socket: Socket;
  #text = '';
  #wake = () => {};
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
      this.#wake();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Each answer, interim ones included, with its headers in order of their names. */
  async exchange({ pieces, answers: wanted, isHead = false }: Sending): Promise<readonly string[]> {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      this.#socket.write(piece, 'latin1');
    }
    const answers: string[] = [];
    const timer = setTimeout(() => this.#socket.destroy(), longestMs);
    for (let finals = 0; finals < wanted; ) {
      const answer = this.#next(isHead);
      if (answer !== undefined) {
        answers.push(answer);
        finals += answer.startsWith('HTTP/1.1 1') ? 0 : 1;
      } else if (this.isClosed) {
        answers.push('(closed)');
        break;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    clearTimeout(timer);
    // The relay is about to close it, and the next request would be lost.
    if (answers.some((answer) => /^connection: close$/m.test(answer))) this.#leave();
    return answers;
  }

  #leave(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }

  #next(isHead: boolean): string | undefined {
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [line = '', ...headers] = this.#text.slice(0, end).split('\r\n');
    const hasBody = !isHead && !/^HTTP\/1\.1 (?:1|204|304)/.test(line);
    const body = hasBody ? bodyOf(this.#text.slice(end + 4), headers) : { content: '', length: 0 };
    if (!body) return undefined;
    this.#text = this.#text.slice(end + 4 + body.length);
    return [line, ...headers.map(lowered).sort(), '', body.content].join('\n');
  }
}
